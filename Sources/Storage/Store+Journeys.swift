import RouteContract

extension Store {
    /// Stores a journey unless there is one of that id; gives the one that stands.
    package func startJourney(
        _ draft: JourneyDraft, completion: @escaping @Sendable (StoreOutcome<StartedJourney>) -> Void
    ) {
        write(.start(draft, completion))
    }

    /// Stores many journeys in one transaction: for each, in its order, the one that stands, or why this one was refused.
    package func startJourneys(
        _ drafts: [JourneyDraft],
        completion: @escaping @Sendable (StoreOutcome<[Result<StartedJourney, StoreError>]>) -> Void
    ) {
        write(.startAll(drafts, completion))
    }

    /// Stores how a journey ended unless that is known.
    package func finishJourney(
        _ id: JourneyID, as outcome: JourneyOutcome,
        completion: @escaping @Sendable (StoreOutcome<FinishedJourney>) -> Void
    ) {
        write(.finish(id, outcome, completion))
    }

    /// A committed journey, if it is among those that were started or resumed lately. Answers at once, on any thread;
    /// nil says nothing about whether there is one.
    package func recentJourney(_ id: JourneyID) -> JourneyRecord? { recent[id] }

    /// Reads one journey; nil when there is none.
    package func journey(_ id: JourneyID, completion: @escaping @Sendable (StoreOutcome<JourneyRecord?>) -> Void) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in try reader.journeys.journey(id) }
        }
    }

    /// Opens the next segment of a journey if the resume decides so; gives what stands, nil when there is no such
    /// journey.
    package func resumeJourney(
        _ resume: JourneyResume, completion: @escaping @Sendable (StoreOutcome<ResumedJourney?>) -> Void
    ) {
        write(.resume(resume, completion))
    }

    /// Stores what a device showed although another pin stands.
    package func reportConflict(
        of id: JourneyID, showing choices: [String: Renderer],
        completion: @escaping @Sendable (StoreOutcome<ReportedConflict>) -> Void
    ) {
        write(.report(id, choices, completion))
    }

    /// Reads all segments of a journey, the first first, and the conflict that was reported of it. No segments: there is
    /// no such journey.
    package func history(
        of id: JourneyID,
        completion: @escaping @Sendable (StoreOutcome<(segments: [JourneyRecord], conflict: JourneyConflict?)>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in
                (
                    try reader.journeys.segments(of: id, on: &reader.connection),
                    try reader.journeys.conflict(of: id, on: &reader.connection)
                )
            }
        }
    }

    /// Counts the journeys in flight at that time, of all flows.
    package func liveJourneys(at now: Int64, completion: @escaping @Sendable (StoreOutcome<LiveCount>) -> Void) {
        let walk = LiveWalk(now: now, completion: completion)
        let first = JourneyID.first(at: Sweep(now: now).firstKept.milliseconds)
        read(completion) { walk.run(after: first, LiveTally(), on: $0) }
    }
}

/// A count of live journeys, slice by slice.
private struct LiveWalk: Sendable {
    let now: Int64
    let completion: @Sendable (StoreOutcome<LiveCount>) -> Void

    func run(after id: JourneyID, _ tally: LiveTally, on reader: Reader) {
        var tally = tally
        do {
            let slice = try reader.slice(after: id)
            try reader.countLive(in: slice, at: now, into: &tally)
            guard let last = slice.last else { return completion(.committed(tally.count(at: now))) }
            tally.scanned += JourneySlice.size
            reader.goOn { [tally] in run(after: last, tally, on: $0) }
        } catch {
            completion(.rejected(error))
        }
    }
}

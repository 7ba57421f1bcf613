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

    /// A committed journey, if it is among those that were started lately. Answers at once, on any thread; nil says
    /// nothing about whether there is one.
    package func recentJourney(_ id: JourneyID) -> JourneyRecord? { recent[id] }

    /// Reads one journey; nil when there is none.
    package func journey(_ id: JourneyID, completion: @escaping @Sendable (StoreOutcome<JourneyRecord?>) -> Void) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in try reader.journeys.journey(id) }
        }
    }

    /// Counts the journeys of a flow that are in flight at that time.
    package func liveJourneys(
        of flow: String, at now: Int64, completion: @escaping @Sendable (StoreOutcome<[LiveJourneys]>) -> Void
    ) {
        let count = LiveCount(flow: flow, now: now, completion: completion)
        let first = JourneyID.first(at: Sweep(now: now).firstKept.milliseconds)
        read(completion) { count.run(after: first, counts: [:], on: $0) }
    }
}

/// A count of live journeys, slice by slice.
private struct LiveCount: Sendable {
    let flow: String
    let now: Int64
    let completion: @Sendable (StoreOutcome<[LiveJourneys]>) -> Void

    func run(after id: JourneyID, counts: [LiveJourneys.Group: Int], on reader: Reader) {
        var counts = counts
        do {
            let slice = try reader.slice(after: id)
            try reader.countLive(in: slice, of: flow, at: now, into: &counts)
            guard let last = slice.last else { return completion(.committed(LiveJourneys.sorted(counts))) }
            reader.goOn { [counts] in run(after: last, counts: counts, on: $0) }
        } catch {
            completion(.rejected(error))
        }
    }
}

import Rollouts
import RouteContract

extension Writer {
    func start(_ draft: JourneyDraft) throws(StoreError) -> StartedJourney {
        if try journeys.insert(draft, on: connection) {
            pins.stored &+= 1
            if draft.origin != .unverified { starts.count(draft.build) }
            return StartedJourney(record: JourneyRecord(segment: 1, pin: draft, outcome: nil), isNew: true)
        }
        guard let record = try journeys.journey(draft.id) else {
            throw StoreError(.damagedRow, "Journey \(draft.id) is stored but cannot be found. Restore a backup.")
        }
        return StartedJourney(record: record, isNew: false)
    }

    /// A draft that the database refuses by itself leaves the others alone.
    func startAll(
        _ drafts: [JourneyDraft]
    ) throws(StoreError) -> [Result<StartedJourney, StoreError>] {
        var started: [Result<StartedJourney, StoreError>] = []
        for draft in drafts {
            do throws(StoreError) {
                started.append(.success(try start(draft)))
            } catch {
                guard error.isOfOneJob, connection.isInTransaction else { throw error }
                started.append(.failure(error))
            }
        }
        return started
    }

    /// Opens the next segment of a journey, ends it, or leaves it as it is.
    ///
    /// Decided inside the transaction on what stands then: of two resumes at once the second sees the first's segment.
    func resume(_ resume: JourneyResume) throws(StoreError) -> WriteJob.Result {
        guard let record = try journeys.journey(resume.id) else { return .resumed(nil) }
        if record.outcome != nil { return .resumed(ResumedJourney(record: record)) }
        // The same attempt has the same answer, whatever was opened since: it suits the build that made it.
        if let first = try journeys.segment(openedBy: resume.attempt, of: resume.id, on: &connection) {
            return .resumed(ResumedJourney(record: first))
        }
        let decision: SegmentDecision
        do {
            decision = try resume.decide(record)
        } catch {
            return .refused(error)
        }
        switch decision {
        case .stands: return .resumed(ResumedJourney(record: record))
        case .opens(let reason, let choices):
            let next = resume.next(after: record, reason, choices)
            guard try journeys.insert(next.pin, segment: next.segment, on: connection) else {
                throw StoreError(.failed, "Segment \(next.segment) of journey \(resume.id) is there already.")
            }
            pins.stored &+= 1
            return .resumed(ResumedJourney(record: next, opened: reason))
        case .ends:
            let interrupted = JourneyOutcome(status: .interrupted)
            guard
                case .recorded(let ended, _) = try journeys.finish(
                    resume.id, as: interrupted, at: now(), on: connection)
            else { throw StoreError(.failed, "Journey \(resume.id) has an outcome that it had not.") }
            var record = record
            record.outcome = ended
            return .resumed(ResumedJourney(record: record, isInterrupted: true))
        }
    }
}

import Rollouts
import RouteContract

/// What waits for the writer, with whom to tell.
enum WriteJob: Sendable {
    case start(JourneyDraft, @Sendable (StoreOutcome<StartedJourney>) -> Void)
    /// Many starts in one transaction, each refused alone.
    case startAll([JourneyDraft], @Sendable (StoreOutcome<[Swift.Result<StartedJourney, StoreError>]>) -> Void)
    case resume(JourneyResume, @Sendable (StoreOutcome<ResumedJourney?>) -> Void)
    case finish(JourneyID, JourneyOutcome, @Sendable (StoreOutcome<FinishedJourney>) -> Void)
    /// The renderer that a device showed, by route.
    case report(JourneyID, [String: Renderer], @Sendable (StoreOutcome<ReportedConflict>) -> Void)
    case change(
        @Sendable (Configuration, EvidenceLedger) throws -> AppliedCommand,
        @Sendable (StoreOutcome<AppliedCommand>) -> Void)
    case record(
        @Sendable (Configuration, EvidenceLedger) throws -> RecordedEvidence, artefact: [UInt8],
        @Sendable (StoreOutcome<RecordedEvidence>) -> Void)
    case sweep(Sweep, @Sendable (StoreOutcome<SweepReport>) -> Void)
    case noteKeyUse([String: Int64], @Sendable (StoreOutcome<Void>) -> Void)

    /// What a job has come to inside the transaction. It counts only once that is committed.
    enum Result {
        case started(StartedJourney)
        case startedAll([Swift.Result<StartedJourney, StoreError>])
        /// Nil: there is no such journey.
        case resumed(ResumedJourney?)
        case finished(FinishedJourney)
        case reported(ReportedConflict)
        case changed(AppliedCommand)
        case recorded(RecordedEvidence)
        case swept(Sweep)
        case notedKeyUse
        /// This job alone was refused.
        case refused(any Error)
    }

    /// Tells that nothing of the job is stored.
    func reject(_ error: any Error) {
        switch self {
        case .start(_, let completion): completion(.rejected(error))
        case .startAll(_, let completion): completion(.rejected(error))
        case .resume(_, let completion): completion(.rejected(error))
        case .finish(_, _, let completion): completion(.rejected(error))
        case .report(_, _, let completion): completion(.rejected(error))
        case .change(_, let completion): completion(.rejected(error))
        case .record(_, _, let completion): completion(.rejected(error))
        case .sweep(_, let completion): completion(.rejected(error))
        case .noteKeyUse(_, let completion): completion(.rejected(error))
        }
    }

    /// Tells that nobody knows whether the job is stored.
    func leaveUnknown(_ error: StoreError) {
        switch self {
        case .start(_, let completion): completion(.unknown(error))
        case .startAll(_, let completion): completion(.unknown(error))
        case .resume(_, let completion): completion(.unknown(error))
        case .finish(_, _, let completion): completion(.unknown(error))
        case .report(_, _, let completion): completion(.unknown(error))
        case .change(_, let completion): completion(.unknown(error))
        case .record(_, _, let completion): completion(.unknown(error))
        case .sweep(_, let completion): completion(.unknown(error))
        case .noteKeyUse(_, let completion): completion(.unknown(error))
        }
    }
}

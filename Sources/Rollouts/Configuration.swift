import FlagEvaluation
import RouteContract

/// All that one environment decides by, at one revision.
public struct Configuration: Hashable, Sendable {
    public let environment: String
    /// Counts restores; with the revision it orders all states of the environment.
    public var epoch: Int64
    /// Gap-free, from 0.
    public var revision: Int64
    public var flows: [String: Flow] = [:]
    public var routes: [String: RouteRollout] = [:]
    public var flags: [String: StoredFlag] = [:]
    public var cohorts: [String: Cohort] = [:]
    public var builds: [BuildID: Build] = [:]
    /// By key id.
    public var keys: [String: AccessKey] = [:]

    public init(environment: String, epoch: Int64, revision: Int64) {
        self.environment = environment
        self.epoch = epoch
        self.revision = revision
    }
}

/// One stored thing after a change, or its removal.
public enum ConfigurationRow: Hashable, Sendable {
    case flow(Flow)
    case route(RouteRollout)
    case flag(StoredFlag)
    case removedFlag(String)
    case cohort(Cohort)
    case removedCohort(String)
    case build(Build)
    case key(AccessKey)
}

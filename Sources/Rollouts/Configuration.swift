import FlagEvaluation
import RouteContract

/// All that one environment decides by, at one revision.
package struct Configuration: Hashable, Sendable {
    package let environment: String
    /// Counts restores; with the revision it orders all states of the environment.
    package var epoch: Int64
    /// Gap-free, from 0.
    package var revision: Int64
    package var flows: [String: Flow] = [:]
    package var routes: [String: RouteRollout] = [:]
    package var flags: [String: StoredFlag] = [:]
    package var cohorts: [String: Cohort] = [:]
    package var builds: [BuildID: Build] = [:]
    /// By key id.
    package var keys: [String: AccessKey] = [:]
    package var overrides: [Override.ID: Override] = [:]
    package var settings = EnvironmentSettings()
    /// All versions of all stop conditions.
    package var conditions: [StopCondition.ID: StopCondition] = [:]
    package var waivers: [Waiver.ID: Waiver] = [:]

    package init(environment: String, epoch: Int64, revision: Int64) {
        self.environment = environment
        self.epoch = epoch
        self.revision = revision
    }
}

/// One stored thing after a change, or its removal.
package enum ConfigurationRow: Hashable, Sendable {
    case flow(Flow)
    case route(RouteRollout)
    case flag(StoredFlag)
    case removedFlag(String)
    case cohort(Cohort)
    case removedCohort(String)
    case build(Build)
    case key(AccessKey)
    case override(Override)
    case removedOverride(Override.ID)
    case settings(EnvironmentSettings)
    case condition(StopCondition)
    case removedCondition(StopCondition.ID)
    case waiver(Waiver)
    case removedWaiver(Waiver.ID)
}

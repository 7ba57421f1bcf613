import FlagEvaluation
import RouteContract

/// What holds for a whole environment.
package struct EnvironmentSettings: Hashable, Sendable {
    /// What a build may be given of which nothing is registered, or which does not say what it is.
    package enum UnknownBuild: String, CaseIterable, Sendable {
        /// Legacy only.
        case legacy
        /// What it says that it has, and both renderers when it says nothing.
        case trust

        /// What such a build has as far as is known.
        package var renderers: Set<Renderer> { self == .legacy ? [.legacy] : [.legacy, .migrated] }
    }

    package var unknownBuild: UnknownBuild
    /// The members of an imported flag file beside its flags, as they came in. The rules of its `$evaluators` are
    /// cohorts, so an empty object stands for them here.
    package var flagSet: JSONObject

    package init(unknownBuild: UnknownBuild = .legacy, flagSet: JSONObject = JSONObject()) {
        self.unknownBuild = unknownBuild
        self.flagSet = flagSet
    }

    /// What is said of all flags; a flag's own metadata wins.
    package var metadata: JSONObject { flagSet["metadata"]?.object ?? JSONObject() }
}

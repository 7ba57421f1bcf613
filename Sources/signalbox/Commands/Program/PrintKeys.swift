import FlagEvaluation
import Rollouts

/// Prints what a completion script offers.
struct PrintKeys: ServiceCommand {
    static let name = "known-keys"
    static let abstract = "Prints the keys of all routes, flows, flags, cohorts or builds, for completion."
    static let examples = ["signalbox known-keys route"]
    static let isHidden = true

    @Argument("What the keys are of.") var noun: Noun

    enum Noun: String, CaseIterable, SingleValue {
        case route, flow, flag, cohort, build

        /// What a parameter names, if it names one of these.
        init?(of parameter: Parameter) {
            switch parameter.name {
            case "requires": self = .route
            case let name: self.init(rawValue: name.lowercased())
            }
        }
    }

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("\(noun.rawValue)s")) { answer in
            // A shell expands what it is given to choose from, so nothing but plain keys may reach it.
            answer.list("\(noun.rawValue)s").compactMap { $0[noun == .build ? "build" : "key"]?.string }
                .filter { key in key.split(separator: ":", omittingEmptySubsequences: false).allSatisfy(Key.isValid) }
                .joined(separator: "\n")
        }
    }
}

/// How a command ended, as scripts see it. The numbers never change.
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case refused = 1
    case inconclusive = 2
    case usage = 64
    case unavailable = 69
    case notAllowed = 77

    /// One phrase for the reference page.
    var meaning: String {
        switch self {
        case .done: "Done, or already so."
        case .refused: "Refused by a rule, or there is no such thing. Asking again does not help."
        case .inconclusive: "Neither yes nor no: a gate is unknown, or the journey could not be pinned."
        case .usage: "The command line, or a file that it names, is wrong. Nothing was asked."
        case .unavailable: "The service did not answer, or failed. Asking again may help."
        case .notAllowed: "The key is missing, wrong, readable by others, or not for this."
        }
    }
}

/// Why a command did not do what it was asked for.
struct CommandError: Error, Equatable {
    let status: ExitCode
    /// The service's own code, or one of ours.
    let code: String
    let message: String
    /// Lines that say more, shown below the message.
    var details: [String] = []
    /// What the service answered, for `--json`.
    var document: [UInt8]?

    /// The command line is wrong.
    static func usage(_ message: String) -> CommandError {
        CommandError(status: .usage, code: "usage", message: message)
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts

/// The body of a change: `reason`, perhaps `dryRun`, and the endpoint's own members.
struct ChangeBody {
    let members: JSONObject
    let reason: String
    let isDryRun: Bool
    /// The members that every change may have.
    static let common: Set<String> = ["reason", "dryRun"]

    init(_ request: borrowing Request) throws {
        members = try request.json()
        reason = try Self.checked(members.optionalString("reason"))
        isDryRun = try members.optionalBool("dryRun") ?? false
    }

    /// Refuses members that neither every change nor this endpoint knows.
    func refuseMembers(besides own: Set<String>) throws {
        try members.refuseMembers(besides: own.union(Self.common))
    }

    /// The request for that command, by that caller.
    func request(_ command: Command, by call: borrowing Call) -> ChangeRequest {
        ChangeRequest(
            command: command, actor: call.principal.actor, reason: reason, now: call.now, isDryRun: isDryRun)
    }

    /// A reason of 1 to 500 characters.
    static func checked(_ reason: String?) throws -> String {
        let text = reason.map { $0.trimmingSpaces } ?? ""
        guard !text.isEmpty, text.count <= 500 else {
            throw RolloutError(.reasonRequired, "Say why, in 1 to 500 characters, as \"reason\".")
        }
        return text
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmingSpaces: String {
        let end = lastIndex { !$0.isWhitespace }
        guard let start = firstIndex(where: { !$0.isWhitespace }), let end else { return "" }
        return String(self[start...end])
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts

/// The body of a change: `reason`, `dryRun` where it is taken, and the endpoint's own members.
struct ChangeBody {
    let members: JSONObject
    /// The members that are not the endpoint's own.
    let common: Set<String>
    let reason: String
    let isDryRun: Bool

    /// `mayBeDryRun` is for endpoints whose answer says what would be; elsewhere `dryRun` is an unknown member.
    init(_ request: borrowing Request, mayBeDryRun: Bool = false, limits: JSONLimits = .flagFile) throws {
        members = try request.json(limits: limits)
        common = mayBeDryRun ? ["reason", "dryRun"] : ["reason"]
        // Whether it is a reason is for the rules of changes to say.
        reason = try members.optionalString("reason") ?? ""
        isDryRun = mayBeDryRun ? try members.optionalBool("dryRun") ?? false : false
    }

    /// Refuses members that are neither common nor this endpoint's.
    func refuseMembers(besides own: Set<String>) throws {
        try members.refuseMembers(besides: own.union(common))
    }

    /// The request for that command, by that caller.
    func request(_ command: Command, by call: borrowing Call) -> ChangeRequest {
        ChangeRequest(
            command: command, actor: call.principal.actor, reason: reason, now: call.now, isDryRun: isDryRun)
    }
}

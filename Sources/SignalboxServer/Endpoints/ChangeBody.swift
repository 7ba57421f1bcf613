import FlagEvaluation
import HTTPServer
import Rollouts

/// The body of a change: `reason`, `ifRevision` and `ifEpoch`, `dryRun` where it is taken, and the endpoint's own members.
struct ChangeBody {
    let members: JSONObject
    /// The members that are not the endpoint's own.
    let common: Set<String>
    let reason: String
    let isDryRun: Bool

    /// `mayBeDryRun` is for endpoints whose answer says what would be; elsewhere `dryRun` is an unknown member.
    init(_ request: borrowing Request, mayBeDryRun: Bool = false, limits: JSONLimits = .flagFile) throws {
        members = try request.json(limits: limits)
        common = Set(["reason", "ifRevision", "ifEpoch"] + (mayBeDryRun ? ["dryRun"] : []))
        // Whether it is a reason is for the rules of changes to say.
        reason = try members.optionalString("reason") ?? ""
        isDryRun = mayBeDryRun ? try members.optionalBool("dryRun") ?? false : false
    }

    /// The revision that it is meant for. Fails with `invalid_field`.
    func expected() throws(RolloutError) -> ExpectedRevision? { try ExpectedRevision(members) }

    /// Refuses members that are neither common nor this endpoint's.
    func refuseMembers(besides own: Set<String>) throws {
        try members.refuseMembers(besides: own.union(common))
    }

    /// The request for that command, by that caller. What stops something does not even read the revision that it is meant
    /// for: nothing that is wrong with it may keep that from being done.
    func request(_ command: Command, by call: borrowing Call) throws(RolloutError) -> ChangeRequest {
        ChangeRequest(
            command: command, actor: call.principal.actor, reason: reason, now: call.now, isDryRun: isDryRun,
            expected: command.stops ? nil : try expected())
    }
}

extension ExpectedRevision {
    /// Reads `ifRevision` and `ifEpoch`; nil where neither is.
    fileprivate init?(_ members: JSONObject) throws(RolloutError) {
        let epoch = try members.optionalInteger("ifEpoch")
        guard let revision = try members.optionalInteger("ifRevision") else {
            guard epoch == nil else { throw .invalidField("/ifEpoch", "given with ifRevision, or not at all") }
            return nil
        }
        self.init(revision: revision, epoch: epoch)
    }

    /// The same of a query. Fails with `invalid_query`.
    init?(_ request: borrowing Request) throws {
        let epoch = try request.number("ifEpoch", 0...Int64.max)
        guard let revision = try request.number("ifRevision", 0...Int64.max) else {
            guard epoch == nil else { throw ServiceError(.invalidQuery, "\"ifEpoch\" is given with \"ifRevision\".") }
            return nil
        }
        self.init(revision: revision, epoch: epoch)
    }
}

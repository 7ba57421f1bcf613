import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/v1/sweep`
    mutating func addSweepEndpoints() {
        add(
            .post, "/v1/sweep", .administer,
            About("Sweeps although more would go at once than a sweep takes by itself")
                .changes(takes: ["confirm": .boolean], shows: ["deletedRows": .integer]),
            use: confirmSweep)
    }
}

/// Sweeps journeys away that look too old to be in flight, although they are more than a sweep takes by itself.
///
/// Takes `confirm`, which must be true. Gives 200 and how many rows were deleted. Fails with 400 `invalid_field`.
@Sendable private func confirmSweep(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["confirm"])
    guard try body.members.optionalBool("confirm") == true else {
        throw RolloutError.invalidField("/confirm", "true: it says that the service's clock is right")
    }
    let change = try body.request(.confirmSweep, by: call)
    let (service, now) = (call.service, call.now)
    let parked = request.park()
    service.store.change(judging: { try change.applied(to: $0, beside: $1) }) { outcome in
        // Not before it stands in the audit.
        guard let applied = outcome.value else {
            return parked.complete(with: service.response(to: outcome) { _ in Response(status: 200) })
        }
        service.store.sweep(at: now, isConfirmed: true) { swept in
            parked.complete(
                with: service.response(to: swept) { report in
                    .json(
                        .object(
                            Service.answer(to: applied) { _ in ["deletedRows": .integer(Int64(report.deletedRows))] }))
                })
        }
    }
    return .later
}

import FlagEvaluation
import Rollouts

/// Sets the ladder.
struct PlanRoute: ServiceCommand {
    static let name = "plan"
    static let abstract = "Sets the ladder of a route: its steps, in order."
    static let discussion =
        "A step is a share of everybody, or of a cohort, and adds to the steps before it. Shares are written 5% or 0.5%."
        + " A step may ask for more before the next one: hold=24h, units=500 (units given migrated at it), monitored (an"
        + " automatic ladder leaves it only when no stop condition says stop), and approval (before it is entered)."
        + " A holdout cannot change on the ladder; in defaultNew it may shrink. What is not given stays as it was."
    static let examples = [
        "signalbox route plan trips.edit --step internal=50% --step internal=100% --step 5% --step 100% --reason 'Agreed'",
        "signalbox route plan trips.edit --step 5% --step 100% --holdout 2% --reason 'With a control'",
        "signalbox route plan trips.edit --step 1%,hold=24h,units=500 --step 20%,hold=48h --step 100%,approval"
            + " --advance automatic --reason 'By itself up to 20%'",
    ]

    @Argument("The key of the route.") var route: String
    @Option("A step, such as internal=50% or 5%,hold=24h.") var step: [StepText]
    @Option("Who takes the next step: a person, or the service as soon as the gates pass.")
    var advance: RolloutPlan.Advance?
    @Option("The share of units that is kept on legacy up to defaultNew, as long-term control.") var holdout: Share?
    @Option("The share of an app's journeys that may depend on legacy when it is deleted, at most 5%; 1% at first.")
    var legacyShareAtDeletion: Share?
    @Option("Versions that are released with migrated by default before legacy is disabled; 2 at first.")
    var releases: Int?
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        let told = StepText.plan(
            step, holdout: holdout, legacyShare: legacyShareAtDeletion, releases: releases, advance: advance)
        body["plan"] = try service.plan(of: route, with: told)
        return try service.show(.patch("routes", route, body: body)) { answer in
            let route = answer["route"] ?? .null
            let ladder = RouteView(route: route).ladderLines
            let last =
                change.dryRun
                ? MoveReport(service: service, verb: Self.name).text(route: route, in: answer)
                : service.revision(of: answer)
            return (ladder + [last]).joined(separator: "\n")
        }
    }
}

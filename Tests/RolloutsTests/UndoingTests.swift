import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A change that is taken back` {
    private static let override = Override(
        id: Override.ID(route: "trips.edit", unit: "u-1"), renderer: .migrated, owner: "qa", reason: "a test",
        expiresAt: noon + day)

    private static var file: JSONValue {
        [
            "flags": ["new-search": ["state": "ENABLED", "variants": ["on": true]], "more": newSearch],
            "$evaluators": ["beta": ["var": "x"], "fresh": ["var": "y"]], "metadata": ["a": 1],
        ]
    }

    private static let waiver = Waiver.ID(route: "trips.edit", gate: "parity", move: "partialRollout")
    private static var stop: Command {
        let crash = StopCondition(
            id: StopCondition.ID(route: "trips.edit", key: "crash", version: 1), definition: .crash())
        return .judge(route: "trips.edit", hash: crash.hash, .stop, numbers: ["e": 21])
    }

    private static func edit(owner: String) -> Command {
        var fields = RouteFields()
        fields.owner = owner
        return .editRoute(key: "trips.edit", fields)
    }

    private static let commands: [Command] = [
        .createFlow(Flow(id: "01890a5d-ac96-774b-bcce-b302099a8059", key: "more", owner: "x")),
        .editFlow(key: "trips", owner: "others", journeyLifetimeSeconds: 60),
        .registerRoute(key: "more.route", flow: "orders", .complete), edit(owner: "others"), .advance,
        .move(.advance(isForced: true), .flow("trips")), .move(.rollback), .move(.rollback, .flow("trips")),
        .move(.rollback, .all), .move(.island(owner: "x", reviewDate: "2031-01-01")),
        .putFlag(key: "new-search", definition: ["state": "DISABLED", "variants": ["on": true]], isStrict: false),
        .putFlag(key: "fresh", definition: newSearch, isStrict: false), .removeFlag(key: "new-search"),
        .setFlagState(key: "new-search", isEnabled: false),
        .putCohort(key: "beta", rule: ["var": "x"], isStrict: false),
        .putCohort(key: "fresh", rule: ["var": "x"], isStrict: false), .removeCohort(key: "internal"),
        .putBuild(.app(731, [:])), .setOverride(override), .clearOverrides(route: "trips.edit", unit: nil),
        .editEnvironment(unknownBuild: .trust), .putCondition(route: "trips.edit", key: "crash", .crash(action: .warn)),
        .putCondition(route: "trips.edit", key: "more", .completion()),
        .removeCondition(route: "trips.edit", key: "draft"),
        .freezeConditions(route: "trips.edit", key: nil), stop, .revokeWaiver(waiver),
        .grantWaiver(waiver, expiresAt: noon + 2 * day),
        .grantWaiver(Waiver.ID(route: "trips.edit", gate: "plan"), expiresAt: noon + day),
        .importFlags(file: file, isStrict: false),
    ]

    private static let halfOfIt: JSONValue = [
        "overrides": [
            .object(
                Override(
                    id: Override.ID(route: "trips.edit", unit: "u-8"), renderer: .legacy, owner: "qa", reason: "r",
                    expiresAt: noon + day
                ).json)
        ],
        "routes": ["trips.edit": 5],
    ]

    @Test(arguments: commands) func `leaves what was before`(command: Command) throws {
        var before = try Configuration.example(at: .compatible)
        before.store(
            .override(
                Override(
                    id: Override.ID(route: "trips.edit", unit: "u-9"), renderer: .legacy, owner: "qa", reason: "r",
                    expiresAt: noon + day)))
        for command: Command in [
            .putCondition(route: "trips.edit", key: "draft", .completion()),
            .grantWaiver(Self.waiver, expiresAt: noon + day),
        ] { before = try before.after(command) }
        // A cohort that plans name cannot be removed; here none does.
        if command == .removeCohort(key: "internal") {
            for key in before.routes.keys { before.routes[key]?.plan = nil }
        }
        let applied = try before.applying(command, by: ana, reason: "a test", facts: .example, at: noon)
        let audit = try #require(applied.audit)
        var undone = applied.configuration
        #expect(undone != before)
        let isUndone = undone.undo(subject: audit.subject, before: audit.before, after: audit.after)
        #expect(isUndone)
        undone.revision = before.revision
        #expect(undone == before)
    }

    @Test func `brings back the overrides that had ended and made room`() throws {
        let id = Override.ID(route: "trips.edit", unit: "u-8")
        var before = try Configuration.example(at: .compatible)
        before.store(.override(Override(id: id, renderer: .legacy, owner: "qa", reason: "r", expiresAt: noon - 1_000)))
        for unit in ["u-1", "u-8"] {
            let next = Override(
                id: Override.ID(route: "trips.edit", unit: unit), renderer: .migrated, owner: "qa", reason: "r",
                expiresAt: noon + day)
            let applied = try before.applying(.setOverride(next), by: ana, reason: "a test", at: noon)
            let audit = try #require(applied.audit)
            var undone = applied.configuration
            let isUndone = undone.undo(subject: audit.subject, before: audit.before, after: audit.after)
            #expect(isUndone)
            #expect(undone.overrides == before.overrides)
        }
    }

    @Test(arguments: [
        ("moon/x", JSONValue.null), ("route", .null), ("route/a", 5), ("build/x", .null), ("flag/a", .object([:])),
        // The first of it can be taken back, and the rest cannot.
        ("flow/trips", halfOfIt),
    ])
    func `is said not to be when its entry is not understood`(subject: String, before: JSONValue) throws {
        let configuration = try Configuration.example
        var undone = configuration
        let isUndone = undone.undo(subject: subject, before: before, after: .null)
        #expect(!isUndone)
        #expect(undone == configuration)
    }
}

import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A flow` {
    @Test func `is created once, whatever id a repeated request brings`() throws {
        let configuration = try Configuration.example
        let again = Flow(id: "01890a5d-ac96-774b-bcce-b302099a8099", key: "trips", owner: "team-trips")
        #expect(try configuration.isRepeat(.createFlow(again)))
        #expect(try configuration.flow("trips").id == Flow.trips.id)
        let other = Flow(id: again.id, key: "trips", owner: "others")
        #expect(configuration.refusal(of: .createFlow(other))?.code == .flowExists)
        let sameSalt = Flow(id: Flow.trips.id, key: "more", owner: "others")
        #expect(configuration.refusal(of: .createFlow(sameSalt))?.code == .flowExists)
    }

    @Test(arguments: [
        "", "01890A5D-AC96-774B-BCCE-B302099A8057", "01890a5d-ac96-474b-bcce-b302099a8057",
        "01890a5d-ac96-774b-7cce-b302099a8057", "01890a5dac96774bbcceb302099a8057",
        "01890a5d-ac96-774b-bcce-b302099a805g",
    ])
    func `has a UUID of version 7`(id: String) throws {
        let error = try Configuration.example.refusal(of: .createFlow(Flow(id: id, key: "new", owner: "ana")))
        #expect(error?.code == .invalidField && error?.details["path"] == "/id")
    }

    @Test(
        arguments: [
            ("-a", "ana", 60, .invalidKey), ("", "ana", 60, .invalidKey), ("a/b", "ana", 60, .invalidKey),
            ("a", " ", 60, .invalidField), ("a", "ana", 59, .invalidLifetime), ("a", "ana", 604_801, .invalidLifetime),
            ("a", "ana", .min, .invalidLifetime), ("a", "ana", 60, nil), ("a", "ana", 604_800, nil),
        ] as [(String, String, Int64, RolloutError.Code?)])
    func `is checked`(key: String, owner: String, lifetime: Int64, code: RolloutError.Code?) throws {
        let id = "01890a5d-ac96-774b-bcce-b302099a8099"
        let flow = Flow(id: id, key: key, owner: owner, journeyLifetimeSeconds: lifetime)
        #expect(try Configuration.example.refusal(of: .createFlow(flow))?.code == code)
    }

    @Test func `is edited`() throws {
        let configuration = try Configuration.example
        let edit = Command.editFlow(key: "trips", owner: "new", journeyLifetimeSeconds: 3_600)
        let audit = try configuration.audit(of: edit)
        #expect(audit?.action == "flow.edit" && audit?.before["owner"] == "team-trips")
        #expect(audit?.after["journeyLifetimeSeconds"] == 3_600)
        #expect(try configuration.after(edit).isRepeat(edit))
        let short = Command.editFlow(key: "trips", owner: nil, journeyLifetimeSeconds: 1)
        #expect(configuration.refusal(of: short)?.code == .invalidLifetime)
        let unknown = Command.editFlow(key: "nope", owner: "a", journeyLifetimeSeconds: nil)
        #expect(configuration.refusal(of: unknown)?.code == .flowNotFound)
    }
}

@Suite struct `A route` {
    @Test func `is registered in a flow, not started`() throws {
        let configuration = try Configuration.example.after(
            .registerRoute(key: "orders.list", flow: "orders", .complete))
        let route = try configuration.route("orders.list")
        #expect(route.stage == .notStarted && route.status == .active && route.stageSince == noon)
        #expect(route.owner == "team-trips" && route.reason == "SwiftUI on all screens" && route.plan == .ladder)
    }

    @Test func `is registered again without effect, also when it has moved on`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 2)
        #expect(try configuration.isRepeat(.registerRoute(key: "trips.edit", flow: "trips", .complete)))
        #expect(try configuration.isRepeat(.registerRoute(key: "trips.edit", flow: "trips", RouteFields())))
        var other = RouteFields()
        other.owner = "others"
        for (flow, fields) in [("trips", other), ("orders", .complete)] {
            let command = Command.registerRoute(key: "trips.edit", flow: flow, fields)
            #expect(configuration.refusal(of: command)?.code == .routeExists)
        }
    }

    @Test(
        arguments: [
            ("a b", "trips", .invalidKey), ("new-search", "trips", .keyTaken), ("a", "nope", .flowNotFound),
        ] as [(String, String, RolloutError.Code)])
    func `is refused under a key that does not serve`(key: String, flow: String, code: RolloutError.Code) throws {
        let command = Command.registerRoute(key: key, flow: flow, RouteFields())
        #expect(try Configuration.example.refusal(of: command)?.code == code)
    }

    private static let spoilings: [(@Sendable (inout RouteFields) -> Void, String)] = [
        ({ $0.owner = " " }, "/owner"), ({ $0.owner = "\u{200B}" }, "/owner"), ({ $0.purpose = "" }, "/purpose"),
        ({ $0.contract?.schemaVersion = 0 }, "/contract/schemaVersion"),
        ({ $0.contract?.outcomes = [] }, "/contract/outcomes"),
        ({ $0.contract?.outcomes = ["a", "a"] }, "/contract/outcomes"),
        ({ $0.contract?.payload = ["id": 1] }, "/contract/payload/id"),
        ({ $0.entryPoints = [EntryPoint(kind: .inApp, source: "")] }, "/entryPoints/0/source"),
        ({ $0.entryPoints = Array(repeating: EntryPoint(kind: .inApp, source: "a"), count: 2) }, "/entryPoints"),
        ({ $0.requires = ["trips.list", "trips.list"] }, "/requires"),
        ({ $0.legacySymbols = ["TripEditController", "ab"] }, "/legacySymbols"),
        ({ $0.legacySymbols = ["Trip Editor"] }, "/legacySymbols"),
        ({ $0.legacySymbols = ["Trip", "Trip"] }, "/legacySymbols"),
        ({ $0.deletion?.date = "2031-13-01" }, "/deletion/date"), ({ $0.deletion?.owner = "" }, "/deletion/owner"),
    ]

    @Test(arguments: spoilings.indices) func `is checked field by field`(index: Int) throws {
        let (spoil, path) = Self.spoilings[index]
        var fields = RouteFields.complete
        spoil(&fields)
        let error = try Configuration.example.refusal(of: .editRoute(key: "trips.edit", fields))
        #expect(error?.code == .invalidField && error?.details["path"] == .string(path))
    }

    @Test func `keeps what an edit does not name`() throws {
        let configuration = try Configuration.example(at: .defaultNew)
        var fields = RouteFields()
        fields.contract = RegisteredContract(schemaVersion: 2, payload: [:], outcomes: ["saved"])
        let edit = Command.editRoute(key: "trips.edit", fields)
        let audit = try configuration.audit(of: edit)
        #expect(audit?.before["contract"]?["schemaVersion"] == 1 && audit?.after["contract"]?["schemaVersion"] == 2)
        #expect(audit?.after["owner"] == "team-trips")
        #expect(try configuration.after(edit).isRepeat(edit))
        #expect(configuration.refusal(of: .editRoute(key: "nope", fields))?.code == .routeNotFound)
    }

    @Test func `requires routes that exist and do not require it`() throws {
        func requires(_ keys: String...) -> RouteFields {
            var fields = RouteFields()
            fields.requires = keys
            return fields
        }
        let chain = try Configuration.example.after(.editRoute(key: "trips.edit", requires("trips.list")))
            .after(.editRoute(key: "trips.list", requires("orders.detail")))
        for (key, fields, code) in [
            ("orders.detail", requires("trips.edit"), .requiresCycle),
            ("trips.edit", requires("trips.edit"), .requiresCycle), ("trips.edit", requires("nope"), .routeNotFound),
        ] as [(String, RouteFields, RolloutError.Code)] {
            #expect(chain.refusal(of: .editRoute(key: key, fields))?.code == code)
        }
    }
}

@Suite struct `A day` {
    @Test(arguments: ["2028-02-29", "2000-02-29", "2031-12-31", "2031-04-30"])
    func `of the calendar is accepted`(text: String) { #expect(CalendarDay(text) != nil) }

    @Test(arguments: [
        "2031-02-29", "1900-02-29", "2031-04-31", "2031-00-01", "2031-01-00", "2031-1-01", "+031-01-01", "2031-01-01T",
        "", "2031-01", "२०३१-01-01",
    ])
    func `that is none is refused`(text: String) { #expect(CalendarDay(text) == nil) }
}

@Suite struct `A contract` {
    /// What was measured would count for a contract that nobody rehearsed.
    @Test func `that is changed ends a rehearsal of the old one`() throws {
        let rehearsed = try Configuration.example(at: .compatible)
            .after(.rehearse(route: "trips.edit", cohort: "internal", seconds: 600))
        #expect(rehearsed.routes["trips.edit"]?.rehearsal != nil)
        var fields = RouteFields()
        fields.owner = "mia"
        #expect(try rehearsed.after(.editRoute(key: "trips.edit", fields)).routes["trips.edit"]?.rehearsal != nil)
        fields.contract = RegisteredContract(schemaVersion: 9, payload: [:], outcomes: ["saved"])
        #expect(try rehearsed.after(.editRoute(key: "trips.edit", fields)).routes["trips.edit"]?.rehearsal == nil)
    }
}

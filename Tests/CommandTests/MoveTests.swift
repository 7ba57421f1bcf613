import FlagEvaluation
import Testing

@testable import signalbox

@Suite struct `A move` {
    private static let route =
        #"{"key":"trips.edit","stage":"partialRollout","status":"active","step":1,"plan":{"steps":["#
        + #"{"cohort":"internal","share":50000},{"cohort":null,"share":5000}]}}"#

    @Test func `says what the route is now, what comes next, and what journeys in flight keep`() throws {
        let service = try CannedService { asked in
            asked.method == "GET"
                ? (200, #"{"route":"trips.edit","live":{"legacy":12,"migrated":3},"builds":[]}"#)
                : (200, #"{"epoch":1,"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        #expect(
            Run("route advance trips.edit --reason r", at: service).output == """
                trips.edit is now partialRollout, step 1 of 2: 50% of internal. Revision 17.
                The next step gives 5% of everybody, and 50% of internal.
                Journeys in flight keep what they have: 12 legacy, 3 migrated.

                """)
    }

    @Test func `that repeats what holds says so`() throws {
        let service = try CannedService(200, #"{"revision":17,"changed":false,"route":\#(Self.route)}"#)
        defer { service.stop() }
        let run = Run("route hold trips.edit --reason r", at: service)
        #expect(run.status == .done)
        #expect(run.output.contains("Nothing changed: it was so already (revision 17)."))
        #expect(service.requests.count == 1)
    }

    @Test(arguments: ["held", "rolledBack"])
    func `that stops the ladder promises no next step`(status: String) throws {
        let route = Self.route.replacing("active", with: status)
        let service = try CannedService(200, #"{"revision":17,"changed":true,"route":\#(route)}"#)
        defer { service.stop() }
        #expect(!Run("route hold trips.edit --reason r", at: service).output.contains("next step"))
    }

    @Test func `stays done when the journeys in flight cannot be read`() throws {
        let service = try CannedService { asked in
            asked.method == "GET" ? (500, "") : (200, #"{"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        let run = Run("route advance trips.edit --reason r", at: service)
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
    }

    @Test func `that is only tried says how many units would change`() throws {
        let answer =
            #"{"dryRun":true,"unitsChanged":{"toMigrated":500,"toLegacy":0,"of":100000},"route":\#(Self.route)}"#
        let before =
            #"{"key":"trips.edit","stage":"compatible","status":"active","next":{"gates":["#
            + #"{"name":"plan","verdict":"pass"},{"name":"noStop","verdict":"unknown"}]}}"#
        let service = try CannedService { asked in (200, asked.method == "GET" ? before : answer) }
        defer { service.stop() }
        #expect(
            Run("route advance trips.edit --reason r --dry-run", at: service).output == """
                trips.edit would be partialRollout, step 1 of 2: 50% of internal, and is compatible.
                1 gate is unknown and would not block: noStop.
                Of 100000 simulated units without attributes (none is in a cohort that asks for one), 500 would change to \
                migrated and 0 to legacy.
                Nothing has changed.

                """)
    }

    @Test func `names the gates that it passed by`() throws {
        let service = try CannedService { asked in
            asked.target.hasSuffix("/gates")
                ? (
                    200,
                    #"{"gates":[{"name":"owner","verdict":"fail"},{"name":"parity","verdict":"unknown"},"#
                        + #"{"name":"plan","verdict":"pass"},{"name":"rehearsal","verdict":"unknown"}]}"#
                )
                : asked.method == "GET"
                    ? (500, "") : (200, #"{"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        let output = Run("route advance trips.edit --force --reason r", at: service).output
        #expect(output.contains("\nPassed by force: owner.\n"))
        #expect(output.contains("\n2 gates were unknown and did not block: parity, rehearsal.\n"))
        #expect(!Run("route hold trips.edit --reason r", at: service).output.contains("gate"))
    }

    @Test func `of everything lists the routes that it found`() throws {
        let routes = [("a", "held"), ("b", "active")].map { #"{"key":"\#($0)","status":"\#($1)"}"# }
        let service = try CannedService(
            200, #"{"revision":17,"changed":true,"routes":[\#(routes.joined(separator: ","))]}"#)
        defer { service.stop() }
        let output = Run("hold --all --reason r", at: service).output
        #expect(output.hasPrefix("1 route is held. Revision 17.\n"))
        #expect(output.contains("\na ") && !output.contains("\nb "))
        #expect(output.hasSuffix("\nLeft as they are, because this is not possible: b.\n"))
        #expect(Run("rollback --all --reason r", at: service).output.hasPrefix("There is no route"))
    }

    @Test(arguments: [
        (["rolledBack partialRollout"], "There is nothing to roll back: 1 route is rolled back already."),
        (
            ["rolledBack defaultNew", "rolledBack defaultNew", "active notStarted", "island compatible"],
            "There is nothing to roll back: 2 routes are rolled back already, 1 route has not started, 1 route is an island."
        ),
        ([], "There is nothing to roll back."),
        (
            ["active oldDeleted", "rolledBack compatible"],
            "No route can be rolled back: 1 route is rolled back already, 1 route has no legacy entry any more."
        ),
        (["active partialRollout"], "There is no route where this is possible."),
    ])
    func `back that moves nothing says why`(routes: [String], words: String) throws {
        let listed = routes.map { route in
            let words = route.split(separator: " ")
            return #"{"key":"a","status":"\#(words.first ?? "")","stage":"\#(words.last ?? "")"}"#
        }
        let service = try CannedService(
            200, #"{"changed":false,"moved":[],"routes":[\#(listed.joined(separator: ","))]}"#)
        defer { service.stop() }
        for line in ["rollback --all --reason r", "flow rollback f --reason r"] {
            #expect(Run(line, at: service).output == "\(words) Nothing changed.\n")
        }
    }

    @Test func `of a flow lists its routes`() throws {
        let gates = ["trips.edit", "orders.list"].map {
            #"{"route":"\#($0)","gates":[{"name":"parity","verdict":"unknown"}]}"#
        }
        let service = try CannedService { asked in
            asked.method == "GET"
                ? (200, #"{"routes":[\#(gates.joined(separator: ","))]}"#)
                : (200, #"{"revision":17,"changed":true,"routes":[\#(Self.route)]}"#)
        }
        defer { service.stop() }
        let output = Run("flow advance trips --reason r", at: service).output
        #expect(output.hasPrefix("1 route of trips is advanced. Revision 17.\n"))
        #expect(output.contains("\n1 gate was unknown and did not block: trips.edit parity.\n"))
        #expect(output.contains("\ntrips.edit "))
        #expect(service.requests.map(\.target) == ["/v1/gates", "/v1/flows/trips/advance"])
    }
}

import Testing

@testable import signalbox

@Suite struct `What a command says of an answer` {
    private static let id = "01234567-89ab-7fff-bfff-ffffffffffff"

    @Test(arguments: [
        (#"{"status":"completed","name":"paid"}"#, "completed (paid)"), (#"{"status":"crashed"}"#, "crashed"),
    ])
    func `that ends a journey is no more than how it ended`(outcome: String, words: String) throws {
        let service = try CannedService(200, #"{"id":"\#(Self.id)","outcome":\#(outcome)}"#)
        defer { service.stop() }
        let run = Run("journey finish \(Self.id) --status completed", at: service)
        #expect(run.output == "\(Self.id) has ended: \(words).\n")
    }

    @Test(arguments: [
        (#","buildRegistered":false"#, true), (#","buildRegistered":true"#, false), ("", false),
    ])
    func `to a start tells of a build that nobody registered`(member: String, isTold: Bool) throws {
        let body = #"{"id":"j","build":"app:99","pinned":true,"choices":{"a":{"renderer":"legacy"}}\#(member)}"#
        let service = try CannedService(201, body)
        defer { service.stop() }
        let output = Run("journey start f --unit u --build app:99", at: service).output
        #expect(output.hasSuffix("\napp:99 is not registered: treated as legacy only.\n") == isTold)
    }

    @Test(arguments: [
        (#"{"a":["legacy","migrated"]}"#, "with 1 route. Revision 2.\n"),
        (
            #"{"a":["migrated"],"b":["legacy"]}"#,
            "with 2 routes. Revision 2.\nwarning: it has no legacy entry for a: a rollback does not reach it.\n"
        ),
    ])
    func `to a registration warns of what cannot be rolled back`(renderers: String, words: String) throws {
        let service = try CannedService(201, #"{"revision":2,"build":{"renderers":\#(renderers)}}"#)
        defer { service.stop() }
        let run = Run("build register app:730 --version 7.30 --route a=legacy --reason r", at: service)
        #expect(run.output == "app:730 is registered \(words)")
    }

    @Test func `that is doubtful is a sentence`() throws {
        let warnings =
            #"[{"code":"operator_misuse","path":"/targeting/if/0"},{"code":"unresolved_reference","path":""},"#
            + #"{"code":"of_tomorrow","path":"/x"}]"#
        let service = try CannedService(200, #"{"definition":{},"warnings":\#(warnings)}"#)
        defer { service.stop() }
        let lines = Run("flag show f", at: service).output.split(separator: "\n").suffix(3)
        #expect(
            lines == [
                "warning: at /targeting/if/0: an operator can only give null here, or ignores an argument.",
                "warning: $ref names no cohort, so evaluating this gives an error.", "warning: at /x: of_tomorrow.",
            ])
    }

    @Test func `may be deeper than any input`() throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let service = try CannedService(200, #"{"flags":[{"key":"f","definition":{"targeting":\#(deep)}}]}"#)
        defer { service.stop() }
        #expect(Run("flag list", at: service).status == .done)
    }

    @Test(arguments: [
        ("held", "held: resume it first with signalbox route resume a --reason …"),
        ("rolledBack", "rolled back: resume it first with signalbox route resume a --cause … --reason …"),
        ("island", "an island: end it first with signalbox route resume a --reason …"),
    ])
    func `of gates refuses a route that is stopped`(status: String, words: String) throws {
        let gates = #"[{"name":"g","verdict":"pass"}]"#
        let service = try CannedService(200, #"{"route":"a","status":"\#(status)","move":"m","gates":\#(gates)}"#)
        defer { service.stop() }
        #expect(Run("route gates a --require", at: service).status == .refused)
        #expect(Run("route gates a --require --json", at: service).status == .refused)
        let run = Run("route gates a", at: service)
        #expect(run.status == .done)
        #expect(run.output.hasSuffix(words + "\n"))
    }

    @Test(arguments: ["override", "waiver", "evidence"])
    func `says of a thing that had an end whether it has ended`(noun: String) throws {
        let things = #"[{"expiresAt":0,"holds":false},{"expiresAt":86400000,"holds":true}]"#
        let service = try CannedService(200, #"{"overrides":\#(things),"waivers":\#(things),"evidence":\#(things)}"#)
        defer { service.stop() }
        let output = Run("\(noun) list", at: service).output
        #expect(output.contains("1970-01-01T00:00:00Z (ended)"))
        #expect(output.contains("1970-01-02T00:00:00Z") && !output.contains("1970-01-02T00:00:00Z (ended)"))
    }

    @Test func `of the audit marks what was forced, and says where older entries are`() throws {
        let entries =
            #"[{"sequence":7,"action":"route.advance","after":{"forced":true}},{"sequence":8,"action":"flow.edit"}]"#
        let service = try CannedService(200, #"{"entries":\#(entries)}"#)
        defer { service.stop() }
        let output = Run("audit list --last 2", at: service).output
        #expect(output.contains("route.advance (forced)") && output.contains(" flow.edit"))
        #expect(!output.contains("flow.edit (forced)"))
        #expect(output.hasSuffix("There may be older ones: signalbox audit list --after 0\n"))
        #expect(Run("audit list --after 6 --limit 2", at: service).output.hasSuffix("signalbox audit list --after 8\n"))
    }

    @Test func `of a route that is registered or edited shows its ladder`() throws {
        let plan = #"{"steps":[{"cohort":"staff","share":100000},{"cohort":null,"share":5000}]}"#
        let service = try CannedService(
            200, #"{"revision":3,"route":{"key":"a","stage":"notStarted","status":"active","plan":\#(plan)}}"#)
        defer { service.stop() }
        let ladder = "\nladder\n  1  all of staff\n  2  5% of everybody, and all of staff\n"
        #expect(Run("route register a --flow f --reason r", at: service).output.hasSuffix(ladder))
        #expect(Run("route edit a --owner o --reason r", at: service).output.hasSuffix(ladder))
        #expect(Run("route plan a --step 5% --reason r", at: service).output.contains(ladder.dropFirst()))
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `A change` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
    }

    private var revision: Int64 { service.service.snapshot.configuration.revision }

    @Test func `moves the revision by one and leaves one entry in the audit`() async throws {
        let before = revision
        let answer = try await service.move("trips.edit", "advance")
        #expect(answer.json["revision"]?.integer == before + 1)
        #expect(answer.json["changed"] == true)
        #expect(answer.json["route"]?["stage"] == "compatible")
        let audit = try await service.ask(.get, "/v1/audit?after=\(before)")
        let entries = try #require(audit.json["entries"]?.array)
        #expect(entries.count == 1)
        #expect(entries[0]["action"] == "route.advance")
        #expect(entries[0]["subject"] == "route/trips.edit")
        #expect(entries[0]["actor"] == "first-admin")
        #expect(entries[0]["reason"] == "test")
        #expect(entries[0]["before"]?["stage"] == "notStarted")
        #expect(entries[0]["after"]?["stage"] == "compatible")
    }

    @Test func `that many ask for at one revision is made by exactly one of them`() async throws {
        let before = revision
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<24 {
                group.addTask { [service] in
                    try await service.ask(
                        .patch, "/v1/flows/trips",
                        ["owner": .string("o\(number)"), "ifRevision": .integer(before), "reason": "test"])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        let refused = answers.filter { $0.status != 200 }
        #expect(refused.allSatisfy { $0.status == 409 && $0.code == "revision_changed" })
        #expect(refused.allSatisfy { $0.details == ["revision": .integer(before + 1), "epoch": 1] })
        #expect(revision == before + 1)
    }

    @Test func `for another revision is refused, tried or not, in the body or in the query`() async throws {
        try await service.startRollout(of: "trips.edit")
        let before = service.service.snapshot.configuration
        let edit: JSONObject = ["owner": "x", "reason": "test", "ifRevision": 1]
        for (method, path, body) in [
            (.patch, "/v1/routes/trips.edit", edit), (.delete, "/v1/cohorts/internal?reason=x&ifRevision=1", nil),
        ] as [(Method, String, JSONObject?)] {
            let answer = try await service.ask(method, path, body.map { .object($0) })
            #expect((answer.status, answer.code) == (409, "revision_changed"), "\(answer.json)")
        }
        let tried = try await service.move("trips.edit", "rollback", ["dryRun": true, "ifRevision": 1])
        #expect(tried.json["dryRun"] == true)
        let refused = try await service.ask(
            .post, "/v1/routes/trips.edit/advance", ["reason": "x", "dryRun": true, "ifRevision": 1])
        #expect((refused.status, refused.code) == (409, "revision_changed"))
        let document = try await service.ask(.get, "/v1/config/export").json
        let applied = try await service.ask(
            .post, "/v1/config/apply", ["document": document, "reason": "x", "ifRevision": 1])
        #expect((applied.status, applied.code) == (409, "revision_changed"))
        for body: JSONValue in [["ifEpoch": 1, "reason": "x"], ["ifRevision": "1", "reason": "x"]] {
            let answer = try await service.ask(.post, "/v1/routes/trips.edit/advance", body)
            #expect((answer.status, answer.code) == (400, "invalid_field"))
        }
        let query = try await service.ask(.delete, "/v1/cohorts/internal?reason=x&ifRevision=x")
        #expect((query.status, query.code) == (400, "invalid_query"))
        #expect(service.service.snapshot.configuration == before)
    }

    @Test(
        arguments: [
            "routes/trips.edit/rollback", "routes/trips.edit/hold", "flows/trips/rollback", "flows/trips/hold",
            "rollback", "hold", "flags/f/disable", "keys/ID/revoke", "routes/trips.detail/rehearse",
        ],
        [
            ["ifRevision": "41", "ifEpoch": [["x": true]]], ["ifEpoch": 1], ["ifRevision": 1, "ifEpoch": 2],
        ] as [JSONObject])
    func `that stops something is made whatever revision or query it names`(
        path: String, expected: JSONObject
    ) async throws {
        try await service.startRollout(of: "trips.edit")
        _ = try await service.move("trips.detail", "advance")
        let flag: JSONValue = ["state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "on"]
        _ = try await service.ask(.put, "/v1/flags/f", ["definition": flag, "reason": "test"])
        let key = try await service.ask(.post, "/v1/keys", ["kind": "app", "holder": "x", "reason": "test"])
        let id = try #require(key.json["key"]?["id"]?.string)
        let rehearsal: JSONValue = ["cohort": "internal", "reason": "test"]
        #expect(try await service.ask(.post, "/v1/routes/trips.detail/rehearse", rehearsal).status == 200)
        let path = path.replacing("ID", with: id)
        var body: JSONObject = ["reason": "test"]
        // The same call begins a rehearsal, so its query is read.
        let query = path.hasSuffix("rehearse") ? "" : "?ifRevision=1&ifRevision=2&reason=incident"
        if query.isEmpty { body["end"] = true }
        for (name, value) in expected.entries { body[name] = value }
        let answer = try await service.ask(.post, "/v1/\(path)\(query)", .object(body))
        #expect((answer.status, answer.json["changed"]) == (200, true), "\(answer.json)")
    }

    @Test(arguments: [
        "environment", "flows", "flows/trips", "routes", "routes/trips.edit", "routes/trips.edit/gates", "gates",
        "flags", "cohorts", "cohorts/internal", "builds", "builds/app:730", "overrides", "waivers",
        "routes/trips.edit/conditions", "status",
    ])
    func `is made at the revision that reading shows`(path: String) async throws {
        let shown = try await service.ask(.get, "/v1/\(path)").json
        let body: JSONObject = [
            "owner": "x", "reason": "test", "ifRevision": shown["revision"] ?? .null,
            "ifEpoch": shown["epoch"] ?? .null,
        ]
        #expect(shown["revision"]?.integer == revision && shown["epoch"] == 1)
        let answer = try await service.ask(.patch, "/v1/flows/trips", .object(body))
        #expect((answer.status, answer.json["changed"]) == (200, true))
    }

    @Test func `that repeats what holds is no change`() async throws {
        _ = try await service.move("trips.edit", "advance")
        _ = try await service.move("trips.edit", "rollback")
        let before = revision
        let answer = try await service.move("trips.edit", "rollback")
        #expect(answer.json["changed"] == false)
        #expect(revision == before)
    }

    @Test func `of a flag's state leaves nothing but the state in the audit`() async throws {
        let definition: JSONValue = ["state": "ENABLED", "variants": ["a": 1, "b": 2], "defaultVariant": "a"]
        _ = try await service.ask(.put, "/v1/flags/f", ["definition": definition, "reason": "test"])
        let before = revision
        _ = try await service.ask(.post, "/v1/flags/f/disable", ["reason": "test"])
        let entry = try await service.ask(.get, "/v1/audit?after=\(before)").json["entries"]?.array?.first
        #expect(entry?["before"] == ["state": "ENABLED"] && entry?["after"] == ["state": "DISABLED"])
        #expect(entry?["action"] == "flag.disable" && entry?["hash"]?.string?.count == 64)
    }

    @Test func `with more warnings than are listed stores a hundred and says that there are more`() async throws {
        let misused = JSONValue.array((0..<5_000).map { _ in ["starts_with": ["a"]] })
        let definition: JSONValue = [
            "state": "ENABLED", "variants": ["a": 1], "defaultVariant": "a", "targeting": ["or": misused],
        ]
        let answer = try await service.ask(.put, "/v1/flags/f", ["definition": definition, "reason": "test"])
        #expect(answer.status == 201)
        let warnings = try #require(answer.json["flag"]?["warnings"]?.array)
        #expect(warnings.count == 101)
        #expect(warnings.last == ["path": "", "code": "more_warnings"])
    }

    @Test func `of a flow moves all of its routes or none`() async throws {
        let answer = try await service.ask(.post, "/v1/flows/trips/advance", ["reason": "together"])
        #expect(answer.status == 200)
        #expect(answer.json["routes"]?.array?.map { $0["stage"] } == ["compatible", "compatible"])
        _ = try await service.move("trips.edit", "advance")
        let before = revision
        let refused = try await service.ask(
            .post, "/v1/flows/trips/island", ["reason": "x", "owner": "o", "reviewDate": "2028-01-01"])
        #expect((refused.status, refused.code) == (409, "illegal_move"))
        #expect(revision == before)
    }

    @Test func `that rolls everything back passes over what is already legacy`() async throws {
        try await service.startRollout(of: "trips.edit")
        let answer = try await service.ask(.post, "/v1/rollback", ["reason": "stop"])
        #expect(answer.status == 200)
        #expect(answer.json["routes"]?.array?.map { $0["status"] } == ["active", "rolledBack"])
    }

    @Test func `tried as a dry run says what would be, and changes nothing`() async throws {
        try await service.startRollout(of: "trips.edit")
        let before = service.service.snapshot.configuration
        let answer = try await service.move("trips.edit", "advance", ["dryRun": true])
        #expect(answer.json["dryRun"] == true)
        #expect(answer.json["route"]?["step"] == 2)
        #expect(answer.json["unitsChanged"] == ["toMigrated": 100_000, "toLegacy": 0, "of": 100_000])
        #expect(service.service.snapshot.configuration == before)
        #expect(try await service.ask(.get, "/v1/routes/trips.edit").json["step"] == 1)
    }

    @Test func `of a cohort tried as a dry run counts for every route that names it, also through another`()
        async throws
    {
        let plan: JSONValue = ["steps": [["cohort": "outer", "share": 100_000]]]
        for (cohort, rule) in [("inner", ["==": [1, 2]]), ("outer", ["!": [["!": [["$ref": "inner"]]]]])]
            as [(String, JSONValue)]
        {
            let put = try await service.ask(.put, "/v1/cohorts/\(cohort)", ["rule": rule, "reason": "test"])
            #expect(put.status == 201, "\(put.json)")
        }
        _ = try await service.ask(.patch, "/v1/routes/trips.edit", ["plan": plan, "reason": "test"])
        try await service.startRollout(of: "trips.edit")
        let before = service.service.snapshot.configuration
        let body: JSONValue = ["rule": ["==": [1, 1]], "reason": "test", "force": true, "dryRun": true]
        let tried = try await service.ask(.put, "/v1/cohorts/inner", body)
        #expect(tried.json["unitsChanged"] == ["toMigrated": 100_000, "toLegacy": 0, "of": 100_000])
        let refused = try await service.ask(.put, "/v1/cohorts/inner", ["rule": ["==": [1, 1]], "reason": "test"])
        #expect((refused.status, refused.code) == (409, "cohort_in_ladder"))
        let used = try await service.ask(.delete, "/v1/cohorts/inner?reason=x&dryRun=true")
        #expect((used.status, used.code) == (409, "cohort_in_use"))
        #expect(service.service.snapshot.configuration == before)
        _ = try await service.ask(.put, "/v1/cohorts/spare", ["rule": ["==": [1, 1]], "reason": "test"])
        let spared = try await service.ask(.delete, "/v1/cohorts/spare?reason=x&dryRun=true")
        #expect((spared.status, spared.json["dryRun"]) == (200, true))
        #expect(service.service.snapshot.configuration.cohorts["spare"] != nil)
    }

    @Test(
        arguments: [
            ("  moved  ", 200, nil), (String(repeating: "x", count: 500), 200, nil),
            (String(repeating: "x", count: 501), 400, "invalid_field"),
            ("e" + String(repeating: "\u{301}", count: 500), 400, "invalid_field"),
            ("\n\t ", 400, "reason_required"), ("\u{200B}\u{FEFF}\u{2060} \u{7}", 400, "reason_required"),
        ] as [(String, Int, String?)])
    func `has a reason of 1 to 500 characters`(reason: String, status: Int, code: String?) async throws {
        let answer = try await service.ask(.post, "/v1/routes/trips.edit/advance", ["reason": .string(reason)])
        #expect((answer.status, answer.code) == (status, code))
        guard status == 200 else { return }
        let entry = try await service.ask(.get, "/v1/audit?after=\(revision - 1)").json["entries"]?.array?.last
        #expect(entry?["reason"]?.string == (reason.hasPrefix(" ") ? "moved" : reason))
    }

    @Test func `that a gate refuses lists every gate and what would make it pass`() async throws {
        _ = try await service.ask(.post, "/v1/routes", ["key": "trips.new", "flow": "trips", "reason": "test"])
        let answer = try await service.ask(.post, "/v1/routes/trips.new/advance", ["reason": "test"])
        #expect((answer.status, answer.code) == (409, "gate_not_met"))
        let gates = try #require(answer.details["gates"]?.array)
        #expect(gates.contains { $0["verdict"] == "fail" && $0["isHard"] == true })
        for gate in gates { #expect(gate["remedy"]?.string?.isEmpty == false, "\(gate)") }
        let shown = try await service.ask(.get, "/v1/routes/trips.new/gates")
        #expect(shown.json["gates"] == answer.details["gates"])
        #expect(shown.json["status"] == "active")
    }

    @Test func `that would delete legacy is refused while older builds hold journeys on it`() async throws {
        try await service.startRollout(of: "trips.edit")
        _ = try await service.start(1, ["build": "app:720"])
        _ = try await service.move("trips.edit", "advance")
        _ = try await service.move("trips.edit", "advance")
        _ = try await service.move("trips.edit", "advance", ["force": true])
        _ = try await service.ask(
            .put, "/v1/builds/app:740", ["version": "8", "renderers": ["trips.edit": ["migrated"]], "reason": "test"])
        let refused = try await service.ask(.post, "/v1/routes/trips.edit/advance", ["force": true, "reason": "test"])
        #expect((refused.status, refused.code) == (409, "gate_not_met"))
        let shown = try await service.ask(.get, "/v1/routes/trips.edit/gates").json["gates"]?.array
        #expect(shown?.first { $0["name"] == "livePins" }?["verdict"] == "fail")
        #expect(try await service.ask(.get, "/v1/routes/trips.edit").json["next"]?["gates"]?.array == shown)
        service.pass(milliseconds: 86_400_001)
        let old = try await service.ask(.get, "/v1/routes/trips.edit/gates").json["gates"]?.array
        #expect(old?.contains { $0["name"] == "oldBuilds" && $0["verdict"] == "fail" } == true)
        service.pass(milliseconds: 31 * 86_400_000)
        #expect(try await service.move("trips.edit", "advance").json["route"]?["stage"] == "oldDeleted")
    }

    @Test func `is found in the audit by its subject and from the end`() async throws {
        _ = try await service.ask(.post, "/v1/routes/trips.edit/advance", ["reason": "first"])
        _ = try await service.ask(.post, "/v1/routes/trips.detail/advance", ["reason": "second"])
        func reasons(_ query: String) async throws -> [String?] {
            let answer = try await service.ask(.get, "/v1/audit?\(query)")
            return answer.json["entries"]?.array?.map { $0["reason"]?.string } ?? []
        }
        #expect(try await reasons("last=2") == ["first", "second"])
        #expect(try await reasons("last=1&subject=route/trips.edit") == ["first"])
        #expect(try await reasons("limit=1000&subject=route/trips.detail").last == "second")
        #expect(try await reasons("last=5&subject=route/nowhere") == [])
    }

    @Test func `by somebody else in between is seen by the next one`() async throws {
        let service = service
        _ = try await service.ask(
            .delete, "/v1/routes/trips.edit/waivers?gate=stopConditions&move=defaultNew&reason=test")
        let before = revision
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await service.ask(
                        .post, "/v1/routes/trips.edit/advance", ["reason": "race", "force": true]
                    ).status
                }
            }
            var statuses: [Int: Int] = [:]
            for try await status in group { statuses[status, default: 0] += 1 }
            // notStarted → compatible → step 1 → step 2; then no force passes what is not judged.
            #expect(statuses == [200: 3, 409: 17])
        }
        #expect(revision == before + 3)
        #expect(service.service.snapshot.configuration.routes["trips.edit"]?.step == 2)
    }
}

@Suite struct `A service that is opened again` {
    @Test func `is ready at the revision that it had, and opens to the same key`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        let first = try await service.start(1)
        let before = try await service.ask(.get, "/readyz", key: .some(nil))
        #expect((before.status, before.json["ready"]) == (200, true))
        service.service.close()
        let again = try TestService(reopening: service)
        let after = try await again.ask(.get, "/readyz", key: .some(nil))
        #expect(after.json == before.json)
        #expect(try await again.start(1).json == first.json)
        #expect(try await again.ask(.get, "/v1/audit/verify").json["fault"] == .null)
        #expect(try await again.ask(.get, "/healthz", key: .some(nil)).status == 200)
    }
}

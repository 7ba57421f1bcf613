import FlagEvaluation
import HTTPServer
import Parity
import Rollouts
import RouteContract
import Storage
import Testing

@testable import SignalboxServer

/// A recording that agrees with the others unless a test changes it.
private func recording(
    _ renderer: Renderer, run: Int64 = 1, contract: String, flow: String = "trips", build: String = "730",
    size: String = "default", label: String = "Name", end: Bool = true, samples: Double = 10
) -> String {
    var recorder = ParityRecorder(
        ParityHeader(
            flow: flow, scenario: "rename", renderer: renderer, run: run, contract: contract, app: "app", build: build,
            os: "17.5", device: "iPhone12,8", locale: "de", contentSize: size, recorder: "tests/1", seed: 1))
    recorder.event("saved", step: "save", props: ["length": 6])
    recorder.element("name", label: label, traits: ["header"], actions: ["activate"])
    recorder.state(from: "shown", to: "saved")
    recorder.entry(via: .deepLink, input: "/trips/7/edit", result: ["key": "trips.edit"])
    recorder.samples(of: "open", unit: "ms", (0..<20).map { samples + Double($0 % 3) })
    let text = String(decoding: recorder.recording, as: UTF8.self)
    return end
        ? text : String(text.split(separator: "\n", omittingEmptySubsequences: true).dropLast().joined(separator: "\n"))
}

@Suite struct `Evidence over HTTP` {
    let service: TestService
    private let contract: String

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        contract = try #require(
            try await service.ask(.get, "/v1/routes/trips.edit").json["contractHash"]?.string)
    }

    private func push(_ kind: String, _ artefact: JSONValue, _ more: JSONObject = [:]) async throws -> Answer {
        try await push(kind, text: artefact.jsonText, more)
    }

    private func push(_ kind: String, text: String, _ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = [
            "kind": .string(kind), "build": "app:730", "artefact": .string(text), "producer": "CI", "reason": "test",
        ]
        for (name, value) in more.entries { body[name] = value }
        return try await service.ask(.post, "/v1/routes/trips.edit/evidence", .object(body))
    }

    private func parity(
        _ sizes: [String] = ["default", "largest"], label: String = "Name", control: String = "Name",
        contract: String? = nil, more: JSONObject = [:]
    ) -> JSONValue {
        let contract = contract ?? self.contract
        let runs = sizes.map { size -> JSONValue in
            [
                "legacy": .string(recording(.legacy, contract: contract, size: size)),
                "control": .string(recording(.legacy, run: 2, contract: contract, size: size, label: control)),
                "migrated": .string(recording(.migrated, contract: contract, size: size, label: label)),
            ]
        }
        var artefact: JSONObject = ["kind": "parity", "runs": .array(runs)]
        for (name, value) in more.entries { artefact[name] = value }
        return .object(artefact)
    }

    private func gate(_ name: String) async throws -> JSONValue? {
        try await service.ask(.get, "/v1/routes/trips.edit/gates").json["gates"]?.array?.first {
            $0["name"] == .string(name)
        }
    }

    @Test func `of parity opens its gate, with an audit entry and no revision`() async throws {
        _ = try await service.move("trips.edit", "advance", ["force": false])
        #expect(try await gate("parity")?["verdict"] == "fail")
        let before = service.service.snapshot.configuration.revision
        let answer = try await push("parity", parity())
        #expect(answer.status == 201, "\(answer.json)")
        let item = answer.json["evidence"]
        #expect(item?["finding"]?["verdict"] == "pass" && item?["holds"] == true)
        #expect(item?["contract"] == .string(contract) && item?["producer"] == "CI")
        #expect(try await gate("parity")?["verdict"] == "pass")
        #expect(service.service.snapshot.configuration.revision == before)
        let entry = try await service.ask(.get, "/v1/audit?last=1").json["entries"]?.array?.first
        #expect(entry?["action"] == "evidence.push" && entry?["revision"]?.integer == before)
        #expect(entry?["after"]?["id"] == item?["id"])
        #expect(try await service.ask(.get, "/v1/audit/verify").json["fault"] == .null)
        let moved = try await service.move("trips.edit", "advance")
        #expect(moved.json["revision"]?.integer == before + 1)
        #expect(moved.json["route"]?["forcedMove"]?["gates"] == ["rehearsal"])
    }

    @Test func `that is pushed again is a repeat, and answers what stands`() async throws {
        let first = try await push("parity", parity())
        let second = try await push("parity", parity())
        #expect(second.status == 200 && second.json == first.json)
        let listed = try await service.ask(.get, "/v1/evidence?route=trips.edit").json["evidence"]?.array
        #expect(listed?.count == 1)
        service.pass(milliseconds: 90 * 86_400_000)
        let third = try await push("parity", parity())
        #expect(third.status == 201, "what has ended says nothing")
    }

    @Test func `is judged by the service, whatever its producer says`() async throws {
        let worse = try await push("parity", parity(label: "Title"))
        #expect(worse.status == 201 && worse.json["evidence"]?["finding"]?["verdict"] == "fail")
        #expect(worse.json["evidence"]?["finding"]?["reasons"]?.array?.isEmpty == false)
        let unsteady = try await push("parity", parity(control: "Other"))
        #expect(unsteady.json["evidence"]?["finding"]?["verdict"] == "inconclusive", "legacy against legacy first")
        let claimed = try await push("parity", parity(more: ["verdict": "pass"]))
        #expect((claimed.status, claimed.code) == (400, "artefact_invalid"))
    }

    @Test(
        arguments: [
            ("entryPoints", ["entryPoints": [["kind": "deepLink", "source": "app://trips"]]], "pass"),
            ("entryPoints", ["entryPoints": [["kind": "inApp", "source": "home"]]], "fail"),
            ("restorationFixtures", ["fixtures": [["release": "7.3", "fixture": "a.json", "decodes": true]]], "pass"),
            ("restorationFixtures", ["fixtures": [["release": "7.3", "fixture": "a.json", "decodes": false]]], "fail"),
            ("accessibilityAudit", ["defects": [["id": "A1", "severity": 1, "open": false]]], "pass"),
            ("accessibilityAudit", ["defects": [["id": "A1", "severity": 2, "open": true]]], "pass"),
            ("accessibilityAudit", ["defects": [["id": "A1", "severity": 1, "open": true]]], "fail"),
        ] as [(String, JSONObject, String)])
    func `of a list is recomputed from the list`(kind: String, members: JSONObject, verdict: String) async throws {
        var artefact = members
        artefact["kind"] = .string(kind)
        let answer = try await push(kind, .object(artefact))
        #expect(answer.json["evidence"]?["finding"]?["verdict"]?.string == verdict, "\(answer.json)")
    }

    @Test func `that would have to be remembered in large is refused`() async throws {
        let sources = (0..<1_000).map { number -> JSONValue in
            ["kind": "inApp", "source": .string("\(number)" + String(repeating: "x", count: 900))]
        }
        let answer = try await push("entryPoints", ["kind": "entryPoints", "entryPoints": .array(sources)])
        #expect((answer.status, answer.code) == (400, "artefact_invalid"))
    }

    @Test func `of code is of the commit that its build was made from`() async throws {
        _ = try await service.ask(
            .put, "/v1/builds/app:740",
            ["version": "8", "commit": "c0ffee", "renderers": ["trips.edit": ["migrated"]], "reason": "test"])
        func scan(_ commit: String, _ references: JSONValue) async throws -> Answer {
            try await push(
                "codeReferences",
                [
                    "kind": "codeReferences", "commit": .string(commit), "references": references, "dirty": false,
                    "keys": ["trips.edit"],
                ],
                ["build": "app:740"])
        }
        let found: JSONValue = [["file": "a.swift", "line": 3, "kind": "symbol", "symbol": "OldTrip"]]
        #expect(try await scan("c0ffee", []).json["evidence"]?["finding"]?["verdict"] == "pass")
        #expect(try await scan("c0ffee", found).json["evidence"]?["finding"]?["verdict"] == "fail")
        #expect(try await scan("another", []).code == "artefact_invalid")
    }

    @Test(
        arguments: [
            ([:], "pass"), (["dirty": true], "inconclusive"), (["dirty": nil], "inconclusive"),
            (["unreadableTotal": 1], "inconclusive"), (["folder": "Sources"], "inconclusive"),
            (["symbols": []], "inconclusive"), (["symbols": nil, "keys": nil], "inconclusive"),
            (["total": 1], "fail"), (["dirty": true, "total": 1], "fail"),
        ] as [(JSONObject, String)])
    func `of code that was not looked through shows nothing`(members: JSONObject, verdict: String) async throws {
        _ = try await service.ask(
            .put, "/v1/builds/app:740",
            ["version": "8", "commit": "c0ffee", "renderers": ["trips.edit": ["migrated"]], "reason": "test"])
        _ = try await service.ask(
            .patch, "/v1/routes/trips.edit", ["legacySymbols": ["TripEditController"], "reason": "test"])
        let comment: JSONValue = ["file": "a.swift", "line": 3, "kind": "comment", "symbol": "TripEditController"]
        var artefact: JSONObject = [
            "kind": "codeReferences", "commit": "c0ffee", "references": [comment], "dirty": false, "folder": "",
            "keys": ["trips.edit"], "symbols": ["TripEditController"],
        ]
        for (name, value) in members.entries { artefact[name] = value }
        let answer = try await push("codeReferences", .object(artefact), ["build": "app:740"])
        #expect(answer.json["evidence"]?["finding"]?["verdict"]?.string == verdict, "\(answer.json)")
    }

    @Test func `of performance is judged by the samples, on one class of device`() async throws {
        func push(_ milliseconds: Double, tier: String = "low") async throws -> JSONValue? {
            let run: JSONValue = [
                "legacy": .string(recording(.legacy, contract: contract, samples: 100)),
                "control": .string(recording(.legacy, run: 2, contract: contract, samples: 100)),
                "migrated": .string(recording(.migrated, contract: contract, label: "Other", samples: milliseconds)),
            ]
            let answer = try await self.push(
                "performance", ["kind": "performance", "deviceTier": .string(tier), "runs": [run]])
            return answer.json["evidence"]?["finding"]?["verdict"]
        }
        #expect(try await push(100) == "pass", "another label is not its business")
        #expect(try await push(200) == "fail")
    }

    @Test func `that cannot be what its kind says is refused, and nothing is stored`() async throws {
        let audit = try await service.ask(.get, "/v1/audit?limit=1000").json
        func run(_ legacy: String, _ migrated: String) -> JSONValue {
            let control = recording(.legacy, run: 2, contract: contract)
            return [
                "kind": "parity",
                "runs": [["legacy": .string(legacy), "control": .string(control), "migrated": .string(migrated)]],
            ]
        }
        let migrated = recording(.migrated, contract: contract)
        let refused: [(String, String, JSONObject, Int, String)] = [
            ("parity", "{\"kind\": \"parity\", ", [:], 400, "artefact_invalid"),
            ("parity", "[]", [:], 400, "artefact_invalid"),
            ("codeReferences", "{\"kind\": \"codeReferences\", \"commit\": 1}", [:], 400, "artefact_invalid"),
            ("parity", "{\"kind\": \"performance\", \"runs\": []}", [:], 400, "artefact_invalid"),
            ("parity", "{\"kind\": \"parity\", \"runs\": []}", [:], 400, "artefact_invalid"),
            (
                "parity", run(recording(.legacy, contract: contract, end: false), migrated).jsonText, [:], 400,
                "artefact_invalid"
            ),
            ("parity", run("nothing", migrated).jsonText, [:], 400, "artefact_invalid"),
            (
                "parity",
                run(
                    recording(.legacy, contract: contract, flow: "orders"),
                    recording(.migrated, contract: contract, flow: "orders")
                ).jsonText, [:], 400, "artefact_invalid"
            ),
            ("parity", parity(contract: "older").jsonText, [:], 409, "contract_mismatch"),
            ("parity", parity().jsonText, ["contract": "older"], 409, "contract_mismatch"),
            ("parity", parity().jsonText, ["build": "app:1"], 404, "build_not_found"),
            ("parity", parity().jsonText, ["build": "app:720"], 400, "invalid_field"),
            ("parity", parity().jsonText, ["build": "app"], 400, "invalid_field"),
            ("parity", parity().jsonText, ["reason": " "], 400, "reason_required"),
            ("parity", parity().jsonText, ["expiresAt": .integer(service.now)], 400, "invalid_field"),
            ("parity", parity().jsonText, ["expiresAt": .integer(service.now + 91 * 86_400_000)], 400, "invalid_field"),
            ("parity", parity().jsonText, ["verdict": "pass"], 400, "unknown_field"),
            ("mood", "{}", [:], 400, "invalid_field"),
            ("rehearsal", "{\"kind\": \"rehearsal\"}", [:], 400, "artefact_invalid"),
            ("parity", String(repeating: " ", count: 1 << 20) + "{}", [:], 413, "artefact_too_large"),
            (
                "restorationFixtures", "{\"kind\": \"restorationFixtures\", \"fixtures\": []}", [:], 400,
                "artefact_invalid"
            ),
        ]
        for (kind, text, more, status, code) in refused {
            let answer = try await push(kind, text: text, more)
            #expect(
                (answer.status, answer.code) == (status, code), "\(kind) \(text.prefix(80)) \(more): \(answer.json)")
            #expect(answer.json["error"]?["message"]?.string?.hasSuffix("..") == false, "\(answer.json)")
        }
        let other = try await service.ask(
            .post, "/v1/routes/nowhere/evidence",
            ["kind": "parity", "build": "app:730", "artefact": .string(parity().jsonText), "reason": "test"])
        #expect((other.status, other.code) == (404, "route_not_found"))
        #expect(try await service.ask(.get, "/v1/audit?limit=1000").json == audit)
        #expect(try await service.ask(.get, "/v1/evidence").json["evidence"] == [])
    }

    @Test func `counts no more when the contract has changed`() async throws {
        _ = try await service.move("trips.edit", "advance")
        _ = try await push("parity", parity())
        let contract: JSONValue = ["schemaVersion": 2, "payload": ["id": "string"], "outcomes": ["saved"]]
        _ = try await service.ask(.patch, "/v1/routes/trips.edit", ["contract": contract, "reason": "test"])
        #expect(try await gate("parity")?["reason"] == "the evidence is of another contract")
    }

    @Test func `is listed in pages and shown with its artefact`() async throws {
        for size in ["default", "largest"] {
            _ = try await push("parity", parity([size]))
            service.pass(milliseconds: 1)
        }
        let newest = try await service.ask(.get, "/v1/evidence?limit=1&kind=parity").json["evidence"]?.array?.first
        let id = try #require(newest?["id"]?.string)
        let older = try await service.ask(.get, "/v1/evidence?limit=1&before=\(id)").json["evidence"]?.array
        #expect(older?.count == 1 && older?.first != newest)
        let shown = try await service.ask(.get, "/v1/evidence/\(id)?artefact=true").json
        #expect(shown["evidence"] == newest)
        #expect(shown["artefact"]?.string == parity(["largest"]).jsonText)
        #expect(try await service.ask(.get, "/v1/evidence/none").code == "evidence_not_found")
        for query in ["kind=mood", "limit=0", "limit=501"] {
            #expect(try await service.ask(.get, "/v1/evidence?\(query)").code == "invalid_query")
        }
    }

    @Test func `is there after the service was opened again`() async throws {
        _ = try await service.move("trips.edit", "advance")
        _ = try await push("parity", parity())
        let gates = try await service.ask(.get, "/v1/routes/trips.edit/gates").json
        service.service.close()
        let again = try TestService(reopening: service)
        #expect(try await again.ask(.get, "/v1/routes/trips.edit/gates").json == gates)
        #expect(try await again.ask(.get, "/v1/audit/verify").json["fault"] == .null)
    }

    @Test func `that is damaged is told by the service, which starts all the same, and moves nothing`() async throws {
        _ = try await service.move("trips.edit", "advance")
        _ = try await push("parity", parity())
        #expect(try await gate("parity")?["verdict"] == "pass")
        service.service.close()
        try service.otherConnection().run("DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET checksum = 1")
        let again = try TestService(reopening: service)
        #expect(again.lines.contains { $0.hasPrefix("evidence_damaged: 1 ") }, "\(again.lines)")
        let gates = try await again.ask(.get, "/v1/routes/trips.edit/gates").json["gates"]?.array ?? []
        #expect(gates.first { $0["name"] == "parity" }?["reason"] == "the newest evidence is damaged")
        let checks = try await again.ask(.get, "/v1/doctor").json["checks"]?.array ?? []
        #expect(checks.first { $0["name"] == "evidence" }?["verdict"] == "fault")
        #expect(try await again.ask(.get, "/v1/evidence").json["evidence"] == [])
        let metrics = String(decoding: try await again.ask(.get, "/metrics").response.body, as: UTF8.self)
        #expect(metrics.contains("\nsignalbox_evidence_damaged 1\n"))
    }

    @Test func `of a rehearsal is made by the service alone`() async throws {
        _ = try await service.move("trips.edit", "advance")
        let route = try service.service.snapshot.configuration.route("trips.edit")
        let recorded = await withCheckedContinuation { done in
            service.service.recordRehearsal(
                of: route, in: BuildID(app: "app", number: 730), ["p50Milliseconds": 40],
                finding: EvidenceFinding(.pass), at: service.now
            ) { done.resume(returning: $0.value) }
        }
        #expect(recorded?.item.kind == .rehearsal)
        #expect(try await gate("rehearsal")?["verdict"] == "pass")
    }

    @Test func `of a contract that is replaced in mid-rollout counts no more, which the change and the route say`()
        async throws
    {
        try await service.startRollout(of: "trips.edit")
        #expect(try await push("parity", parity()).status == 201)
        let shown = try await service.ask(.get, "/v1/routes/trips.edit").json
        #expect(shown["evidenceOfOtherContracts"] == nil)
        var contract = try #require(shown["contract"]?.object)
        contract["schemaVersion"] = 7
        let edit: JSONValue = ["contract": .object(contract), "reason": "test"]
        let told: JSONValue = [["code": "contract_changed", "route": "trips.edit"]]
        var document = try #require(try await service.ask(.get, "/v1/config/export").json.object)
        var routes = document["routes"]?.object ?? [:]
        var route = routes["trips.edit"]?.object ?? [:]
        route["contract"] = .object(contract)
        routes["trips.edit"] = .object(route)
        document["routes"] = .object(routes)
        let tried = try await service.ask(
            .post, "/v1/config/apply", ["document": .object(document), "dryRun": true, "reason": "test"])
        #expect(tried.json["warnings"] == told)
        #expect(try await service.ask(.patch, "/v1/routes/trips.edit", edit).json["warnings"] == told)
        #expect(
            try await service.ask(.get, "/v1/routes/trips.edit").json["evidenceOfOtherContracts"] == ["parity"])
        let other: JSONValue = ["owner": "x", "reason": "test"]
        #expect(try await service.ask(.patch, "/v1/routes/trips.edit", other).json["warnings"] == [])
        // Nobody has been moved on evidence of it yet.
        #expect(try await service.ask(.patch, "/v1/routes/trips.detail", edit).json["warnings"] == [])
    }

    @Test func `is told for all routes at once, as for each`() async throws {
        let all = try await service.ask(.get, "/v1/gates").json["routes"]?.array ?? []
        #expect(all.map { $0["route"] } == ["trips.detail", "trips.edit"])
        for route in all {
            var one = try await service.ask(.get, "/v1/routes/\(route["route"]?.string ?? "")/gates").json.object
            one?["epoch"] = nil
            one?["revision"] = nil
            #expect(one == route.object)
        }
    }
}

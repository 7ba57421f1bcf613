import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `A child journey` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    private func child(_ number: UInt64, of parent: UInt64, _ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = ["parent": .string(service.journeyID(parent)), "unit": .string("u-\(parent)")]
        for (name, value) in more.entries { body[name] = value }
        return try await service.start(number, body)
    }

    @Test func `has what its parent has, whatever a new journey would get`() async throws {
        let parent = try await service.started(.migrated)
        _ = try await service.move("trips.edit", "rollback")
        let answer = try await child(500, of: parent)
        #expect(answer.status == 201 && answer.json["parent"] == .string(service.journeyID(parent)))
        #expect(answer.json["choices"]?["trips.edit"] == ["renderer": "migrated", "reason": "pinned"])
        let again = try await child(500, of: parent)
        #expect((again.status, again.json) == (200, answer.json))
        let old = try await child(501, of: parent, ["build": "app:720"])
        #expect(old.json["choices"]?["trips.edit"]?["reason"] == "pinnedRendererUnavailable")
    }

    @Test func `begins all the same when its parent is unknown, ended or somebody else's`() async throws {
        let parent = try await service.started(.migrated)
        _ = try await service.move("trips.edit", "rollback")
        let fresh: JSONValue = ["renderer": "legacy", "reason": "rolledBack"]
        let unknown = try await child(500, of: 9_999)
        #expect((unknown.status, unknown.json["choices"]?["trips.edit"]) == (201, fresh))
        let stranger = try await child(501, of: parent, ["unit": "somebody-else"])
        #expect((stranger.status, stranger.json["choices"]?["trips.edit"]) == (201, fresh))
        _ = try await service.ask(
            .post, "/v1/journeys/\(service.journeyID(parent))/outcome", ["status": "cancelled"])
        let late = try await child(502, of: parent)
        #expect((late.status, late.json["choices"]?["trips.edit"]) == (201, fresh))
    }

    @Test func `does not inherit what a rollback tells its parent to leave`() async throws {
        let parent = try await service.started(.migrated)
        _ = try await service.move("trips.edit", "rollback", ["level": "repin-on-resume"])
        #expect(try await child(500, of: parent).json["choices"]?["trips.edit"]?["reason"] == "rolledBack")
    }

    @Test func `is another journey with another parent, or without`() async throws {
        let parent = try await service.started(.migrated)
        _ = try await child(500, of: parent)
        for more in [["parent": .string(service.journeyID(700))], ["parent": .null]] as [JSONObject] {
            let answer = try await child(500, of: parent, more)
            #expect((answer.status, answer.code) == (409, "journey_mismatch"))
        }
        let own = try await child(600, of: parent, ["parent": .string(service.journeyID(600))])
        #expect((own.status, own.code) == (400, "invalid_field"))
    }

    @Test func `stands in a line of eight at the most`() async throws {
        _ = try await service.start(1)
        var codes: [Int] = []
        for number in 2...10 as ClosedRange<UInt64> {
            codes.append(
                try await service.start(
                    number, ["parent": .string(service.journeyID(number - 1)), "unit": "u-1"]
                ).status)
        }
        #expect(codes == [201, 201, 201, 201, 201, 201, 201, 409, 201])
    }

    @Test func `may come in the same request as its parent`() async throws {
        let parent = try await service.started(.migrated)
        let body = service.startBody(parent).object ?? [:]
        var first = body
        first["id"] = .string(service.journeyID(800))
        var second = body
        second["id"] = .string(service.journeyID(801))
        second["parent"] = .string(service.journeyID(800))
        second["context"] = [:]
        let answer = try await service.ask(
            .post, "/v1/journeys/batch", ["journeys": .array([.object(first), .object(second)])])
        let choices = answer.json["journeys"]?.array?.map { $0["journey"]?["choices"]?["trips.edit"]?["renderer"] }
        #expect(choices == ["migrated", "migrated"])
    }
}

@Suite struct `What a device decided offline` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    /// What the service itself gives that unit now, as the device would have decided it.
    private func decided(_ number: UInt64, _ more: JSONObject = [:]) async throws -> JSONObject {
        let answer = try await service.start(number + 5_000, ["unit": .string("u-\(number)")])
        var decided: JSONObject = [
            "epoch": answer.json["epoch"] ?? .null, "revision": answer.json["revision"] ?? .null,
            "choices": answer.json["choices"] ?? .null,
        ]
        for (name, value) in more.entries { decided[name] = value }
        return decided
    }

    @Test func `is stored as it was sent when the service comes to the same`() async throws {
        let number = try await service.started(.migrated, from: 100)
        let told = try await decided(number)
        let answer = try await service.start(1_000, ["unit": .string("u-\(number)"), "decided": .object(told)])
        #expect(answer.status == 201 && answer.json["pinned"] == true && answer.json["origin"] == "decided")
        #expect(answer.json["choices"] == told["choices"] && answer.json["revision"] == told["revision"])
        let again = try await service.start(1_000, ["unit": .string("u-\(number)"), "decided": .object(told)])
        #expect((again.status, again.json) == (200, answer.json))
    }

    @Test func `by an earlier revision is compared with that one`() async throws {
        let number = try await service.started(.migrated, from: 100)
        let told = try await decided(number)
        _ = try await service.move("trips.edit", "rollback")
        _ = try await service.ask(.patch, "/v1/environment", ["unknownBuild": "trust", "reason": "test"])
        for id: UInt64 in [1_000, 1_001] {
            let answer = try await service.start(id, ["unit": .string("u-\(number)"), "decided": .object(told)])
            #expect(answer.json["origin"] == "decided" && answer.json["choices"] == told["choices"])
        }
        var later = told
        later["revision"] = .integer(service.service.snapshot.configuration.revision)
        let answer = try await service.start(1_002, ["unit": .string("u-\(number)"), "decided": .object(later)])
        #expect(answer.json["origin"] == "unverified" && answer.json["choices"] == told["choices"])
    }

    private static let legacy: JSONValue = ["renderer": "legacy", "reason": "stage"]

    @Test func `is unverified when it cannot be followed, and is pinned all the same`() async throws {
        let number = try await service.started(.legacy, from: 100)
        let lie: JSONValue = ["trips.edit": ["renderer": "migrated", "reason": "cohort"], "trips.detail": Self.legacy]
        let revision = service.service.snapshot.configuration.revision
        let rows: [JSONObject] = [
            ["choices": lie], ["epoch": 0, "revision": 0], ["revision": .integer(revision + 1)], ["epoch": 7],
            ["choices": ["trips.edit": Self.legacy]], ["choices": [:]],
        ]
        for (index, row) in rows.enumerated() {
            let told = try await decided(number, row)
            let answer = try await service.start(
                2_000 + UInt64(index), ["unit": .string("u-\(number)"), "decided": .object(told)])
            #expect((answer.status, answer.json["origin"]) == (201, "unverified"), "\(row)")
            #expect(answer.json["choices"] == told["choices"] && answer.json["epoch"] == told["epoch"], "\(row)")
        }
        let view = try await service.ask(.get, "/v1/routes/trips.detail/journeys")
        #expect(view.json["unverified"] == 4, "one has no choice for that route, one no choice at all")
        let metrics = String(decoding: try await service.ask(.get, "/metrics").response.body, as: UTF8.self)
        #expect(metrics.contains("signalbox_journeys_decided_total{origin=\"unverified\"} 6"))
    }

    @Test func `never holds a renderer that its build lacks, or a route that is none`() async throws {
        let told: JSONValue = [
            "epoch": 1, "revision": 1,
            "choices": [
                "trips.edit": ["renderer": "migrated", "reason": "cohort"], "trips.detail": Self.legacy,
                "trips.none": Self.legacy,
            ],
        ]
        let answer = try await service.start(1, ["build": "app:720", "decided": told])
        #expect(answer.json["origin"] == "unverified" && answer.json["conflict"] == true)
        #expect(
            answer.json["choices"] == [
                "trips.detail": Self.legacy,
                "trips.edit": ["renderer": "legacy", "reason": "pinnedRendererUnavailable"],
            ])
    }

    @Test func `beside another pin is told so, and may be reported`() async throws {
        let number = try await service.started(.migrated, from: 100)
        let told: JSONValue = [
            "epoch": 1, "revision": 1, "choices": ["trips.edit": Self.legacy, "trips.detail": Self.legacy],
        ]
        let first = try await service.start(number)
        let answer = try await service.start(number, ["decided": told])
        #expect(answer.status == 200 && answer.json["conflict"] == true)
        #expect(answer.json["choices"] == first.json["choices"])
        let path = "/v1/journeys/\(service.journeyID(number))/conflict"
        for shown in ["legacy", "migrated"] {
            let report = try await service.ask(.post, path, ["choices": ["trips.edit": .string(shown)]])
            #expect(report.status == 200 && report.json["conflict"]?["choices"] == ["trips.edit": "legacy"])
        }
        #expect(try await service.start(number).json == first.json)
        let view = try await service.ask(.get, "/v1/routes/trips.edit/journeys")
        #expect(view.json["conflicts"] == 1)
        let explained = try await service.ask(.post, "/v1/journeys/\(service.journeyID(number))/explain", [:])
        #expect(explained.json["conflict"]?["segment"] == 1)
    }

    @Test func `beside another pin is reported for its own routes and no others`() async throws {
        let number = try await service.started(.migrated, from: 100)
        let path = "/v1/journeys/\(service.journeyID(number))/conflict"
        let foreign = try await service.ask(
            .post, path, ["choices": ["orders.detail": "legacy", "nowhere": "migrated"]])
        #expect(foreign.status == 200 && foreign.json["conflict"] == .null)
        let report = try await service.ask(.post, path, ["choices": ["trips.edit": "legacy", "nowhere": "migrated"]])
        #expect(report.json["conflict"]?["choices"] == ["trips.edit": "legacy"])
    }

    @Test(
        arguments: [
            [:], ["choices": [:]], ["choices": ["trips.edit": "modern"]], ["choices": ["a b": "legacy"]],
            ["choices": ["a": "legacy"], "unit": "u-1"],
        ] as [JSONValue])
    func `is not reported with a body that says nothing`(body: JSONValue) async throws {
        _ = try await service.start(1)
        let answer = try await service.ask(.post, "/v1/journeys/\(service.journeyID(1))/conflict", body)
        #expect(answer.status == 400)
        let unknown = try await service.ask(
            .post, "/v1/journeys/\(service.journeyID(2))/conflict", ["choices": ["trips.edit": "legacy"]])
        #expect((unknown.status, unknown.code) == (404, "journey_not_found"))
    }

    @Test(
        arguments: [
            1, [:], ["epoch": 1, "revision": 1], ["epoch": -1, "revision": 1, "choices": [:]],
            ["epoch": 1, "revision": 1, "choices": [:], "more": 1],
            ["epoch": 1, "revision": 1, "choices": ["trips.edit": "legacy"]],
            ["epoch": 1, "revision": 1, "choices": ["trips.edit": ["renderer": "legacy", "reason": "mood"]]],
            ["epoch": 1, "revision": -9_223_372_036_854_775_808, "choices": [:]],
        ] as [JSONValue])
    func `is refused when it is not of that form`(decided: JSONValue) async throws {
        let answer = try await service.start(1, ["decided": decided])
        #expect(answer.status == 400, "\(answer.json)")
    }

    @Test func `by revisions that nobody has seen costs few of them to be made`() async throws {
        for _ in 1...40 {
            for unknown in ["legacy", "trust"] {
                _ = try await service.ask(
                    .patch, "/v1/environment", ["unknownBuild": .string(unknown), "reason": "test"])
            }
        }
        let number = try await service.started(.migrated, from: 100)
        let told = try await decided(number)
        let newest = service.service.snapshot.configuration.revision
        var origins: [JSONValue: Int] = [:]
        for back in 1...Int64(PastSnapshots.perMinute + 20) {
            var told = told
            told["revision"] = .integer(newest - back)
            let answer = try await service.start(
                3_000 + UInt64(back), ["unit": .string("u-\(number)"), "decided": .object(told)])
            origins[answer.json["origin"] ?? .null, default: 0] += 1
        }
        #expect(origins == ["decided": PastSnapshots.perMinute, "unverified": 20])
    }
}

@Suite struct `Journeys that drain` {
    @Test func `are shown by age and build, with the time at which the last may end`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        for (number, age) in [(UInt64(1), Int64(0)), (2, 2 * 3_600_000), (3, 7 * 3_600_000)] {
            _ = try await service.start(number, ["id": .string(service.journeyID(number, after: -age))])
        }
        let view = try await service.ask(.get, "/v1/routes/trips.edit/journeys")
        #expect(view.json["ages"]?["legacy"] == ["under1h": 1, "under6h": 1, "under24h": 1, "older": 0])
        #expect(view.json["lastEnds"] == ["legacy": .integer(service.now + 86_400_000), "migrated": .null])
        #expect(view.json["countedAt"] == .integer(service.now))
        #expect(view.json["builds"] == [["build": "app:730", "registered": true, "legacy": 3, "migrated": 0]])
    }

    @Test func `and builds are shown by their use`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        for number in 1...3 as ClosedRange<UInt64> { _ = try await service.start(number) }
        _ = try await service.start(4, ["build": "app:720"])
        _ = try await service.start(5, ["build": "app:999"])
        let list = try await service.ask(.get, "/v1/builds")
        let usage = try #require(list.json["usage"]?.array)
        #expect(usage.map { $0["build"] } == [.null, "app:720", "app:730"])
        #expect(usage.map { $0["share"] } == [0, 25_000, 75_000])
        #expect(usage.map { $0["last24h"] } == [1, 1, 3])
    }

    @Test func `end with a name of the contract, or with another that is counted`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        for (number, name, registered) in [(UInt64(1), "saved", JSONValue?.none), (2, "shared", false)] {
            _ = try await service.start(number)
            let answer = try await service.ask(
                .post, "/v1/journeys/\(service.journeyID(number))/outcome",
                ["status": "completed", "name": .string(name)])
            #expect(answer.status == 200 && answer.json["nameRegistered"] == registered)
        }
        let metrics = String(decoding: try await service.ask(.get, "/metrics").response.body, as: UTF8.self)
        #expect(metrics.contains("signalbox_journey_outcomes_unknown_total 1"))
    }
}

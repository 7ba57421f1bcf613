import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `A journey` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
    }

    @Test func `is answered with one choice a route of its flow, from one revision`() async throws {
        let answer = try await service.start(1)
        #expect(answer.status == 201)
        #expect(answer.json["pinned"] == true)
        #expect(answer.json["segment"] == 1)
        #expect(answer.json["outcome"] == .null)
        #expect(answer.json["revision"]?.integer == service.service.snapshot.configuration.revision)
        #expect(
            answer.json["choices"] == [
                "trips.detail": ["renderer": "legacy", "reason": "stage"],
                "trips.edit": ["renderer": "legacy", "reason": "stage"],
            ])
        #expect(answer.json["expiresAt"]?.integer == service.now + 86_400_000)
    }

    @Test func `asked again by its id gets the same answer, whatever has happened to its route`() async throws {
        let first = try await service.start(1)
        try await service.startRollout(of: "trips.edit")
        let again = try await service.start(1)
        #expect(again.status == 200)
        #expect(again.json == first.json)
        let read = try await service.ask(.get, "/v1/journeys/\(service.journeyID(1))")
        #expect(read.json == first.json)
    }

    @Test func `of a unit inside the step gets migrated, and legacy again after a rollback`() async throws {
        try await service.startRollout(of: "trips.edit")
        let unit = try await migratedUnit()
        let legacy = try await service.start(unit + 1000, ["unit": .string("u-\(unit)"), "context": [:]])
        #expect(legacy.json["choices"]?["trips.edit"] == ["renderer": "legacy", "reason": "share"])
        _ = try await service.move("trips.edit", "rollback")
        let next = try await service.start(unit + 2000, ["unit": .string("u-\(unit)")])
        #expect(next.json["choices"]?["trips.edit"] == ["renderer": "legacy", "reason": "rolledBack"])
    }

    @Test func `gets nothing that its build lacks`() async throws {
        try await service.startRollout(of: "trips.edit")
        let unit = try await migratedUnit()
        let builds: [(build: String, has: JSONValue, renderer: String)] = [
            ("app:720", .null, "legacy"),
            ("app:999", .null, "legacy"),
            ("app:730", ["trips.edit": ["legacy"]], "legacy"),
            ("app:730", ["trips.edit": ["migrated"]], "migrated"),
            ("app:720", ["trips.edit": ["legacy", "migrated"]], "legacy"),
        ]
        for (number, row) in builds.enumerated() {
            let answer = try await service.start(
                5000 + UInt64(number), ["unit": .string("u-\(unit)"), "build": .string(row.build), "has": row.has])
            let expected: JSONValue = ["renderer": .string(row.renderer), "reason": "onlyRendererInBuild"]
            #expect(answer.json["choices"]?["trips.edit"] == expected, "\(row)")
        }
    }

    @Test func `of a build that nobody registered says so, and of another says nothing`() async throws {
        for _ in 1...2 {
            #expect(try await service.start(1, ["build": "app:999"]).json["buildRegistered"] == false)
        }
        #expect(try await service.start(2).json["buildRegistered"] == nil)
    }

    @Test func `without a renderer in its build has no choice for that route`() async throws {
        let answer = try await service.start(1, ["has": ["trips.edit": ["legacy"]]])
        #expect(answer.json["choices"] == ["trips.edit": ["renderer": "legacy", "reason": "onlyRendererInBuild"]])
    }

    @Test func `ends once`() async throws {
        _ = try await service.start(1)
        let path = "/v1/journeys/\(service.journeyID(1))/outcome"
        let saved: JSONValue = ["status": "completed", "name": "saved"]
        for _ in 1...2 {
            let answer = try await service.ask(.post, path, saved)
            #expect(answer.status == 200)
            #expect(answer.json["outcome"] == saved)
        }
        let other = try await service.ask(.post, path, ["status": "cancelled"])
        #expect((other.status, other.code) == (409, "outcome_conflict"))
        #expect(other.details["outcome"] == saved)
        let read = try await service.start(1)
        #expect(read.json["outcome"] == saved)
    }

    @Test func `is seen in the drain view while it is in flight`() async throws {
        try await service.startRollout(of: "trips.edit")
        for number in 0..<20 as Range<UInt64> { _ = try await service.start(number) }
        _ = try await service.start(100, ["build": "app:720"])
        _ = try await service.ask(
            .post, "/v1/journeys/\(service.journeyID(100))/outcome", ["status": "completed"])
        let view = try await service.ask(.get, "/v1/routes/trips.edit/journeys")
        let live = try #require(view.json["live"])
        let migrated = try #require(live["migrated"]?.integer)
        let legacy = try #require(live["legacy"]?.integer)
        #expect(migrated + legacy == 20)
        #expect((1..<20).contains(migrated))
        #expect(view.json["builds"]?.array?.map { $0["build"] } == ["app:730"])
        service.pass(milliseconds: 86_400_001)
        let later = try await service.ask(.get, "/v1/routes/trips.edit")
        #expect(later.json["live"] == ["legacy": 0, "migrated": 0])
    }

    /// The number of a unit that the first step gives migrated.
    private func migratedUnit() async throws -> UInt64 {
        for number in 200..<300 as Range<UInt64> {
            let answer = try await service.start(number)
            if answer.json["choices"]?["trips.edit"]?["renderer"] == "migrated" {
                #expect(answer.json["choices"]?["trips.edit"]?["reason"] == "cohort")
                return number
            }
        }
        throw NoSuchUnit()
    }
}

private struct NoSuchUnit: Error {}

@Suite struct `A start that is not acceptable` {
    private typealias Bad = (member: String, value: JSONValue, status: Int, code: String)
    private static let bad: [Bad] = [
        ("id", "0190163d-8694-739b-aea5-966c26f8ad9", 400, "invalid_journey_id"),
        ("id", "0190163d-8694-4000-8000-966c26f8ad90", 400, "invalid_journey_id"),
        ("id", 7, 400, "invalid_journey_id"),
        ("id", nil, 400, "invalid_journey_id"),
        ("flow", "nowhere", 404, "flow_not_found"),
        ("flow", 1, 400, "invalid_field"),
        ("unit", "", 400, "invalid_field"),
        ("unit", .string(String(repeating: "u", count: 257)), 400, "invalid_field"),
        ("unit", nil, 400, "invalid_field"),
        ("build", "730", 400, "invalid_build"),
        ("build", "app:-1", 400, "invalid_build"),
        ("build", "app:99999999999999999999", 400, "invalid_build"),
        ("context", "none", 400, "invalid_context"),
        ("has", ["trips.edit": ["modern"]], 400, "invalid_field"),
        ("has", ["trips.edit"], 400, "invalid_field"),
        ("has", ["trips.edit": "legacy"], 400, "invalid_field"),
        ("colour", "red", 400, "unknown_field"),
    ]

    @Test func `is refused with its code, and stores nothing`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        for row in Self.bad {
            let answer = try await service.start(1, [row.member: row.value])
            #expect((answer.status, answer.code) == (row.status, row.code), "\(row)")
        }
        let view = try await service.ask(.get, "/v1/routes/trips.edit/journeys")
        #expect(view.json["live"] == ["legacy": 0, "migrated": 0])
    }

    @Test(arguments: [(-86_400_001, false), (-86_399_999, true), (86_399_999, true), (86_400_001, false)])
    func `has an id whose time lies outside the window`(_ offset: Int, _ isAccepted: Bool) async throws {
        let service = try TestService()
        try await service.registerTrips()
        let answer = try await service.start(1, ["id": .string(service.journeyID(1, after: Int64(offset)))])
        #expect(answer.status == (isAccepted ? 201 : 400))
        if !isAccepted {
            #expect(answer.code == "journey_id_out_of_window")
            #expect(answer.details["serverTime"]?.integer == service.now)
        }
    }

    @Test(arguments: [("unit", "somebody-else"), ("build", "other:730"), ("flow", "orders")])
    func `uses the id of another journey, and learns nothing of it`(_ member: String, _ value: String) async throws {
        let service = try TestService()
        try await service.registerTrips()
        _ = try await service.ask(.post, "/v1/flows", ["key": "orders", "owner": "O", "reason": "test"])
        _ = try await service.ask(.post, "/v1/routes", ["key": "orders.list", "flow": "orders", "reason": "test"])
        _ = try await service.start(1)
        let answer = try await service.start(1, [member: .string(value)])
        #expect((answer.status, answer.code) == (409, "journey_mismatch"))
        #expect(answer.details == .null)
        let newer = try await service.start(1, ["build": "app:720"])
        #expect(newer.status == 200, "an update of the app in between does not end a journey")
    }

    @Test(arguments: [
        ("", "body_required"), ("[]", "invalid_json"), ("{", "invalid_json"), ("{\"id\":1,\"id\":1}", "invalid_json"),
        ("{\"id\": \"\\ud800\"}", "invalid_json"), ("nonsense", "invalid_json"),
        (String(repeating: "[", count: 5000), "invalid_json"),
    ])
    func `is not the JSON that it should be`(_ text: String, _ code: String) async throws {
        let service = try TestService()
        let answer = try await service.ask(.post, "/v1/journeys", text: text)
        #expect((answer.status, answer.code) == (400, code))
    }

    @Test func `names a flow without routes`() async throws {
        let service = try TestService()
        _ = try await service.ask(.post, "/v1/flows", ["key": "trips", "owner": "O", "reason": "test"])
        let answer = try await service.start(1)
        #expect((answer.status, answer.code) == (409, "flow_has_no_routes"))
    }
}

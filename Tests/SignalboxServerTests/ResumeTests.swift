import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Testing

@testable import SignalboxServer

extension TestService {
    /// An id for an attempt to resume; `number` tells attempts apart.
    func attemptID(_ number: UInt64) -> String {
        JourneyID(milliseconds: now, randomA: 7, randomB: number).description
    }

    /// Resumes a journey that `start` started; the members given replace those of an ordinary resume.
    func resume(_ number: UInt64, attempt: UInt64, _ more: JSONObject = [:], key: String?? = .none) async throws
        -> Answer
    {
        var body: JSONObject = [
            "attempt": .string(attemptID(attempt)), "flow": "trips", "unit": .string("u-\(number)"), "build": "app:730",
            "context": ["email": "mia@example.com"],
        ]
        for (name, value) in more.entries { body[name] = value }
        return try await ask(.post, "/v1/journeys/\(journeyID(number))/resume", .object(body), key: key)
    }

    /// The first number from there on whose unit gets that renderer of trips.edit, with its journey started.
    func started(_ renderer: Renderer, from first: UInt64 = 1) async throws -> UInt64 {
        for number in first..<(first + 200) {
            let answer = try await start(number)
            if answer.json["choices"]?["trips.edit"]?["renderer"]?.string == renderer.rawValue { return number }
        }
        throw NoSuchUnit()
    }

    func register(_ build: String, _ renderers: [Renderer]) async throws {
        let list = JSONValue.strings(renderers.map(\.rawValue))
        let answer = try await ask(
            .put, "/v1/builds/\(build)",
            ["version": .string(build), "reason": "test", "renderers": ["trips.detail": list, "trips.edit": list]])
        #expect(answer.status == 201, "\(answer.json)")
    }
}

private struct NoSuchUnit: Error {}

@Suite(.serialized) struct `A resume` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    @Test func `that changes nothing answers the journey as it stands, whatever its route does now`() async throws {
        let number = try await service.started(.migrated)
        let first = try await service.start(number)
        _ = try await service.move("trips.edit", "rollback")
        let answer = try await service.resume(number, attempt: 1)
        #expect((answer.status, answer.json) == (200, first.json))
    }

    @Test func `after a crash in migrated opens a segment in legacy, once for an attempt`() async throws {
        let number = try await service.started(.migrated)
        let answer = try await service.resume(number, attempt: 1, ["lastProcessDied": true])
        #expect(answer.status == 201)
        #expect(answer.json["segment"] == 2 && answer.json["segmentReason"] == "crashLoopBreaker")
        #expect(answer.json["choices"]?["trips.edit"] == ["renderer": "legacy", "reason": "crashLoopBreaker"])
        #expect(answer.json["pinned"] == true && answer.json["startedAt"]?.integer == service.now)
        let again = try await service.resume(number, attempt: 1, ["lastProcessDied": true])
        #expect((again.status, again.json) == (200, answer.json))
        #expect(try await service.start(number).json == answer.json)
        let later = try await service.resume(number, attempt: 2)
        #expect((later.status, later.json) == (200, answer.json))
    }

    @Test func `from a build that lacks what was pinned opens a segment with what that build has`() async throws {
        let number = try await service.started(.migrated)
        let answer = try await service.resume(number, attempt: 1, ["build": "app:720"])
        #expect(answer.json["segmentReason"] == "pinnedRendererUnavailable" && answer.json["build"] == "app:720")
        #expect(answer.json["choices"]?["trips.edit"] == ["renderer": "legacy", "reason": "pinnedRendererUnavailable"])
        let claimed = try await service.resume(number, attempt: 2, ["has": ["trips.detail": ["legacy"]]])
        #expect(claimed.json["choices"]?.object?.keys.sorted() == ["trips.detail"])
    }

    @Test func `after a rollback at repin-on-resume goes on in legacy, and at drain does not`() async throws {
        let number = try await service.started(.migrated)
        _ = try await service.move("trips.edit", "rollback")
        #expect(try await service.resume(number, attempt: 1).json["segment"] == 1)
        _ = try await service.move("trips.edit", "rollback", ["level": "repin-on-resume"])
        #expect(try await service.start(number).json["choices"]?["trips.edit"]?["renderer"] == "migrated")
        let answer = try await service.resume(number, attempt: 2)
        #expect(answer.status == 201 && answer.json["segmentReason"] == "repinOnResume")
        #expect(answer.json["choices"]?["trips.edit"] == ["renderer": "legacy", "reason": "rolledBack"])
        #expect(answer.json["revision"]?.integer == service.service.snapshot.configuration.revision)
    }

    @Test func `is decided the same from the database as from memory`() async throws {
        let service = try TestService(recentJourneys: 1)
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
        let number = try await service.started(.migrated)
        let first = try await service.start(number)
        _ = try await service.start(10_000)
        let same = try await service.resume(number, attempt: 1)
        #expect((same.status, same.json) == (200, first.json))
        let died = try await service.resume(number, attempt: 2, ["lastProcessDied": true])
        #expect(died.status == 201)
        _ = try await service.start(10_001)
        let again = try await service.resume(number, attempt: 2, ["lastProcessDied": true])
        #expect((again.status, again.json) == (200, died.json))
    }

    @Test func `of a journey that has ended answers its outcome`() async throws {
        let number = try await service.started(.migrated)
        _ = try await service.ask(
            .post, "/v1/journeys/\(service.journeyID(number))/outcome", ["status": "completed", "name": "saved"])
        let answer = try await service.resume(number, attempt: 1, ["lastProcessDied": true])
        #expect(answer.status == 200 && answer.json["outcome"]?["name"] == "saved" && answer.json["segment"] == 1)
    }

    private typealias Bad = (member: String, value: JSONValue, status: Int, code: String)
    private static let bad: [Bad] = [
        ("attempt", nil, 400, "invalid_field"), ("attempt", "x", 400, "invalid_field"),
        ("flow", "nowhere", 404, "flow_not_found"), ("unit", "somebody-else", 409, "journey_mismatch"),
        ("build", "other:730", 409, "journey_mismatch"), ("build", "730", 400, "invalid_build"),
        ("lastProcessDied", "yes", 400, "invalid_field"), ("has", ["trips.edit"], 400, "invalid_field"),
        ("context", 1, 400, "invalid_context"), ("parent", "x", 400, "unknown_field"),
        ("id", "x", 400, "unknown_field"),
    ]

    @Test(arguments: [8_192, 1]) func `that is not acceptable is refused, and changes nothing`(recent: Int) async throws
    {
        let service = try TestService(recentJourneys: recent)
        try await service.registerTrips()
        let first = try await service.start(1)
        for row in Self.bad {
            _ = try await service.start(99)
            let answer = try await service.resume(1, attempt: 1, (["lastProcessDied": true] as JSONObject).merged(row))
            #expect((answer.status, answer.code) == (row.status, row.code), "\(row)")
        }
        #expect(try await service.start(1).json == first.json)
        let unknown = try await service.resume(2, attempt: 1)
        #expect((unknown.status, unknown.code) == (404, "journey_not_found"))
    }

    @Test func `after the journey's lifetime is refused`() async throws {
        let number = try await service.started(.migrated)
        let id = service.journeyID(number)
        service.pass(milliseconds: 86_400_000)
        let answer = try await service.ask(
            .post, "/v1/journeys/\(id)/resume",
            [
                "attempt": .string(service.attemptID(1)), "flow": "trips", "unit": .string("u-\(number)"),
                "build": "app:730", "lastProcessDied": true,
            ])
        #expect((answer.status, answer.code) == (409, "journey_expired"))
    }

    @Test func `opens a hundred segments of a journey at the most`() async throws {
        _ = try await service.start(1)
        for number in 2...100 as ClosedRange<UInt64> {
            let build: JSONValue = number.isMultiple(of: 2) ? ["trips.detail": ["legacy"]] : .null
            let answer = try await service.resume(1, attempt: number, ["has": build])
            #expect(answer.json["segment"]?.integer == Int64(number))
        }
        let last = try await service.start(1)
        let refused = try await service.resume(1, attempt: 101)
        #expect((refused.status, refused.code) == (409, "too_many_segments") || refused.json["segment"] == 100)
        let other = try await service.resume(1, attempt: 102, ["has": ["trips.edit": ["legacy"]]])
        #expect((other.status, other.code) == (409, "too_many_segments"))
        #expect(try await service.start(1).json == last.json)
    }

    @Test func `while nothing can be stored says what would be pinned, and that it is not`() async throws {
        let number = try await service.started(.migrated)
        let other = try service.otherConnection()
        try other.run("BEGIN IMMEDIATE")
        let same = try await service.resume(number, attempt: 1)
        #expect(same.json["pinned"] == true && same.json["segment"] == 1)
        let died = try await service.resume(number, attempt: 2, ["lastProcessDied": true])
        #expect(died.status == 200 && died.json["pinned"] == false && died.json["segment"] == 2)
        #expect(died.json["choices"]?["trips.edit"]?["reason"] == "crashLoopBreaker")
        try other.run("ROLLBACK")
        #expect(try await service.start(number).json["segment"] == 1)
    }

    @Test func `asked many times at once has one answer a segment`() async throws {
        let number = try await service.started(.migrated)
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for attempt in 0..<24 as Range<UInt64> {
                group.addTask {
                    try await service.resume(number, attempt: attempt % 8, ["lastProcessDied": true]).json
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1.jsonText) }
        }
        #expect(answers.count == 1)
        #expect(try await service.start(number).json["segment"] == 2)
    }

    @Test func `is told in the explanation, with all segments, and in metrics and the drain view`() async throws {
        let number = try await service.started(.migrated)
        _ = try await service.resume(number, attempt: 1, ["lastProcessDied": true])
        let told = try await service.ask(.post, "/v1/journeys/\(service.journeyID(number))/explain", [:])
        let segments = try #require(told.json["segments"]?.array)
        #expect(segments.map { $0["reason"] } == [.null, "crashLoopBreaker"])
        #expect(segments.map { $0["choices"]?["trips.edit"]?["renderer"] } == ["migrated", "legacy"])
        #expect(segments[1]["attempt"] == .string(service.attemptID(1)))
        #expect(told.json["routes"]?["trips.edit"]?["agrees"] == .null)
        let view = try await service.ask(.get, "/v1/routes/trips.edit/journeys")
        #expect(view.json["segments"] == ["crashLoopBreaker": 1])
        let metrics = String(decoding: try await service.ask(.get, "/metrics").response.body, as: UTF8.self)
        #expect(metrics.contains("signalbox_journey_segments_total{reason=\"crashLoopBreaker\"} 1"))
    }
}

extension JSONObject {
    /// The row's own value wins.
    fileprivate func merged(_ row: (member: String, value: JSONValue, status: Int, code: String)) -> JSONObject {
        var object = self
        object[row.member] = row.value
        return object
    }
}

@Suite struct `A rollback at level abort` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    private func abort() async throws {
        _ = try await service.move("trips.edit", "rollback", ["level": "abort"])
    }

    @Test func `tells live journeys in migrated to end, wherever they are read`() async throws {
        let migrated = try await service.started(.migrated)
        let legacy = try await service.started(.legacy)
        #expect(try await service.start(migrated).json["end"] == nil)
        try await abort()
        for answer in [
            try await service.start(migrated),
            try await service.ask(.get, "/v1/journeys/\(service.journeyID(migrated))"),
        ] {
            #expect(answer.status == 200 && answer.json["end"] == "interrupted" && answer.json["outcome"] == .null)
            #expect(answer.json["choices"]?["trips.edit"]?["renderer"] == "migrated", "nothing switches")
        }
        #expect(try await service.start(legacy).json["end"] == nil)
        let batch = try await service.ask(
            .post, "/v1/journeys/batch", ["journeys": .array([service.startBody(migrated)])])
        #expect(batch.json["journeys"]?.array?.first?["journey"]?["end"] == "interrupted")
    }

    @Test func `ends a journey that is resumed, as interrupted`() async throws {
        let number = try await service.started(.migrated)
        try await abort()
        let answer = try await service.resume(number, attempt: 1)
        #expect(answer.status == 200 && answer.json["segment"] == 1)
        #expect(answer.json["outcome"] == ["status": "interrupted"] && answer.json["end"] == nil)
        let later = try await service.ask(
            .post, "/v1/journeys/\(service.journeyID(number))/outcome", ["status": "completed"])
        #expect((later.status, later.code) == (409, "outcome_conflict"))
    }

    @Test func `leaves a journey alone whose build has nothing else, and lets go when it is resumed`() async throws {
        try await service.register("app:740", [.migrated])
        let answer = try await service.start(900, ["build": "app:740"])
        #expect(answer.json["choices"]?["trips.edit"]?["reason"] == "onlyRendererInBuild")
        let number = try await service.started(.migrated)
        try await abort()
        #expect(try await service.start(900, ["build": "app:740"]).json["end"] == nil)
        let resumed = try await service.resume(900, attempt: 1, ["build": "app:740"])
        #expect(resumed.json["outcome"] == .null && resumed.json["segment"] == 1)
        _ = try await service.move("trips.edit", "resume", ["cause": "fixed"])
        #expect(try await service.start(number).json["end"] == nil)
    }

    @Test func `is said over OFREP beside the pinned renderer, which does not switch`() async throws {
        let number = try await service.started(.migrated)
        try await abort()
        let answer = try await service.ask(
            .post, "/ofrep/v1/evaluate/flags/trips.edit",
            [
                "context": [
                    "targetingKey": .string("u-\(number)"), "build": "app:730",
                    "journey": .string(service.journeyID(number)),
                ]
            ])
        #expect(answer.json["value"] == "migrated")
        #expect(answer.json["metadata"]?["pinned"] == true && answer.json["metadata"]?["ended"] == "interrupted")
    }
}

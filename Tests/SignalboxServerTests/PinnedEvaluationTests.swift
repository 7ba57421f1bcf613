import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Testing

@testable import SignalboxServer

@Suite struct `A journey in the context` {
    private let target = "/ofrep/v1/evaluate/flags"

    /// A service in which journey 1 has migrated pinned for trips.edit, and the route is rolled back since.
    private func service(recentJourneys: Int = 8_192) async throws -> TestService {
        let service = try TestService(recentJourneys: recentJourneys)
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
        var number: UInt64 = 1
        while try await service.start(number).json["choices"]?["trips.edit"]?["renderer"] != "migrated" { number += 1 }
        #expect(number < 40)
        pinned.withLock { $0 = service.journeyID(number) }
        _ = try await service.move("trips.edit", "rollback")
        return service
    }
    private let pinned = Box("")

    private func evaluate(_ service: TestService, _ context: JSONObject) async throws -> JSONValue {
        let answer = try await service.ask(.post, "\(target)/trips.edit", ["context": .object(context)])
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    private var journey: JSONValue { .string(pinned.withLock { $0 }) }

    @Test(arguments: [8_192, 1]) func `gets its pinned choice, from memory or from disk`(_ remembered: Int) async throws
    {
        let service = try await service(recentJourneys: remembered)
        if remembered == 1 { _ = try await service.start(1_000) }
        let answer = try await evaluate(service, ["journey": journey, "targetingKey": "u"])
        #expect(answer["value"] == "migrated")
        #expect(answer["variant"] == "migrated")
        #expect(answer["reason"] == "TARGETING_MATCH")
        let metadata = answer["metadata"]
        #expect(metadata?["pinned"] == true)
        #expect(metadata?["journey"] == journey)
        #expect(metadata?["revision"]?.integer.map { $0 < service.service.snapshot.configuration.revision } == true)
        let bulk = try await service.ask(.post, target, ["context": ["journey": journey, "targetingKey": "u"]])
        #expect(bulk.json["flags"]?.array?.contains(answer) == true)
    }

    @Test func `that is not known gets what anybody gets, and nothing is written`() async throws {
        let service = try await service()
        for journey in [service.journeyID(999_999), "no id at all", ""] {
            let answer = try await evaluate(service, ["journey": .string(journey), "build": "app:730"])
            #expect(answer["value"] == "legacy")
            #expect(answer["metadata"]?["pinned"] == false)
            #expect(answer["metadata"]?["journey"] == .string(journey))
        }
        #expect(try await service.ask(.get, "/v1/journeys/\(service.journeyID(999_999))").status == 404)
        #expect(try await evaluate(service, ["build": "app:730"])["metadata"]?["pinned"] == nil)
    }

    @Test func `does not get a renderer that the asking build lacks, nor a pin that has ended`() async throws {
        let service = try await service()
        for (build, value) in [("app:730", "migrated"), ("app:720", "legacy"), ("app:1", "legacy")] {
            let answer = try await evaluate(service, ["journey": journey, "build": .string(build)])
            #expect(answer["value"] == .string(value))
            #expect(answer["metadata"]?["pinned"] == .bool(value == "migrated"))
        }
        service.pass(milliseconds: 86_400_000)
        #expect(try await evaluate(service, ["journey": journey])["metadata"]?["pinned"] == false)
    }

    @Test func `is part of the tag, whatever the order of the members`() async throws {
        let service = try await service()
        func tag(_ text: String, _ known: String? = nil) async throws -> Answer {
            try await service.ask(.post, target, text: text, headers: known.map { [("If-None-Match", $0)] } ?? [])
        }
        let id = pinned.withLock { $0 }
        let with = try #require(
            try await tag(#"{"context":{"targetingKey":"u","journey":"\#(id)"}}"#).response.header("ETag"))
        let again = try await tag(#"{ "more": 1, "context" : {"journey": "\#(id)", "targetingKey":"u"} }"#, with)
        #expect(again.status == 304)
        #expect(again.response.body.isEmpty)
        for other in [#"{"targetingKey":"u"}"#, #"{"journey":"\#(service.journeyID(77))","targetingKey":"u"}"#] {
            #expect(try await tag(#"{"context":\#(other)}"#, with).status == 200)
        }
        // A start changes no revision, and yet the answer.
        let context = #"{"context":{"targetingKey":"u","journey":"\#(service.journeyID(500))"}}"#
        let before = try #require(try await tag(context).response.header("ETag"))
        #expect(try await tag(context, before).status == 304)
        _ = try await service.start(500)
        #expect(try await tag(context, before).status == 200)
    }
}

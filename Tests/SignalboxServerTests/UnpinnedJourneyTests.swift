import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Testing

@testable import SignalboxServer

/// A store that remembers one journey, and whose write lock somebody else takes.
@Suite struct `A journey while nothing can be stored` {
    let service: TestService

    init() async throws {
        service = try TestService(recentJourneys: 1)
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    /// A unit that the first step gives migrated, with its journey pinned and forgotten.
    private func pinned() async throws -> (number: UInt64, answer: JSONValue) {
        for number in 1..<100 as Range<UInt64> {
            let answer = try await service.start(number)
            guard answer.json["choices"]?["trips.edit"]?["renderer"] == "migrated" else { continue }
            _ = try await service.start(1_000)
            #expect(service.service.store.recentJourney(try #require(JourneyID(service.journeyID(number)))) == nil)
            return (number, answer.json)
        }
        throw NoSuchUnit()
    }

    @Test func `keeps the renderer that it was pinned to, whatever happened to its route`() async throws {
        let (number, first) = try await pinned()
        _ = try await service.move("trips.edit", "rollback")
        let other = try service.otherConnection()
        try other.run("BEGIN IMMEDIATE")
        let again = try await service.start(number)
        #expect((again.status, again.json) == (200, first))
        let stranger = try await service.start(number, ["unit": "somebody-else"])
        #expect((stranger.status, stranger.code) == (409, "journey_mismatch"))
        try other.run("ROLLBACK")
    }

    @Test func `that is new gets the same choices each time, and says that they are not pinned`() async throws {
        let other = try service.otherConnection()
        try other.run("BEGIN IMMEDIATE")
        let answers = [try await service.start(1), try await service.start(1)]
        for answer in answers {
            #expect((answer.status, answer.json["pinned"]) == (200, false))
            #expect(answer.json["choices"]?.object?.count == 2)
        }
        #expect(answers[0].json == answers[1].json)
        try other.run("ROLLBACK")
        let pinned = try await service.start(1)
        #expect((pinned.status, pinned.json["pinned"]) == (201, true))
        #expect(pinned.json["choices"] == answers[0].json["choices"])
    }

    @Test func `is answered from what is remembered when the store is closed, and unpinned when it is not`()
        async throws
    {
        let (number, first) = try await pinned()
        _ = try await service.start(number)
        service.service.close()
        let known = try await service.start(number)
        #expect((known.status, known.json) == (200, first))
        let unknown = try await service.start(2_000)
        #expect((unknown.status, unknown.json["pinned"]) == (200, false))
    }
}

private struct NoSuchUnit: Error {}

@Suite struct `A flow whose lifetime was shortened` {
    @Test func `still answers the journeys that began before`() async throws {
        let service = try TestService(recentJourneys: 1)
        try await service.registerTrips()
        let old = JSONValue.string(service.journeyID(1, after: -3_600_000))
        let first = try await service.start(1, ["id": old])
        #expect(first.status == 201)
        _ = try await service.start(2)
        let edited = try await service.ask(
            .patch, "/v1/flows/trips", ["journeyLifetimeSeconds": 600, "reason": "test"])
        #expect(edited.status == 200)
        let again = try await service.start(1, ["id": old])
        #expect((again.status, again.json) == (200, first.json))
        let stranger = try await service.start(1, ["id": old, "unit": "somebody-else"])
        #expect((stranger.status, stranger.code) == (409, "journey_mismatch"))
        let new = try await service.start(3, ["id": .string(service.journeyID(3, after: -3_600_000))])
        #expect((new.status, new.code) == (400, "journey_id_out_of_window"))
        service.service.close()
        let unreadable = try await service.start(3, ["id": .string(service.journeyID(3, after: -3_600_000))])
        #expect((unreadable.status, unreadable.code) == (503, "store_closed"))
    }
}

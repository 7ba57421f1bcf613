import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `The status of a programme` {
    /// `trips.edit` rolled back, `trips.detail` with a deletion date that has passed.
    private static func service() async throws -> TestService {
        let service = try TestService(at: TestService.noon)
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
        _ = try await service.move("trips.edit", "rollback")
        let edited = try await service.ask(
            .patch, "/v1/routes/trips.detail",
            ["deletion": ["date": "2020-01-31", "owner": "Cleaners & Co"], "reason": "test"])
        #expect(edited.status == 200, "\(edited.json)")
        return service
    }

    private static func needs(_ answer: Answer) -> [String] {
        (answer.json["needs"]?.array ?? []).map { "\($0["kind"]?.string ?? "") \($0["route"]?.string ?? "")" }
    }

    @Test func `says what needs a person, and how far all have come`() async throws {
        let service = try await Self.service()
        let answer = try await service.ask(.get, "/v1/status")
        #expect(answer.status == 200)
        let configuration = service.service.snapshot.configuration
        #expect(answer.json["epoch"] == .integer(configuration.epoch))
        #expect(answer.json["revision"] == .integer(configuration.revision))
        #expect(answer.json["at"] == .integer(service.now) && answer.json["routes"] == 2)
        #expect(answer.json["stages"]?["partialRollout"] == 1 && answer.json["stages"]?["oldDeleted"] == 0)
        #expect(answer.json["statuses"]?["rolledBack"] == 1 && answer.json["kinds"]?["overdue"] == 1)
        #expect(
            answer.json["needs"] == [
                [
                    "kind": "rolledBack", "urgency": 0, "route": "trips.edit", "owner": "Trips team",
                    "since": .integer(service.now), "why": "from partialRollout",
                    "remedy": "signalbox route resume trips.edit --cause … --reason …",
                ],
                [
                    "kind": "overdue", "urgency": 2, "route": "trips.detail", "owner": "Cleaners & Co", "since": nil,
                    "why": "deletion due 2020-01-31", "remedy": "signalbox route show trips.detail",
                ],
            ])
        #expect(answer.json["more"] == 0)
    }

    @Test func `is shown in part where that is asked for, and counts the rest`() async throws {
        let service = try await Self.service()
        for (query, needs, more) in [
            ("limit=1", ["rolledBack trips.edit"], 1), ("overdue=true", ["overdue trips.detail"], 0),
            ("overdue=false&limit=1000", ["rolledBack trips.edit", "overdue trips.detail"], 0),
            ("owner=Cleaners%20%26%20Co", ["overdue trips.detail"], 0), ("owner=", [], 0), ("owner=nobody", [], 0),
            ("owner=Trips%20team&overdue=true", [], 0),
        ] as [(String, [String], Int64)] {
            let answer = try await service.ask(.get, "/v1/status?\(query)")
            #expect(answer.status == 200 && Self.needs(answer) == needs, "\(query)")
            #expect(answer.json["more"] == .integer(more) && answer.json["routes"] == 2, "\(query)")
        }
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=ten", "overdue=yes", "overdue="])
    func `is not guessed at`(query: String) async throws {
        let answer = try await TestService().ask(.get, "/v1/status?\(query)")
        #expect(answer.status == 400 && answer.code == "invalid_query")
    }

    @Test func `is empty where there is nothing`() async throws {
        let answer = try await TestService().ask(.get, "/v1/status")
        #expect(answer.status == 200 && answer.json["routes"] == 0 && answer.json["needs"] == [])
    }

    /// It is judged as an advance is: with the units and the evidence that this process knows of.
    @Test func `knows evidence and units without asking the database`() async throws {
        let service = try await Self.service()
        let change = try await service.ask(
            .patch, "/v1/routes/trips.detail",
            [
                "plan": [
                    "steps": [
                        ["share": 50_000, "holdSeconds": 3_600, "minimumUnits": 2, "cohort": "internal"],
                        ["share": 100_000, "holdSeconds": 3_600],
                    ]
                ], "deletion": ["date": "2040-01-31", "owner": "Cleaners & Co"], "reason": "test",
            ])
        #expect(change.status == 200, "\(change.json)")
        try await service.startRollout(of: "trips.detail")
        service.pass(milliseconds: 3_600_000)
        let answer = try await service.ask(.get, "/v1/status?owner=Trips%20team")
        let why = (answer.json["needs"]?.array ?? []).compactMap { $0["why"]?.string }
        #expect(
            why.contains(
                "minimumUnits holds step 2: 0 of 2 units were given migrated at this step"),
            "\(why)")
    }
}

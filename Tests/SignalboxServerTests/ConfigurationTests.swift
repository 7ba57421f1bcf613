import FlagEvaluation
import HTTPServer
import Rollouts
import Synchronization
import Testing

@testable import SignalboxServer

@Suite struct `The configuration as a document over HTTP` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
    }

    private func export() async throws -> JSONObject {
        try #require(try await service.ask(.get, "/v1/config/export").json.object)
    }

    private func apply(_ document: JSONObject, _ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = ["document": .object(document), "reason": "test"]
        for (name, value) in more.entries { body[name] = value }
        return try await service.ask(.post, "/v1/config/apply", .object(body))
    }

    private func owned(by owner: String, _ route: String, in document: JSONObject) throws -> JSONObject {
        var document = document
        var routes = try #require(document["routes"]?.object)
        var edited = try #require(routes[route]?.object)
        edited["owner"] = .string(owner)
        routes[route] = .object(edited)
        document["routes"] = .object(routes)
        return document
    }

    private func setOwner(_ owner: String) async throws {
        let answer = try await service.ask(
            .patch, "/v1/routes/trips.edit", ["owner": .string(owner), "reason": "test"])
        #expect(answer.status == 200)
    }

    @Test func `is applied as one revision, tried first, and applied again without another`() async throws {
        let before = try await export()
        let document = try owned(by: "mia", "trips.edit", in: before)
        let tried = try await apply(document, ["dryRun": true])
        #expect(tried.json["dryRun"] == true)
        #expect(tried.json["changes"]?.array?.map { $0["path"] } == ["/routes/trips.edit"])
        #expect(try await export() == before)
        let applied = try await apply(document)
        #expect(applied.status == 200)
        #expect(applied.json["revision"]?.integer == (before["revision"]?.integer ?? 0) + 1)
        #expect(applied.json["remaining"] == [])
        #expect(try await apply(document).json["changed"] == false)
    }

    @Test func `answers with its own changes, whatever others change meanwhile`() async throws {
        let before = try await export()
        let document = try owned(by: "mia", "trips.edit", in: before)
        let paths = try await withThrowingTaskGroup(of: [JSONValue?]?.self) { group in
            for number in 0..<16 {
                group.addTask { [service] in
                    let edit: JSONValue = ["owner": .string("o\(number)"), "reason": "test"]
                    _ = try await service.ask(.patch, "/v1/routes/trips.detail", edit)
                    return nil
                }
            }
            group.addTask { try await self.apply(document).json["changes"]?.array?.map { $0["path"] } }
            return try await group.reduce(into: [JSONValue?]()) { $0 += $1 ?? [] }
        }
        #expect(paths == ["/routes/trips.edit"])
        let now = try await export()
        #expect(now["routes"]?["trips.edit"]?["owner"] == "mia")
        #expect(now["routes"]?["trips.detail"] != before["routes"]?["trips.detail"])
    }

    /// It is judged beside the writer: what others change meanwhile is neither held up nor lost.
    @Test func `is applied while others change things`() async throws {
        var document = try await export()
        var routes = try #require(document["routes"]?.object)
        var model = try #require(routes["trips.edit"]?.object)
        model["stage"] = "notStarted"
        for number in 0..<150 {
            model["key"] = .string("trips.r\(number)")
            routes["trips.r\(number)"] = .object(model)
        }
        document["routes"] = .object(routes)
        let before = try #require(document["revision"]?.integer)
        let sent = document
        async let answer = apply(sent)
        for number in 0..<10 { try await setOwner("o\(number)") }
        let applied = try await answer
        #expect(applied.status == 200, "\(applied.json["error"] ?? .null)")
        let after = try await export()
        #expect(after["revision"]?.integer == before + 11)
        #expect(after["routes"]?.object?.count == routes.count)
        #expect(after["routes"]?["trips.edit"]?["owner"] == "o9")
        #expect(try await service.ask(.get, "/v1/audit/verify").json["fault"] == .null)
    }

    @Test(arguments: ["epoch", "revision"], [Int64.min, -1, .max])
    func `that names what never was is refused`(member: String, number: Int64) async throws {
        var document = try await export()
        document[member] = .integer(number)
        for isDryRun in [true, false] {
            let answer = try await apply(document, ["dryRun": .bool(isDryRun)])
            #expect(answer.status == 409)
            #expect(answer.code == "document_base_unknown")
        }
        let rollback = try await service.ask(
            .post, "/v1/config/rollback", ["to": .integer(number), "reason": "test"])
        #expect([400, 409].contains(rollback.status))
    }

    @Test func `that others changed too is a conflict, unless it replaces`() async throws {
        let document = try owned(by: "mia", "trips.edit", in: try await export())
        try await setOwner("eve")
        let conflict = try await apply(document)
        #expect(conflict.status == 409)
        #expect(conflict.json["error"]?["code"] == "document_conflict")
        #expect(conflict.json["error"]?["details"]?["paths"] == ["/routes/trips.edit"])
        #expect(try await apply(document, ["replace": true]).status == 200)
        #expect(try await export()["routes"]?["trips.edit"]?["owner"] == "mia")
    }

    @Test func `comes back from an earlier revision`() async throws {
        let before = try await export()
        try await setOwner("eve")
        let answer = try await service.ask(
            .post, "/v1/config/rollback", ["to": try #require(before["revision"]), "reason": "test"])
        #expect(answer.status == 200)
        #expect(try await export()["routes"] == before["routes"])
    }

    @Test func `of an earlier revision is looked for by a few at once`() async throws {
        let document = try await export()
        try await setOwner("eve")
        service.service.pastReads.add(4, ordering: .relaxed)
        let busy = try await apply(document)
        #expect(busy.status == 503)
        #expect(busy.code == "store_overloaded")
        service.service.pastReads.subtract(4, ordering: .relaxed)
        #expect(try await apply(document).status == 200)
        #expect(service.service.pastReads.load(ordering: .relaxed) == 0)
    }

    @Test func `of an earlier revision is looked for however many read`() async throws {
        let document = try await export()
        #expect(try await service.start(1).status == 201)
        try await setOwner("eve")
        while service.service.beginLookingBack(for: .read) {}
        #expect(service.service.pastReads.load(ordering: .relaxed) == 2)
        let explained = try await service.ask(.post, "/v1/journeys/\(service.journeyID(1))/explain")
        #expect(explained.json["basis"] == "stored")
        #expect(try await apply(document).status == 200)
        let back = try await service.ask(
            .post, "/v1/config/rollback", ["to": try #require(document["revision"]), "reason": "test"])
        #expect(back.status == 200, "\(back.json)")
        #expect(service.service.pastReads.load(ordering: .relaxed) == 2)
    }

    @Test func `of an unknown revision or another environment is refused`() async throws {
        var document = try await export()
        document["revision"] = 9_999
        #expect(try await apply(document).json["error"]?["code"] == "document_base_unknown")
        document["environment"] = "elsewhere"
        #expect(try await apply(document).json["error"]?["code"] == "document_base_unknown")
        let answer = try await service.ask(.post, "/v1/config/rollback", ["to": 9_999, "reason": "test"])
        #expect(answer.json["error"]?["code"] == "document_base_unknown")
    }

    @Test func `that drops a route with journeys in flight is refused`() async throws {
        #expect(try await service.start(1).status == 201)
        var document = try await export()
        document["routes"] = [:]
        let answer = try await apply(document)
        #expect(answer.status == 409)
        #expect(answer.json["error"]?["code"] == "routes_in_flight")
    }
}

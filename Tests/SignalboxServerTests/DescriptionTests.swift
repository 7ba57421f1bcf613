import FlagEvaluation
import HTTPServer
import Testing

@testable import SignalboxServer

@Suite struct `The description of the API` {
    let service: TestService
    let document: JSONValue

    init() async throws {
        service = try TestService()
        document = try await service.ask(.get, "/openapi.json", key: .some(nil)).json
    }

    private var operations: [(method: String, path: String, operation: JSONValue)] {
        document["paths"]?.object?.entries.flatMap { path, item in
            (item.object?.entries ?? []).map { (method: $0.key, path: path, operation: $0.value) }
        } ?? []
    }

    @Test func `has an operation for every endpoint, and for nothing else`() {
        let routes = Set(service.service.routes.map { "\($0.method.name)".lowercased() + " " + $0.path })
        #expect(Set(operations.map { "\($0.method) \($0.path)" }) == routes)
        #expect(operations.count == service.service.routes.count)
    }

    @Test func `says of every endpoint what it does and what it answers`() {
        for (method, path, operation) in operations {
            #expect(operation["summary"]?.string?.isEmpty == false, "\(method) \(path) has no summary")
            let answers = operation["responses"]?.object?.keys ?? []
            #expect(answers.contains { $0 < "400" }, "\(method) \(path) says nothing of its success")
            for (status, response) in operation["responses"]?.object?.entries ?? [] where status != "304" {
                #expect(response["content"]?.object?.isEmpty == false, "\(method) \(path) \(status)")
            }
        }
        #expect(Set(operations.compactMap { $0.operation["operationId"]?.string }).count == operations.count)
    }

    @Test func `asks for a key where the endpoint does`() {
        for route in service.service.routes {
            let operation = document["paths"]?[route.path]?["\(route.method.name)".lowercased()]
            #expect((operation?["security"]?.array?.isEmpty == true) == (route.permission == nil), "\(route.pattern)")
            let answers = operation?["responses"]
            #expect((answers?["401"] != nil && answers?["429"] != nil) == (route.permission != nil), "\(route.pattern)")
        }
    }

    @Test func `names every parameter of a path, and every schema that it refers to`() {
        for (_, path, operation) in operations {
            let named = (operation["parameters"]?.array ?? []).filter { $0["in"] == "path" }.compactMap {
                $0["name"]?.string
            }
            let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            #expect(named == inPath)
        }
        let schemas = document["components"]?["schemas"]?.object
        let prefix = "#/components/schemas/"
        for part in document.jsonText.split(separator: "\"") where part.hasPrefix(prefix) {
            #expect(schemas?[String(part.dropFirst(prefix.count))]?.isNull == false, "\(part)")
        }
    }

    @Test func `has the status of a code from the place that answers it`() {
        let missing = document["paths"]?["/v1/flags/{key}"]?["get"]?["responses"]?["404"]
        #expect(missing?["description"] == "`flag_not_found`")
    }
}

import FlagEvaluation
import HTTPServer

/// The description of the API in OpenAPI 3.1, made from the endpoints as they are listed.
struct OpenAPIDocument {
    private var components = JSONObject()
    private let routes: [APIRoute]
    private let version: String

    init(_ routes: [APIRoute], version: String) {
        self.routes = routes
        self.version = version
    }

    /// The whole document.
    mutating func json() -> JSONValue {
        var paths = JSONObject()
        for route in routes {
            var item = paths[route.path]?.object ?? [:]
            item["\(route.method.name)".lowercased()] = .object(operation(route))
            paths[route.path] = .object(item)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Signalbox", "version": .string(version),
                "description": "Times are milliseconds since 1970, UTC; a share is an integer of 100000.",
            ],
            "paths": .object(paths),
            "components": [
                "schemas": .object(components),
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer"],
                    "header": ["type": "apiKey", "in": "header", "name": "X-API-Key"],
                ],
            ],
        ]
    }

    private mutating func operation(_ route: APIRoute) -> JSONObject {
        var operation: JSONObject = [
            "operationId": .string(route.operationID), "summary": .string(route.about.summary),
        ]
        if let permission = route.permission {
            operation["description"] = .string("Needs a key with the permission \(permission).")
            operation["security"] = [["bearer": []], ["header": []]]
        } else {
            operation["security"] = []
        }
        let parameters = parameters(of: route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.about.body {
            operation["requestBody"] = [
                "required": .bool(route.about.needsBody),
                "content": ["application/json": ["schema": body.json(naming: &components)]],
            ]
        }
        operation["responses"] = .object(responses(of: route))
        return operation
    }

    private mutating func parameters(of route: APIRoute) -> [JSONValue] {
        let inPath = route.parameterNames.map { name -> JSONValue in
            ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
        }
        return inPath
            + route.about.parameters.map { parameter in
                [
                    "name": .string(parameter.name), "in": .string(parameter.place),
                    "required": .bool(parameter.isRequired), "schema": parameter.schema.json(naming: &components),
                ]
            }
    }

    private mutating func responses(of route: APIRoute) -> JSONObject {
        var failures: [Int: [String]] = [:]
        for (status, code) in route.codes where failures[status]?.contains(code) != true {
            failures[status, default: []].append(code)
        }
        var answers: [Int: [About.Answer]] = Dictionary(grouping: route.about.answers, by: \.status)
        for (status, codes) in failures {
            answers[status, default: []].append(
                About.Answer(status: status, schema: .failure(codes), contentType: .json))
        }
        var responses = JSONObject()
        for (status, answers) in answers.sorted(by: { $0.key < $1.key }) {
            var response: JSONObject = ["description": .string(failures[status].map(Self.list) ?? "Done.")]
            var content = JSONObject()
            for (type, group) in Dictionary(grouping: answers, by: { "\($0.contentType.name)" }).sorted(by: {
                $0.key < $1.key
            }) {
                let schemas = group.compactMap(\.schema)
                guard let first = schemas.first else { continue }
                let schema = schemas.count == 1 ? first : .either(schemas)
                content[type] = ["schema": schema.json(naming: &components)]
            }
            if !content.isEmpty { response["content"] = .object(content) }
            responses["\(status)"] = .object(response)
        }
        return responses
    }

    private static func list(_ codes: [String]) -> String { codes.map { "`\($0)`" }.joined(separator: ", ") }
}

extension APIRoute {
    /// The pattern as OpenAPI writes it.
    package var path: String {
        pattern.split(separator: "/", omittingEmptySubsequences: false).map {
            $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0)
        }.joined(separator: "/")
    }

    fileprivate var parameterNames: [String] {
        pattern.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
    }

    /// Unique, because method and pattern are.
    fileprivate var operationID: String {
        let words = pattern.split { !$0.isLetter && !$0.isNumber }
        return (["\(method.name)".lowercased()] + words.map(String.init)).joined(separator: "_")
    }

    /// What it may fail with, by status: what any request may, what any key may, and its own.
    fileprivate var codes: [(status: Int, code: String)] {
        var codes = Refusal.ofAnyRequest.map { (status: $0.status, code: $0.code) }
        codes.append((Failures.status(ServiceError.Code.internalFault), ServiceError.Code.internalFault.rawValue))
        if let permission {
            let query: [ServiceError.Code] = permission.isAdministrative ? [.invalidQuery] : []
            for code in [.unauthorized, .forbidden, .rateLimited] + query {
                codes.append((Failures.status(code), code.rawValue))
            }
        }
        return codes + about.codes
    }
}

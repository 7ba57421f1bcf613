import FlagEvaluation
import Rollouts
import RouteContract

/// Reads the members of a request to start a journey from the tape.
struct JourneyReader {
    private let document: JSONDocument
    private let root: JSONDocument.Node
    private static let members: Set<String> = ["id", "flow", "unit", "build", "context", "has"]

    /// Reads the object at that node.
    init(_ document: JSONDocument, at root: JSONDocument.Node) {
        self.document = document
        self.root = root
    }

    func refuseUnknownMembers() throws {
        guard document.kind(of: root) == .object else {
            throw ServiceError(.invalidJSON, "A start must be a JSON object.")
        }
        for (key, _) in document.members(of: root) where !Self.members.contains(key) {
            throw RolloutError(
                .unknownField, "There is no member \"\(key)\" here; leave it out.", details: ["field": .string(key)])
        }
    }

    func id() throws -> JourneyID {
        guard let node = member("id"), let text = document.utf8(node), let id = JourneyID(text: text) else {
            throw ServiceError(.invalidJourneyID, "\"id\" must be a UUID of version 7, minted by the client.")
        }
        return id
    }

    /// A text that is not empty, of so many bytes at the most.
    func text(_ name: StaticString, limit: Int) throws -> String {
        guard let node = member(name), let text = document.string(node), !text.isEmpty, text.utf8.count <= limit else {
            throw RolloutError.invalidField("/\(name)", "a text of 1 to \(limit) bytes")
        }
        return text
    }

    /// What the client says that its build has, by route; nil when it says nothing.
    func claims() throws -> [String: RendererSet]? {
        guard let node = member("has"), !document.isNull(node) else { return nil }
        guard document.kind(of: node) == .object else {
            throw RolloutError.invalidField("/has", "an object of renderers by route")
        }
        var claims: [String: RendererSet] = [:]
        for (route, list) in document.members(of: node) {
            claims[route] = try renderers(list, of: route)
        }
        return claims
    }

    private func renderers(_ list: JSONDocument.Node, of route: String) throws -> RendererSet {
        let fault = RolloutError.invalidField("/has/\(route)", "a list of \"legacy\" and \"migrated\"")
        guard document.kind(of: list) == .array else { throw fault }
        return try document.elements(of: list).reduce(into: []) { renderers, element in
            guard let renderer = document.string(element).flatMap(Renderer.init(rawValue:)) else { throw fault }
            renderers.formUnion(RendererSet(renderer))
        }
    }

    /// The context to evaluate for. The unit is the targeting key and the build is an attribute, whatever it says.
    func context() throws -> EvaluationContext {
        guard let context = EvaluationContext(body: document, at: root) else {
            throw ServiceError(.invalidContext, "\"context\" must be an object of attributes.")
        }
        guard let unit = member("unit"), let build = member("build") else { return context }
        return context.replacing(targetingKey: unit, attribute: "build", by: build)
    }

    private func member(_ name: StaticString) -> JSONDocument.Node? { document.member(name, of: root) }
}

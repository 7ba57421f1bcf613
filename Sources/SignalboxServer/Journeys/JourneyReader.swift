import FlagEvaluation
import Rollouts
import RouteContract

/// Reads the members of a request to start or to resume a journey from the tape.
struct JourneyReader {
    private let document: JSONDocument
    private let root: JSONDocument.Node
    /// What a start and a resume have in common.
    static let members: Set<String> = ["flow", "unit", "build", "context", "has"]
    /// Choices that a device may tell at the most; as many as a flow of a sensible size has routes, many times over.
    static let mostChoices = 1_000

    /// Reads the object at that node.
    init(_ document: JSONDocument, at root: JSONDocument.Node) {
        self.document = document
        self.root = root
    }

    func refuseMembers(besides more: Set<String>) throws {
        guard document.kind(of: root) == .object else {
            throw ServiceError(.invalidJSON, "A start or a resume must be a JSON object.")
        }
        for (key, _) in document.members(of: root) where !Self.members.contains(key) && !more.contains(key) {
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

    /// The UUIDv7 of a member; nil when that is missing or null.
    func optionalID(_ name: StaticString) throws -> JourneyID? {
        guard let node = member(name), !document.isNull(node) else { return nil }
        guard let text = document.utf8(node), let id = JourneyID(text: text) else {
            throw RolloutError.invalidField("/\(name)", "a UUID of version 7")
        }
        return id
    }

    /// Whether a member says true; one that is missing or null says false.
    func flag(_ name: StaticString) throws -> Bool {
        guard let node = member(name), let value = document.value(of: node), !value.isNull else { return false }
        guard case .bool(let flag) = value else { throw RolloutError.invalidField("/\(name)", "true or false") }
        return flag
    }

    /// What a device decided while it was offline; nil when it did not.
    func decided() throws -> DecidedChoices? {
        guard let node = member("decided"), !document.isNull(node) else { return nil }
        guard let json = document.value(of: node)?.object else {
            throw RolloutError.invalidField("/decided", "an object")
        }
        return try DecidedChoices(json)
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

/// A route that links, notifications and restoration can name: by its key, and at most one id.
///
/// The stored form of such a route is `{"key": "orders.detail", "id": "42"}`, whatever its Swift names are.
public protocol LinkableRoute: Route {
    /// The paths that lead into the flow.
    static var links: [LinkPattern] { get }

    /// The route with this key; nil when there is none, or when the id is missing or superfluous.
    ///
    /// The id has the form that ``isValidID(_:)`` tells.
    init?(key: String, id: String?)

    /// The id, for a route that has one.
    var id: String? { get }
}

/// One path that leads to a route: `orders/{id}/receipt`.
public struct LinkPattern: Hashable, Sendable {
    /// A part of a path.
    enum Part: Hashable {
        case word(String)
        case id
    }
    let parts: [Part]
    /// The key of the route that it leads to.
    public let key: String

    /// Reads a pattern: words and at most one `{id}`, with `/` between them.
    public init(_ pattern: String, key: String) {
        parts = pattern.split(separator: "/").map { $0 == "{id}" ? .id : .word(String($0)) }
        self.key = key
    }

    /// What the path has in place of `{id}`: an empty list for a pattern without; nil when the path is another one.
    func ids(in path: [Substring]) -> [String]? {
        guard path.count == parts.count else { return nil }
        var ids: [String] = []
        for (part, text) in zip(parts, path) {
            switch part {
            case .word(let word): if word != text { return nil }
            case .id: ids.append(String(text))
            }
        }
        return ids
    }
}

extension LinkableRoute {
    /// Whether the text is an id: 1 to 64 characters of `A-Z a-z 0-9 _ -`.
    public static func isValidID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
                default: false
                }
            }
    }

    /// The route with a key and an id that came from outside.
    static func decoded(key: String, id: String?) throws(RouteError) -> Self {
        guard keys.contains(key) else { throw RouteError(.unknownRoute, "no route of \(flow) has this key") }
        if let id, !isValidID(id) { throw RouteError(.invalidID, "the id is not 1 to 64 of A-Z a-z 0-9 _ -") }
        guard let route = Self(key: key, id: id) else {
            throw RouteError(.invalidID, "\(key) was given no id, or one that it does not have")
        }
        return route
    }

    /// Reads the stored form. Throws ``RouteError`` for a key or an id that it does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StoredKeys.self)
        self = try Self.decoded(
            key: try container.decode(String.self, forKey: .key),
            id: try container.decodeIfPresent(String.self, forKey: .id))
    }

    /// Writes the stored form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredKeys.self)
        try container.encode(key, forKey: .key)
        try container.encodeIfPresent(id, forKey: .id)
    }
}

private enum StoredKeys: String, CodingKey {
    case key, id
}

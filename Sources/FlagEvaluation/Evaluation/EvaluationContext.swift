/// Who is asking: attributes, and the targeting key that is bucketed.
///
/// A view of a document, which must not be parsed anew while the context is in use.
public struct EvaluationContext {
    let document: JSONDocument
    let root: JSONDocument.Node
    /// What counts instead of what the root says.
    private(set) var replacements = Replacements()

    /// The context that a node of a document is.
    public init(_ document: JSONDocument, at root: JSONDocument.Node) {
        self.document = document
        self.root = root
    }

    /// The member `context` of a request body; an empty context when the body or the member is missing or null.
    ///
    /// `node` is where the body stands if not at the root. Nil when the body or its context is something other than an
    /// object.
    public init?(body document: JSONDocument, at node: JSONDocument.Node? = nil) {
        let body = node ?? document.root
        self.document = document
        guard !document.isNull(body) else {
            root = body
            return
        }
        guard document.kind(of: body) == .object else { return nil }
        root = document.member("context", of: body) ?? .null
        guard document.isNull(root) || document.kind(of: root) == .object else { return nil }
    }

    /// A context of its own. Attributes that nest in more than 64 levels are left out.
    public init(targetingKey: String?, attributes: JSONObject = JSONObject()) {
        var context = attributes
        if let targetingKey { context["targetingKey"] = .string(targetingKey) }
        document =
            JSONDocument(holding: .object(context)) ?? JSONDocument(holding: Self.only(targetingKey))
            ?? JSONDocument()
        root = document.root
    }

    /// The same context with another targeting key and one attribute of that name, whatever the context itself says of
    /// either. Both are values of the same document, so that nothing is copied.
    public func replacing(
        targetingKey: JSONDocument.Node, attribute name: StaticString, by value: JSONDocument.Node
    ) -> EvaluationContext {
        var context = self
        context.replacements = Replacements(targetingKey: targetingKey, name: name, attribute: value)
        return context
    }

    /// The targeting key, when it is a text.
    public var targetingKey: String? {
        let name = Replacements.targetingKey
        let own = document.kind(of: root) == .object ? document.member(name, of: root) : nil
        return (replacements.isEmpty ? own : replacements.targetingKey).flatMap { document.string($0) }
    }

    /// The whole context as a value: null when there is none.
    public var json: JSONValue {
        let own = document.value(of: root) ?? .null
        guard !replacements.isEmpty else { return own }
        var object = own.object ?? JSONObject()
        for (name, node) in replacements.members { object["\(name)"] = document.value(of: node) ?? .null }
        return .object(object)
    }

    private static func only(_ targetingKey: String?) -> JSONValue {
        .object(JSONObject(targetingKey.map { [("targetingKey", .string($0))] } ?? []))
    }
}

/// Values that count instead of the members of those names at the root of a context.
struct Replacements {
    static let targetingKey: StaticString = "targetingKey"
    private(set) var targetingKey = JSONDocument.Node.null
    private(set) var name: StaticString = ""
    private(set) var attribute = JSONDocument.Node.null

    var isEmpty: Bool { name.utf8CodeUnitCount == 0 }

    var members: [(name: StaticString, node: JSONDocument.Node)] {
        isEmpty ? [] : [(Self.targetingKey, targetingKey), (name, attribute)]
    }

    /// Whether both put the same values in the same places. Names are literals: each has one address.
    @inline(__always)
    func isSame(as other: Replacements) -> Bool {
        targetingKey == other.targetingKey && attribute == other.attribute
            && name.utf8CodeUnitCount == other.name.utf8CodeUnitCount
            && (isEmpty || name.utf8Start == other.name.utf8Start)
    }
}

extension JSONDocument {
    /// A document of that value; nil when it is nested too deeply.
    convenience init?(holding value: JSONValue) {
        guard !value.isDeeper(than: 64) else { return nil }
        self.init(trusted: value)
    }

    /// A document of a value whose depth is known to be bounded.
    convenience init(trusted value: JSONValue) {
        self.init()
        var text: [UInt8] = []
        value.write(to: &text)
        // Our own writer's text cannot be refused; the document would hold null.
        text.withUnsafeBytes { bytes in _ = try? parse(bytes, limits: .trusted) }
    }
}

/// Who is asking: attributes, and the targeting key that is bucketed.
///
/// A view of a document, which must not be parsed anew while the context is in use.
public struct EvaluationContext {
    let document: JSONDocument
    let root: JSONDocument.Node

    /// The context that a node of a document is.
    public init(_ document: JSONDocument, at root: JSONDocument.Node) {
        self.document = document
        self.root = root
    }

    /// The member `context` of a request body; an empty context when the body or the member is missing or null.
    ///
    /// Nil when the body or its context is something other than an object.
    public init?(body document: JSONDocument) {
        self.document = document
        guard !document.isNull(document.root) else {
            root = document.root
            return
        }
        guard document.kind(of: document.root) == .object else { return nil }
        root = document.member("context", of: document.root) ?? .null
        guard document.isNull(root) || document.kind(of: root) == .object else { return nil }
    }

    /// A context of its own. Attributes that nest in more than 64 levels are left out.
    public init(targetingKey: String?, attributes: JSONObject = JSONObject()) {
        var context = attributes
        if let targetingKey { context["targetingKey"] = .string(targetingKey) }
        document = JSONDocument(holding: .object(context)) ?? JSONDocument(holding: Self.only(targetingKey))
            ?? JSONDocument()
        root = document.root
    }

    private static func only(_ targetingKey: String?) -> JSONValue {
        .object(JSONObject(targetingKey.map { [("targetingKey", .string($0))] } ?? []))
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

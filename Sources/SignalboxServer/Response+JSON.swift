import FlagEvaluation
import HTTPServer

extension Response {
    /// An answer whose body is that value.
    package static func json(_ value: JSONValue, status: Int = 200) -> Response {
        var body: [UInt8] = []
        value.write(to: &body)
        return Response(status: status, body: body)
    }
}

extension JSONDocument {
    /// The text of a member of a member of the root.
    func text(_ name: StaticString, ofMember outer: StaticString) -> String? {
        member(outer, of: root).flatMap { member(name, of: $0) }.flatMap { string($0) }
    }
}

extension Request {
    /// The body as a JSON object. Fails with `body_required` or `invalid_json`.
    ///
    /// A body that carries an evaluation context is read with `limits: .context`.
    borrowing func json(limits: JSONLimits = .flagFile) throws -> JSONObject {
        guard !body.isEmpty else { throw ServiceError(.bodyRequired, "Send a JSON object as the body.") }
        guard let object = try JSONValue(parsing: body, limits: limits).object else {
            throw ServiceError(.invalidJSON, "The body must be a JSON object.")
        }
        return object
    }
}

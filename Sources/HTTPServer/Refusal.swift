import CEvHTTP

/// What the transport or the router says without asking a handler.
package struct Refusal: Error, Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// Stable, for programs.
    package let code: String
    /// For people, never parsed.
    package let message: String
}

extension Refusal {
    static let malformedPath = Refusal(
        status: 400, code: "malformed_path",
        message: "the path must be UTF-8 without empty, `.` or `..` segments, and must not escape / \\ . or controls")
    static let malformedQuery = Refusal(
        status: 400, code: "malformed_query", message: "a percent escape in the query is not two hexadecimal digits")
    static let pathNotFound = Refusal(
        status: 404, code: "path_not_found", message: "there is nothing at this path")
    static let methodNotAllowed = Refusal(
        status: 405, code: "method_not_allowed", message: "this path does not take this method; see the Allow header")
    static let bodyTooLarge = Refusal(
        status: 413, code: "body_too_large", message: "the body is larger than this path takes")
    static let unanswered = Refusal(
        status: 500, code: "unanswered", message: "the server gave no answer to this request")
}

extension Refusal {
    /// Everything that any request may be refused with below its handler, but for an unknown path and a wrong method.
    package static var ofAnyRequest: [Refusal] {
        (0...SBX_TOO_MANY_CONNECTIONS.rawValue).map { Refusal(sbx_reason(rawValue: $0)) }
            + [malformedPath, malformedQuery, unanswered, tooManyStreams]
    }
}

/// How errors become answers, in one place, so that every error body has one shape.
package struct ErrorResponses: Sendable {
    /// For what a handler throws.
    package let forError: @Sendable (any Error) -> Response
    /// For what the transport and the router refuse themselves.
    package let forRefusal: @Sendable (Refusal) -> Response

    /// Both mappings.
    package init(
        forError: @escaping @Sendable (any Error) -> Response,
        forRefusal: @escaping @Sendable (Refusal) -> Response
    ) {
        self.forError = forError
        self.forRefusal = forRefusal
    }
}

/// The methods that the server takes. Any other is refused with 501 before the router sees it.
package enum Method: UInt8, CaseIterable, Hashable, Sendable {
    case get, head, post, put, patch, delete

    /// As it is written on the wire.
    package var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        }
    }
}

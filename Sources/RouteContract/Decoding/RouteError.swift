/// Why a link, a notification or a stored route leads nowhere.
public struct RouteError: Error, Hashable, Sendable {
    /// Stable; a released one never changes its meaning.
    public enum Code: String, CaseIterable, Sendable {
        /// No route has this path or key.
        case unknownRoute = "unknown_route"
        /// The scheme or the host is not one of ours.
        case foreignLink = "foreign_link"
        /// An id is missing, superfluous, too long, or has characters that ids do not have.
        case invalidID = "invalid_id"
        /// The version is not a number, or was written by a newer build than this one.
        case unsupportedVersion = "unsupported_version"
        /// The notification carries no usable id of its own.
        case invalidNotification = "invalid_notification"
    }
    /// What programs look at.
    public let code: Code
    /// For people; never parsed.
    public let message: String

    /// An error with its message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

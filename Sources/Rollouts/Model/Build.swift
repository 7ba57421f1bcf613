import RouteContract

/// `{app}:{number}`: one release of an app.
public struct BuildID: Hashable, Sendable {
    public let app: String
    /// Ordered within the app.
    public let number: Int64

    public init(app: String, number: Int64) {
        self.app = app
        self.number = number
    }

    /// Reads `{app}:{number}`; nil when the text is not of that form.
    public init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), let number = Int64(text[text.index(after: colon)...]), number >= 0
        else { return nil }
        self.init(app: String(text[..<colon]), number: number)
    }

    /// `{app}:{number}`
    public var text: String { "\(app):\(number)" }
}

/// What a release of an app contains.
public struct Build: Hashable, Sendable {
    public let id: BuildID
    /// The release's version, as people see it.
    public var version: String
    /// Milliseconds since 1970; nil while it is not released.
    public var releasedAt: Int64?
    public var minimumOS: String?
    public var commit: String?
    /// The renderers that are compiled in, by route key. A route that is missing is not in the build.
    public var renderers: [String: Set<Renderer>]

    public init(
        id: BuildID, version: String, releasedAt: Int64? = nil, minimumOS: String? = nil, commit: String? = nil,
        renderers: [String: Set<Renderer>]
    ) {
        self.id = id
        self.version = version
        self.releasedAt = releasedAt
        self.minimumOS = minimumOS
        self.commit = commit
        self.renderers = renderers
    }
}

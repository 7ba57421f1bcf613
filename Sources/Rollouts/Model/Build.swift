import FlagEvaluation
import RouteContract

/// `{app}:{number}`: one release of an app.
package struct BuildID: Hashable, Sendable {
    package let app: String
    /// Ordered within the app.
    package let number: Int64

    package init(app: String, number: Int64) {
        self.app = app
        self.number = number
    }

    /// Reads `{app}:{number}`, the app a key and the number in its shortest form; nil when the text is not like that.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (app, digits) = (text[..<colon], text[text.index(after: colon)...])
        guard Key.isValid(app), let number = Int64(digits), number >= 0, String(number) == digits else { return nil }
        self.init(app: String(app), number: number)
    }

    /// `{app}:{number}`
    package var text: String { "\(app):\(number)" }
}

extension BuildID: Comparable {
    package static func < (left: BuildID, right: BuildID) -> Bool {
        (left.app, left.number) < (right.app, right.number)
    }
}

/// What a release of an app contains.
package struct Build: Hashable, Sendable {
    package let id: BuildID
    /// The release's version, as people see it.
    package var version: String
    /// Milliseconds since 1970; nil while it is not released.
    package var releasedAt: Int64?
    package var minimumOS: String?
    package var commit: String?
    /// The renderers that are compiled in, by route key. A route that is missing is not in the build.
    package var renderers: [String: Set<Renderer>]

    package init(
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

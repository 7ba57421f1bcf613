/// The part that a rollback is limited to. What it names must all hold, and what a context does not tell holds: to give
/// too many legacy is safe.
package struct RollbackScope: Hashable, Sendable {
    /// The key of an app.
    package var app: String?
    package var builds: BuildRange?
    package var os: OSRange?

    package init(app: String? = nil, builds: BuildRange? = nil, os: OSRange? = nil) {
        self.app = app
        self.builds = builds
        self.os = os
    }

    /// Whether a registered build lies in it.
    package func contains(_ build: Build) -> Bool {
        (app.map { $0 == build.id.app } ?? true) && (builds?.contains(build) ?? true)
    }

    /// `app pad, builds 7.3.1..7.3.4, OS >=17 <18`
    package var text: String {
        [app.map { "app \($0)" }, builds.map { "builds \($0.text)" }, os.map { "OS \($0.text)" }]
            .compactMap(\.self).joined(separator: ", ")
    }
}

/// The first and the last of some builds, both included.
package enum BuildRange: Hashable, Sendable {
    case numbers(app: String, ClosedRange<Int64>)
    /// By the version that a build is registered with.
    case versions(ClosedRange<ReleaseVersion>)

    /// Reads `7.3.1..7.3.4`, `app:730..app:734`, or one of either alone; nil for anything else.
    package init?(_ text: String) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard ends.count <= 2, let first = ends.first, let last = ends.last else { return nil }
        if let first = BuildID(first), let last = BuildID(last) {
            guard first.app == last.app, first.number <= last.number else { return nil }
            self = .numbers(app: first.app, first.number...last.number)
        } else if let first = ReleaseVersion(first), let last = ReleaseVersion(last), first <= last {
            self = .versions(first...last)
        } else {
            return nil
        }
    }

    func contains(_ build: Build) -> Bool {
        switch self {
        case .numbers(let app, let numbers): app == build.id.app && numbers.contains(build.id.number)
        case .versions(let versions): ReleaseVersion(build.version).map(versions.contains) ?? false
        }
    }

    /// As it is read.
    package var text: String {
        switch self {
        case .numbers(let app, let range): "\(app):\(range.lowerBound)..\(app):\(range.upperBound)"
        case .versions(let range): "\(range.lowerBound.text)..\(range.upperBound.text)"
        }
    }
}

/// Some versions of an operating system: up to four comparisons that must all hold.
package struct OSRange: Hashable, Sendable {
    /// How a version is compared.
    enum Sign: String, CaseIterable, Sendable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case equal = "="

        /// The sign that holds exactly when this one does not, as flagd's `sem_ver` writes it.
        var opposite: String {
            switch self {
            case .atLeast: "<"
            case .atMost: ">"
            case .above: "<="
            case .below: ">="
            case .equal: "!="
            }
        }
    }

    struct Comparison: Hashable, Sendable {
        let sign: Sign
        let version: ReleaseVersion
    }

    let comparisons: [Comparison]

    /// Reads `>=17 <18`, or `17.4` for one version; nil for anything else.
    package init?(_ text: String) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
        guard (1...4).contains(words.count) else { return nil }
        var comparisons: [Comparison] = []
        for word in words {
            let sign = Sign.allCases.first { word.hasPrefix($0.rawValue) }
            guard let version = ReleaseVersion(word.dropFirst(sign?.rawValue.count ?? 0)) else { return nil }
            comparisons.append(Comparison(sign: sign ?? .equal, version: version))
        }
        self.comparisons = comparisons
    }

    /// As it is read.
    package var text: String {
        comparisons.map { $0.sign.rawValue + $0.version.text }.joined(separator: " ")
    }

    /// Whether some version can satisfy all comparisons.
    var isSatisfiable: Bool {
        var (lowest, includesLowest) = (ReleaseVersion?.none, true)
        var (highest, includesHighest) = (ReleaseVersion?.none, true)
        for comparison in comparisons {
            let version = comparison.version
            if [.atLeast, .above, .equal].contains(comparison.sign) {
                let isIncluded = comparison.sign != .above
                if lowest.map({ version > $0 }) ?? true {
                    (lowest, includesLowest) = (version, isIncluded)
                } else if version == lowest {
                    includesLowest = includesLowest && isIncluded
                }
            }
            if [.atMost, .below, .equal].contains(comparison.sign) {
                let isIncluded = comparison.sign != .below
                if highest.map({ version < $0 }) ?? true {
                    (highest, includesHighest) = (version, isIncluded)
                } else if version == highest {
                    includesHighest = includesHighest && isIncluded
                }
            }
        }
        guard let lowest, let highest else { return true }
        return lowest < highest || (lowest == highest && includesLowest && includesHighest)
    }
}

/// A rollback of a part of a route's journeys, which stands until it is lifted.
package struct Exclusion: Hashable, Sendable {
    /// `s` and the revision that it was made with, so that all routes that one command excluded share it.
    package let id: String
    package let scope: RollbackScope
    /// Only raised while it stands.
    package var level: RollbackLevel
    package let reason: String
    /// Milliseconds since 1970.
    package let since: Int64
    /// Who asked for it.
    package let by: String

    package init(id: String, scope: RollbackScope, level: RollbackLevel, reason: String, since: Int64, by: String) {
        self.id = id
        self.scope = scope
        self.level = level
        self.reason = reason
        self.since = since
        self.by = by
    }
}

/// The journeys in flight on one route, as the store counted them.
package struct LivePins: Hashable, Sendable {
    /// Those that are pinned to legacy, by build.
    package var legacy: [BuildID: Int] = [:]
    /// Those that are pinned to migrated, by build.
    package var migrated: [BuildID: Int] = [:]

    package init() {}

    /// What keeps legacy from being deleted: apps in which builds before the deletion build have more than that share,
    /// of 100 000, of the journeys in flight pinned to legacy. Nil when there is none.
    ///
    /// A journey in flight is at most 7 days old, so each of these builds was seen in the last 30 days.
    func legacyLeft(before deletionBuilds: [String: BuildID], share: Int) -> String? {
        let left = deletionBuilds.sorted { $0.key < $1.key }.compactMap { app, deletionBuild -> String? in
            let pinned = legacy.filter { $0.key.app == app && $0.key < deletionBuild }.values.reduce(0, +)
            let all = [legacy, migrated].joined().filter { $0.key.app == app }.map(\.value).reduce(0, +)
            guard pinned.isMore(than: share, of: all) else { return nil }
            return "\(pinned) of \(all) journeys in flight of \(app) are pinned to legacy in builds "
                + deletionBuild.asBound
        }
        return left.isEmpty ? nil : left.joined(separator: "; ")
    }
}

/// What keeps legacy from being deleted beside pins: apps in which builds before the deletion build started more than
/// that share, of 100 000, of the journeys of the last 30 days: a rollback would no longer reach them, or only them.
func oldBuildsLeft(
    _ journeys: [BuildID: Int], before deletionBuilds: [String: BuildID], share: Int
) -> String? {
    let left = deletionBuilds.sorted { $0.key < $1.key }.compactMap { app, deletionBuild -> String? in
        let ofApp = journeys.filter { $0.key.app == app }
        let old = ofApp.filter { $0.key < deletionBuild }.values.reduce(0, +)
        let all = ofApp.values.reduce(0, +)
        guard old.isMore(than: share, of: all) else { return nil }
        return "\(old) of \(all) journeys of \(app) in the last 30 days came from builds \(deletionBuild.asBound)"
    }
    return left.isEmpty ? nil : left.joined(separator: "; ")
}

extension BuildID {
    fileprivate var asBound: String { number == .max ? "that have it" : "before \(text)" }
}

extension Int {
    /// Whether this many are more than a share, of 100 000, of all.
    fileprivate func isMore(than share: Int, of all: Int) -> Bool {
        let (own, whole) = (multipliedFullWidth(by: RolloutPlan.wholeShare), all.multipliedFullWidth(by: share))
        return (own.high, own.low) > (whole.high, whole.low)
    }
}

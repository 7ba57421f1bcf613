/// The journeys in flight on one route, as the store counted them.
package struct LivePins: Hashable, Sendable {
    /// Those that are pinned to legacy, by build.
    package var legacy: [BuildID: Int] = [:]
    /// Those that are pinned to migrated, by build.
    package var migrated: [BuildID: Int] = [:]

    package init() {}

    /// What keeps legacy from being deleted: apps in which builds that count have more than that share, of 100 000, of
    /// the journeys in flight pinned to legacy. Nil when there is none.
    ///
    /// A journey in flight is at most 7 days old, so each of these builds was seen in the last 30 days.
    func legacyLeft(_ deletion: LegacyDeletion, share: Int) -> String? {
        let left = Set(legacy.keys.map(\.app)).sorted().compactMap { app -> String? in
            let counted = deletion.counted(of: app)
            let pinned = legacy.filter { $0.key.app == app && counted.contains($0.key) }.values.reduce(0, +)
            let all = [legacy, migrated].joined().filter { $0.key.app == app }.map(\.value).reduce(0, +)
            guard pinned.isMore(than: share, of: all) else { return nil }
            return "\(pinned) of \(all) journeys in flight of \(app) are pinned to legacy in builds \(counted.text)"
        }
        return left.isEmpty ? nil : left.joined(separator: "; ")
    }
}

/// What keeps legacy from being deleted beside pins: apps in which builds that count started more than that share, of
/// 100 000, of the journeys of the last 30 days: a rollback would no longer reach them, or only them.
func oldBuildsLeft(_ journeys: [BuildID: Int], _ deletion: LegacyDeletion, share: Int) -> String? {
    let left = Set(journeys.keys.map(\.app)).sorted().compactMap { app -> String? in
        let (counted, ofApp) = (deletion.counted(of: app), journeys.filter { $0.key.app == app })
        let old = ofApp.filter { counted.contains($0.key) }.values.reduce(0, +)
        let all = ofApp.values.reduce(0, +)
        guard old.isMore(than: share, of: all) else { return nil }
        return "\(old) of \(all) journeys of \(app) in the last 30 days came from builds \(counted.text)"
    }
    return left.isEmpty ? nil : left.joined(separator: "; ")
}

extension Int {
    /// Whether this many are more than a share, of 100 000, of all.
    fileprivate func isMore(than share: Int, of all: Int) -> Bool {
        let (own, whole) = (multipliedFullWidth(by: RolloutPlan.wholeShare), all.multipliedFullWidth(by: share))
        return (own.high, own.low) > (whole.high, whole.low)
    }
}

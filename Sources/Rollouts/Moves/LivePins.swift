/// The journeys in flight on one route, as the store counted them.
package struct LivePins: Hashable, Sendable {
    /// Those that are pinned to legacy, by build.
    package var legacy: [BuildID: Int] = [:]
    /// Those that are pinned to migrated, by build.
    package var migrated: [BuildID: Int] = [:]

    package init() {}

    /// Of how many journeys of an app one may still be pinned to legacy when legacy is deleted.
    private static let journeysPerLegacyPin = 100

    /// What keeps legacy from being deleted: apps in which builds before the deletion build have too many journeys in
    /// flight that are pinned to legacy. Nil when there is none.
    func legacyLeft(before deletionBuilds: [String: BuildID]) -> String? {
        let left = deletionBuilds.sorted { $0.key < $1.key }.compactMap { app, deletionBuild -> String? in
            let pinned = legacy.filter { $0.key.app == app && $0.key < deletionBuild }.values.reduce(0, +)
            let all = [legacy, migrated].joined().filter { $0.key.app == app }.map(\.value).reduce(0, +)
            guard pinned > all / Self.journeysPerLegacyPin else { return nil }
            return "\(pinned) of \(all) journeys in flight of \(app) are pinned to legacy in builds before "
                + deletionBuild.text
        }
        return left.isEmpty ? nil : left.joined(separator: "; ")
    }
}

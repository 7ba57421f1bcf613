import FlagEvaluation

/// What a move did, or would do.
struct MoveReport {
    let service: Service

    /// One line on what the route is now, then the facts of the ladder and of the pins.
    func text(route: JSONValue, in answer: JSONValue) -> String {
        let view = RouteView(route: route)
        if answer["dryRun"] == .bool(true) {
            return "\(view.key) would be \(view.position).\n\(unitsChanged(answer))\nNothing has changed."
        }
        let now = isChanged(answer) ? "now " : ""
        var lines = ["\(view.key) is \(now)\(view.position). \(service.revision(of: answer))"]
        if let following = view.following { lines.append("The next step gives \(following).") }
        if isChanged(answer), let pins = pins(of: view.key) { lines.append(pins) }
        return lines.joined(separator: "\n")
    }

    /// The same for several routes.
    func text(routes: [JSONValue], in answer: JSONValue) -> String {
        if answer["dryRun"] == .bool(true) {
            let units = answer["unitsChanged"].map { _ in unitsChanged(answer) + "\n" } ?? ""
            return "Would be:\n\(service.table(ofRoutes: routes))\n\(units)Nothing has changed."
        }
        let table = service.table(ofRoutes: routes)
        return table + "\n" + service.revision(of: answer)
    }

    private func isChanged(_ answer: JSONValue) -> Bool { answer["changed"] != .bool(false) }

    private func unitsChanged(_ answer: JSONValue) -> String {
        let units = answer["unitsChanged"] ?? .null
        return "Of \(units.number("of")) units, \(units.number("toMigrated")) would change to migrated and "
            + "\(units.number("toLegacy")) to legacy."
    }

    /// Journeys in flight keep their pins. The move has happened: that this cannot be read is no failure of it.
    private func pins(of key: String) -> String? {
        guard let live = try? service.fetch(.get("routes", key, "journeys")).value["live"] else { return nil }
        return "Journeys in flight keep what they have: \(live.number("legacy")) legacy, "
            + "\(live.number("migrated")) migrated."
    }
}

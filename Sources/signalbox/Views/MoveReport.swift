import FlagEvaluation

/// What a move did, or would do.
struct MoveReport {
    let service: Service
    let verb: String
    /// Whether a part was rolled back or resumed; then no route changes its status.
    let isScoped: Bool
    /// What stood before an advance: routes with the gates of their next move. The service judges for itself; these are
    /// only for the report.
    private var before: [JSONValue] = []
    /// Where the route stood before a dry run.
    private var origin: String?

    init(service: Service, verb: String, isScoped: Bool = false) {
        self.isScoped = isScoped
        self.service = service
        self.verb = verb
    }

    /// Reads what the answer will not say. When that fails, the move itself will say why.
    mutating func readBefore(_ key: String, isDryRun: Bool) {
        if isDryRun, let route = try? service.fetch(.get("routes", key)).value {
            origin = RouteView(route: route).position
            if verb == "advance" { before = [route["next"] ?? .null] }
        } else if verb == "advance", let next = try? service.fetch(.get("routes", key, "gates")).value {
            before = [next]
        }
    }

    /// The same for all routes, of which the answer will name those that were meant.
    mutating func readBefore() {
        guard verb == "advance", let gates = try? service.fetch(.get("gates")).value else { return }
        before = gates.list("routes")
    }

    /// One line on what the route is now, then the gates passed by and the facts of the ladder and of the pins.
    func text(route: JSONValue, in answer: JSONValue) -> String {
        let view = RouteView(route: route)
        if answer["dryRun"] == .bool(true) {
            let from = origin.map { $0 == view.position ? " as it is" : ", and is \($0)" } ?? ""
            if isScoped {
                return [scopes(view, in: answer), unitsChanged(answer), "Nothing has changed."].joined(separator: "\n")
            }
            let lines = ["\(view.key) would be \(view.position)\(from)."] + passedBy(isDryRun: true)
            return (lines + [unitsChanged(answer), "Nothing has changed."]).joined(separator: "\n")
        }
        if isScoped { return scopes(view, in: answer) }
        let now = isChanged(answer) ? "now " : ""
        var lines = ["\(view.key) is \(now)\(view.position). \(service.revision(of: answer))"]
        if isChanged(answer) { lines += passedBy(isDryRun: false) }
        if verb == "advance", isChanged(answer) { lines += view.forcedBox }
        if verb == "rollback" { lines += published(answer) }
        if let following = view.following { lines.append("The next step gives \(following).") }
        if isChanged(answer), let pins = pins(of: route) { lines.append(pins) }
        return lines.joined(separator: "\n")
    }

    /// The same for the routes of a flow, or for all that there are.
    ///
    /// A verb that narrows leaves out what it cannot move, so what has another status now was skipped.
    func text(routes: [JSONValue], of flow: String?, in answer: JSONValue) -> String {
        let status = isScoped ? nil : ["rollback": "rolledBack", "hold": "held"][verb]
        let named = answer["moved"].map { _ in Set(answer.list("moved").compactMap(\.string)) }
        let moved =
            named.map { named in routes.filter { named.contains($0.shown("key")) } }
            ?? routes.filter { route in status.map { route.shown("status") == $0 } ?? true }
        guard !moved.isEmpty else { return verb == "rollback" && !isScoped ? nothingToRollBack(routes) : Self.nothing }
        let isDryRun = answer["dryRun"] == .bool(true)
        let skipped = routes.map { $0.shown("key") }.filter { key in !moved.contains { $0.shown("key") == key } }
        let subject = service.counted(moved.count, "route") + (flow.map { " of \($0.printable)" } ?? "")
        let words = ["rollback": "rolled back", "hold": "held", "advance": "advanced", "resume": "resumed"]
        let done = words[verb] ?? "moved"
        var lines: [String] = []
        if isDryRun {
            lines.append("\(subject) would be \(done):")
        } else if isChanged(answer) {
            lines.append("\(subject) \(moved.count == 1 ? "is" : "are") \(done). \(service.revision(of: answer))")
        } else {
            lines.append(service.revision(of: answer))
        }
        if isDryRun || isChanged(answer) { lines += passedBy(among: moved, isDryRun: isDryRun) }
        if verb == "advance", !isDryRun, isChanged(answer) {
            lines += moved.flatMap { RouteView(route: $0).forcedBox }
        }
        if verb == "rollback" { lines += published(answer) }
        if isScoped {
            lines += moved.flatMap { route in
                let view = RouteView(route: route)
                return view.exclusionLines(at: .now).enumerated().map {
                    $0.offset == 0 ? "\(view.key): \($0.element)" : $0.element
                }
            }
        } else {
            lines.append(service.table(ofRoutes: moved))
        }
        if !skipped.isEmpty { lines.append("Left as they are, because this is not possible: \(skipped.listed).") }
        if isDryRun {
            if answer["unitsChanged"] != nil { lines.append(unitsChanged(answer)) }
            lines.append("Nothing has changed.")
        }
        return lines.joined(separator: "\n")
    }

    private static let nothing = "There is no route where this is possible. Nothing changed."

    /// Says of routes of which none was rolled back why that is as it should be, or that it was not possible.
    private func nothingToRollBack(_ routes: [JSONValue]) -> String {
        var (already, islands, early, deleted) = (0, 0, 0, 0)
        for route in routes {
            switch (route.shown("status"), route.shown("stage")) {
            case (_, "oldDeleted"): deleted += 1
            case ("rolledBack", _): already += 1
            case ("island", _): islands += 1
            case (_, "notStarted"): early += 1
            default: return Self.nothing
            }
        }
        func part(_ count: Int, _ one: String, _ more: String) -> String? {
            count == 0 ? nil : service.counted(count, "route") + " " + (count == 1 ? one : more)
        }
        let parts = [
            part(already, "is rolled back already", "are rolled back already"),
            part(early, "has not started", "have not started"), part(islands, "is an island", "are islands"),
            part(deleted, "has no legacy entry any more", "have no legacy entry any more"),
        ].compactMap { $0 }
        let head = deleted > 0 ? "No route can be rolled back" : "There is nothing to roll back"
        return head + (parts.isEmpty ? "" : ": \(parts.listed)") + ". Nothing changed."
    }

    /// What of a route is rolled back in scopes after the move.
    private func scopes(_ view: RouteView, in answer: JSONValue) -> String {
        let lines = view.exclusionLines(at: .now)
        let head = "\(view.key) is \(view.position). \(service.revision(of: answer))"
        return
            ([head] + (verb == "rollback" ? published(answer) : [])
            + (lines.isEmpty ? ["Nothing of it is rolled back in scopes."] : lines)).joined(separator: "\n")
    }

    /// How long it took until nobody was given migrated any more.
    private func published(_ answer: JSONValue) -> [String] {
        answer["publishedAfterMilliseconds"]?.integer.map { ["In force \($0) ms after the command."] } ?? []
    }

    private func isChanged(_ answer: JSONValue) -> Bool { answer["changed"] != .bool(false) }

    /// The gates that did not pass: those forced, and those that nothing could decide. With several routes each gate is
    /// named with its own.
    private func passedBy(among routes: [JSONValue]? = nil, isDryRun: Bool) -> [String] {
        let keys = routes?.map { $0.shown("key") }
        func names(_ verdict: String) -> [String] {
            before.filter { keys?.contains($0.shown("route")) ?? true }.flatMap { route in
                route.list("gates").filter { $0.shown("verdict") == verdict }
                    .map { (keys == nil ? "" : route.shown("route") + " ") + $0.shown("name") }
            }
        }
        let (failed, unknown) = (names("fail"), names("unknown"))
        var lines: [String] = []
        if !failed.isEmpty {
            lines.append("\(isDryRun ? "Would be passed" : "Passed") by force: \(failed.listed).")
        }
        if !unknown.isEmpty {
            let count = service.counted(unknown.count, "gate")
            let verb = unknown.count == 1 ? (isDryRun ? "is" : "was") : (isDryRun ? "are" : "were")
            let block = isDryRun ? "would not block" : "did not block"
            lines.append("\(count) \(verb) unknown and \(block): \(unknown.listed).")
        }
        return lines
    }

    private func unitsChanged(_ answer: JSONValue) -> String {
        let units = answer["unitsChanged"] ?? .null
        return "Of \(units.number("of")) simulated units without attributes (none is in a cohort that asks for one), "
            + "\(units.number("toMigrated")) would change to migrated and \(units.number("toLegacy")) to legacy."
    }

    /// What becomes of journeys in flight. The move has happened: that this cannot be read is no failure of it.
    private func pins(of route: JSONValue) -> String? {
        let key = route.shown("key")
        guard let live = try? service.fetch(.get("routes", key, "journeys")).value["live"] else { return nil }
        let (legacy, migrated) = (live.number("legacy"), live.number("migrated"))
        return switch route["rollbackLevel"]?.string {
        case "abort": "Journeys in flight: \(migrated) with migrated are told to end, \(legacy) with legacy go on."
        case "repinOnResume":
            "Journeys in flight: \(migrated) with migrated restart in legacy when they are resumed, \(legacy) go on in legacy."
        default: "Journeys in flight keep what they have: \(legacy) legacy, \(migrated) migrated."
        }
    }
}

extension [String] {
    /// The texts with commas between.
    var listed: String { joined(separator: ", ") }
}

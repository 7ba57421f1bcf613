import FlagEvaluation
import RouteContract

extension ConfigurationDocument {
    /// Something that the document says and applying it does not do, with the command that does.
    package struct Remaining: Hashable, Sendable {
        /// A JSON Pointer into the document.
        package let path: String
        /// A command line, or in words why there is none.
        package let verb: String

        package var json: JSONObject { ["path": .string(path), "verb": .string(verb)] }
    }

    /// What the configuration, after the document was applied to it, does not share with it on purpose.
    package func remaining(in configuration: Configuration, base: DocumentBase, at now: Int64) -> [Remaining] {
        let current = ConfigurationDocument(of: configuration)
        var asked: Set<String>?
        if case .earlier(let earlier) = base { asked = Set(earlier.differences(to: self).map(\.path)) }
        return current.differences(to: self).filter { asked?.contains($0.path) ?? true }.flatMap { difference in
            remaining(difference, in: configuration, at: now)
        }
    }

    private func remaining(
        _ difference: Difference, in configuration: Configuration, at now: Int64
    ) -> [Remaining] {
        let id = difference.id
        func entry(_ verb: String) -> [Remaining] { [Remaining(path: difference.path, verb: verb)] }
        switch difference.section {
        case .routes:
            guard difference.kind != .removed else { return entry("stays: routes are not removed") }
            return remaining(route: difference, in: configuration)
        case .overrides:
            guard let override = Override.ID(text: id).flatMap({ configuration.overrides[$0] }) else {
                let item = self[.overrides, id]
                guard item?["expiresAt"]?.integer ?? 0 > now else { return [] }
                return entry(
                    "signalbox override set \(item?["route"]?.string ?? "") --unit \(item?["unit"]?.string ?? "") "
                        + "--renderer \(item?["renderer"]?.string ?? "")")
            }
            return entry(
                difference.kind == .removed
                    ? "signalbox override clear \(override.id.route) --unit \(override.id.unit)"
                    : "signalbox override set \(override.id.route) --unit \(override.id.unit)")
        case .settings: return entry("signalbox environment set --unknown-build trust")
        case .conditions: return entry("stays: conditions are written and frozen by signalbox condition")
        case .waivers: return entry("stays: a waiver is granted by signalbox waiver, in the approver's name")
        case .cohorts where difference.kind == .removed:
            return entry("stays: it is named by \(configuration.users(ofCohort: id).joined(separator: ", "))")
        case .cohorts: return entry("signalbox cohort set \(id), with --force where it decides in a ladder now")
        case .builds where difference.kind == .added:
            return entry("signalbox build register \(id): it would be given migrated")
        case .flags where configuration.flags[id]?.isDisabled ?? false && difference.kind == .changed:
            return entry("signalbox flag enable \(id)")
        case .flows, .builds, .flags: return entry("stays as it is")
        }
    }

    private func remaining(route difference: Difference, in configuration: Configuration) -> [Remaining] {
        let key = difference.id
        guard let route = configuration.routes[key], let wanted = wish(.routes, key) else { return [] }
        return difference.members.compactMap { member -> Remaining? in
            let verb: String
            switch member {
            case "stage", "step":
                let stage = wanted["stage"]?.string.flatMap(Stage.init(rawValue:)) ?? route.stage
                let step = Int(wanted["step"]?.integer ?? 0)
                // Told once, although a stage brings its step with it.
                if member == "step", stage != route.stage { return nil }
                let isFurther = (stage, step) > (route.stage, route.step)
                verb = "signalbox route \(isFurther ? "advance" : "retreat") \(key)"
            case "status":
                switch wanted["status"]?.string.flatMap(RouteStatus.init(rawValue:)) {
                case .active?: verb = "signalbox route resume \(key)"
                case .held?: verb = "signalbox route hold \(key)"
                case .rolledBack?: verb = "signalbox route rollback \(key)"
                case .island?, nil: verb = "signalbox route island \(key)"
                }
            case "island": verb = "signalbox route island \(key)"
            case "exclusions": verb = "signalbox route resume \(key) --scope ID, or route rollback with a scope"
            case "plan":
                verb = "signalbox route plan \(key): the step that decides now is only changed by advance and retreat"
            case "requires", "excludes":
                verb = "signalbox route edit \(key): it may be what holds a ladder that climbs by itself"
            default: verb = "stays: a route's \(member) is edited, not cleared"
            }
            return Remaining(path: pointer(to: member, in: difference.path), verb: verb)
        }
    }
}

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
                func word(_ member: String) -> String { Self.shellWord(item?[member]?.string ?? "") }
                return entry(
                    "signalbox override set \(word("route")) --unit \(word("unit")) --renderer \(word("renderer"))")
            }
            let verb = difference.kind == .removed ? "clear" : "set"
            let (route, unit) = (Self.shellWord(override.id.route), Self.shellWord(override.id.unit))
            return entry("signalbox override \(verb) \(route) --unit \(unit)")
        case .settings: return entry("signalbox environment set --unknown-build trust")
        case .conditions: return entry("stays: conditions are written and frozen by signalbox condition")
        case .waivers: return entry("stays: a waiver is granted by signalbox waiver, in the approver's name")
        case .cohorts where difference.kind == .removed:
            return entry("stays: it is named by \(configuration.users(ofCohort: id).joined(separator: ", "))")
        case .cohorts:
            let ladders = configuration.ladders(decidedBy: id)
            return entry(
                "signalbox cohort set \(id) --rule …"
                    + (ladders.isEmpty
                        ? ": a ladder that climbs by itself comes to it"
                        : " --force: it decides now for \(ladders.joined(separator: ", "))"))
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
                guard let place = place(member, of: route, wanted) else { return nil }
                verb = place
            case "status":
                verb = status(wanted["status"]?.string.flatMap(RouteStatus.init(rawValue:)), of: route)
            case "island": verb = "signalbox route island \(key)"
            case "exclusions": verb = "signalbox route resume \(key) --scope ID, or route rollback with a scope"
            case "plan" where wanted["plan"]?.object != nil:
                verb =
                    "signalbox route plan \(key), where that may: what gives more or asks for less than the ladder that "
                    + "decides now stays"
            case "requires", "excludes":
                verb = "signalbox route edit \(key): it may be what holds a ladder that climbs by itself"
            default: verb = "stays: a route's \(member) is edited, not cleared"
            }
            return Remaining(path: pointer(to: member, in: difference.path), verb: verb)
        }
    }

    /// The verb that leads to another stage or step; nil where it was told already.
    private func place(_ member: String, of route: RouteRollout, _ wanted: JSONObject) -> String? {
        guard let stage = wanted["stage"]?.string.flatMap(Stage.init(rawValue:)) else {
            return member == "stage" ? "stays: there is no such stage" : nil
        }
        // Told once, although a stage brings its step with it.
        if member == "step", stage != route.stage { return nil }
        guard let step = wanted["step"]?.integer.flatMap({ Int(exactly: $0) }),
            (0...(route.plan?.steps.count ?? 0)).contains(step)
        else { return "stays: there is no such step" }
        guard (stage, step) > (route.stage, route.step) else { return "signalbox route retreat \(route.key)" }
        guard wanted["status"] != .string(RouteStatus.rolledBack.rawValue) else {
            return "stays: a route that is rolled back does not advance"
        }
        return "signalbox route advance \(route.key)"
    }

    /// The verb that leads to another status.
    private func status(_ status: RouteStatus?, of route: RouteRollout) -> String {
        let needsCause = route.status == .rolledBack || route.stop != nil
        let resume = "signalbox route resume \(route.key)" + (needsCause ? " --cause …" : "")
        return switch status {
        case .active?: resume
        case .held? where route.status != .active: "\(resume), then hold"
        case .held?: "signalbox route hold \(route.key)"
        case .rolledBack?: "signalbox route rollback \(route.key)"
        case .island?, nil: "signalbox route island \(route.key)"
        }
    }

    /// The text where a shell takes it as one word that means itself, `…` otherwise: verbs are printed to be copied, and
    /// units are whatever somebody sent.
    private static func shellWord(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { character in
            switch character {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "@", ":", "-": true
            default: false
            }
        }
        return isPlain && !text.isEmpty && !text.hasPrefix("-") ? text : "…"
    }
}

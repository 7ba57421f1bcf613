import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract

extension Operators {
    private static let mostFlows = 5
    private static let mostRoutes = 16

    mutating func askForRoute(_ kind: CommandKind) -> Ask? {
        switch kind {
        case .createFlow:
            let key = "flow-\(random.number(in: 1...Int64(Self.mostFlows - 2)))"
            return Ask(
                kind: kind, method: .post, target: "/v1/flows",
                body: [
                    "key": .string(key), "owner": text("Team", "Others"),
                    "journeyLifetimeSeconds": .integer(random.one(of: [3_600, 86_400], or: 86_400)),
                ])
        case .editFlow:
            guard let flow = oneKey(of: configuration.flows) else { return nil }
            let lifetime = random.number(in: 1...200) * 3_600
            return Ask(
                kind: kind, method: .patch, target: "/v1/flows/\(flow)",
                body: random.chance(50)
                    ? ["owner": text("Team", "Others", "People")] : ["journeyLifetimeSeconds": .integer(lifetime)])
        case .registerRoute:
            guard let flow = oneKey(of: configuration.flows) else { return nil }
            let isFull = configuration.routes.count >= Self.mostRoutes
            let known = isFull ? oneKey(of: configuration.routes) : nil
            var body = fields()
            if random.chance(70) {
                body["plan"] = plan()
                for name in ["contract", "deletion", "purpose", "entryPoints"] { body[name] = field(name) }
            }
            // One flow is of one route: all of it can be moved at once.
            let number = flow == "flow-3" ? 1 : random.number(in: 1...9)
            body["key"] = .string(known ?? "\(flow).r\(number)")
            body["flow"] = .string(flow)
            return Ask(kind: kind, method: .post, target: "/v1/routes", body: body)
        default:
            guard let route = oneRoute() else { return nil }
            return Ask(
                kind: kind, method: .patch, target: "/v1/routes/\(route.key)",
                body: kind == .plan ? ["plan": plan(after: route)] : fields())
        }
    }

    /// Some of what can be said of a route.
    private mutating func fields() -> JSONObject {
        let names = [
            "owner", "purpose", "contract", "entryPoints", "requires", "excludes", "legacySymbols", "deletion",
            "restore",
        ]
        return JSONObject(names.filter { _ in random.chance(20) }.map { ($0, field($0)) })
    }

    private mutating func field(_ name: String) -> JSONValue {
        switch name {
        case "contract":
            return [
                "schemaVersion": .integer(random.number(in: 1...3)), "payload": ["id": text("string", "integer")],
                "outcomes": ["saved"],
            ]
        case "entryPoints": return .array(entryPoints(1 + Int(random.number(in: 0...2))))
        case "requires", "excludes":
            guard random.chance(60), let other = oneRoute() else { return [] }
            return [.string(other.key)]
        case "legacySymbols": return [text("OldController", "OldCell")]
        case "deletion": return ["date": text("2027-12-31", "2028-06-30"), "owner": text("Team", "Others")]
        case "restore": return text("keepPin", "redecide")
        default: return text("Team", "Others", "People", "a new screen")
        }
    }

    mutating func entryPoints(_ count: Int) -> [JSONValue] {
        (0..<count).map { ["kind": text("deepLink", "notification"), "source": .string("app://screen/\($0)")] }
    }

    /// A ladder; of a route on its ladder mostly the same with something added.
    private mutating func plan(after route: RouteRollout) -> JSONValue {
        guard random.chance(60), var plan = route.plan?.json else { return plan() }
        if random.chance(30) { plan["advance"] = text("manual", "automatic") }
        let steps = plan["steps"]?.array ?? []
        if random.chance(60), steps.count < 8 {
            plan["steps"] = .array(steps + [step(of: nil, share: 100_000, holds: true)])
        }
        return .object(plan)
    }

    mutating func plan() -> JSONValue {
        let isAutomatic = random.chance(60)
        var share = random.number(in: 0...40_000)
        var steps: [JSONValue] = []
        let cohort = oneKey(of: configuration.cohorts)
        if let cohort, random.chance(70) {
            steps.append(step(of: cohort, share: random.number(in: 1...100_000), holds: isAutomatic))
        }
        for _ in 0...random.number(in: 0...2) {
            steps.append(step(of: nil, share: share, holds: isAutomatic))
            share = random.number(in: share...100_000)
        }
        var plan: JSONObject = ["steps": .array(steps), "advance": isAutomatic ? "automatic" : "manual"]
        if random.chance(20) { plan["holdout"] = .integer(random.number(in: 0...5_000)) }
        if random.chance(20) { plan["releasesBeforeDisabling"] = .integer(random.number(in: 1...3)) }
        if random.chance(20) { plan["legacyShareAtDeletion"] = .integer(random.number(in: 0...100_000)) }
        return .object(plan)
    }

    private mutating func step(of cohort: String?, share: Int64, holds: Bool) -> JSONValue {
        var step: JSONObject = ["cohort": cohort.map { .string($0) } ?? .null, "share": .integer(share)]
        if holds || random.chance(20) { step["holdSeconds"] = .integer(random.number(in: 1...6) * 600) }
        if random.chance(10) { step["minimumUnits"] = .integer(random.number(in: 1...3)) }
        if random.chance(20) { step["needsApproval"] = true }
        if random.chance(10) { step["isMonitored"] = true }
        return .object(step)
    }
}

extension Operators {
    mutating func askForMove(_ kind: CommandKind) -> Ask? {
        switch kind {
        case .advance: return move(kind, "advance", random.chance(85) ? ["force": true] : [:])
        case .resume:
            var body: JSONObject = random.chance(90) ? ["cause": text("fixed", "not ours")] : [:]
            if random.chance(15) { body["step"] = .integer(random.number(in: 1...3)) }
            return move(kind, "resume", body)
        case .rollBack:
            let body: JSONObject = random.chance(40) ? ["level": text("drain", "repin-on-resume", "abort")] : [:]
            return move(kind, "rollback", body)
        case .rollBackPart:
            var body: JSONObject =
                random.chance(50)
                ? ["builds": text("app:720..app:740", "7.3.0..7.4.0", "app:730")]
                : ["os": text(">=17 <18", "17.4", ">=16")]
            if random.chance(30) { body["app"] = text("app", "pad") }
            if random.chance(40) { body["level"] = text("drain", "repin-on-resume", "abort") }
            return move(kind, "rollback", body)
        case .lift:
            let route = oneRoute { !$0.exclusions.isEmpty }
            guard let scope = route?.exclusions.randomElement(using: &random)?.id else { return nil }
            return move(kind, "resume", ["scope": .string(scope)], of: route)
        case .island:
            let day = CalendarDay(of: now + random.number(in: 1...300) * Self.day).text
            return move(kind, "island", ["owner": text("Team", "Others"), "reviewDate": .string(day)])
        case .rehearse:
            guard let cohort = oneKey(of: configuration.cohorts) else { return nil }
            let route = oneRoute { $0.stage == .compatible && $0.status == .active }
            let seconds = random.number(in: 60...900)
            return rehearsal(kind, of: route, ["cohort": .string(cohort), "seconds": .integer(seconds)])
        case .endRehearsal: return rehearsal(kind, of: oneRoute { $0.rehearsal != nil }, ["end": true])
        default: return move(kind, kind.rawValue, [:])
        }
    }

    private func rehearsal(_ kind: CommandKind, of route: RouteRollout?, _ body: JSONObject) -> Ask? {
        route.map { Ask(kind: kind, method: .post, target: "/v1/routes/\($0.key)/rehearse", body: body) }
    }

    /// A flow with routes to all of which the verb is legal, or to one where one is enough.
    private mutating func oneFlow(for verb: String) -> String? {
        let isEnough = verb == "hold" || verb == "rollback" || verb == "resume" || verb == "approve"
        let flows = configuration.flows.keys.filter { flow in
            let routes = configuration.routes(of: flow)
            let able = routes.filter { $0.legalVerbs.contains(verb) }.count
            return able > 0 && (isEnough || able == routes.count)
        }
        return (random.chance(95) ? flows : Array(configuration.flows.keys)).sorted().randomElement(using: &random)
    }

    /// A verb for a route to which it is legal, or for a whole flow, or for all.
    private mutating func move(
        _ kind: CommandKind, _ verb: String, _ body: JSONObject, of route: RouteRollout? = nil
    ) -> Ask? {
        let chance = random.number(in: 0...99)
        if chance < 2, verb == "hold" || verb == "rollback" {
            return Ask(kind: kind, method: .post, target: "/v1/\(verb)", body: body)
        }
        if chance < 15, let flow = route?.flow ?? oneFlow(for: verb) {
            return Ask(kind: kind, method: .post, target: "/v1/flows/\(flow)/\(verb)", body: body)
        }
        guard let route = route ?? oneRoute(where: { $0.legalVerbs.contains(verb) }) else { return nil }
        return Ask(kind: kind, method: .post, target: "/v1/routes/\(route.key)/\(verb)", body: body)
    }
}

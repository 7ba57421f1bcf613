import FlagEvaluation
import HTTPServer

/// What operators do: move routes and flows, edit, and read what they have changed.
extension World {
    /// Sends one change.
    func sendChange() -> Pending? {
        switch random.number(in: 0...99) {
        case 0...49: sendMove()
        case 50...61: sendFlag()
        case 62...73: sendEdit()
        case 74...79: sendBuild()
        case 80...98: sendKey()
        default: sendDryRun()
        }
    }

    private func change(
        _ kind: ChangeKind, _ method: Method, _ target: String, _ body: JSONObject
    ) -> Pending? {
        let reason = nextReason()
        var body = body
        body["reason"] = .string(reason)
        if case .dryRun = kind { body["dryRun"] = true }
        return send(.change(reason: reason, kind: kind), method, target, .object(body))
    }

    /// How far a rollback goes; nothing is `drain`.
    private var oneLevel: JSONObject {
        switch random.number(in: 0...9) {
        case 0...2: ["level": "repin-on-resume"]
        case 3: ["level": "abort"]
        default: [:]
        }
    }

    private var oneTarget: String {
        random.chance(75)
            ? "/v1/routes/\(random.one(of: Sample.routes, or: "trips.edit"))"
            : "/v1/flows/\(random.one(of: Sample.flows, or: "trips"))"
    }

    private func sendMove() -> Pending? {
        switch random.number(in: 0...19) {
        case 0...9: change(.widening, .post, "\(oneTarget)/advance", random.chance(80) ? ["force": true] : [:])
        case 10...12: change(.rollback, .post, "\(oneTarget)/rollback", oneLevel)
        case 13: change(.rollback, .post, "/v1/rollback", [:])
        case 14...15: change(.widening, .post, "\(oneTarget)/resume", ["cause": "fixed"])
        case 16: change(.other, .post, "\(oneTarget)/hold", [:])
        case 17: change(.other, .post, "/v1/hold", [:])
        case 18: change(.widening, .post, "\(oneTarget)/retreat", [:])
        default: change(.other, .post, "\(oneTarget)/island", ["owner": "Team", "reviewDate": "2027-06-01"])
        }
    }

    private func sendFlag() -> Pending? {
        let key = random.chance(70) ? "search" : "banner"
        switch random.number(in: 0...5) {
        case 0: return change(.other, .post, "/v1/flags/\(key)/enable", [:])
        case 1: return change(.other, .post, "/v1/flags/\(key)/disable", [:])
        case 2:
            let reason = nextReason()
            return send(.change(reason: reason, kind: .other), .delete, "/v1/flags/\(key)?reason=\(reason)")
        default:
            let definition = Sample.flag(share: random.number(in: 0...100))
            return change(.other, .put, "/v1/flags/\(key)", ["definition": definition])
        }
    }

    private func sendEdit() -> Pending? {
        if random.chance(25) {
            let lifetime = random.one(of: [3_600, 86_400, 604_800] as [Int64], or: 86_400)
            return change(
                .other, .patch, "/v1/flows/\(random.one(of: Sample.flows, or: "trips"))",
                ["journeyLifetimeSeconds": .integer(lifetime)])
        }
        let low = random.number(in: 0...50_000)
        let shares = [low, random.number(in: low...100_000), 100_000].prefix(Int(random.number(in: 1...3)))
        let route = random.one(of: Sample.routes, or: "trips.edit")
        // An edit of the step that decides is refused, so it never widens for a route that is rolled back.
        return change(.other, .patch, "/v1/routes/\(route)", ["plan": Sample.plan(Array(shares))])
    }

    private func sendBuild() -> Pending? {
        let build = random.one(of: Sample.builds, or: "app:740")
        let renderers = random.one(of: [["legacy"], ["legacy", "migrated"], ["migrated"]], or: ["legacy"])
        return change(.other, .put, "/v1/builds/\(build)", Sample.manifest(build, renderers))
    }

    private func sendKey() -> Pending? {
        if let key = createdKeys.last, random.chance(50) {
            return change(.other, .post, "/v1/keys/\(key.id)/revoke", [:])
        }
        let isAdmin = random.chance(50)
        var body: JSONObject = ["kind": .string(isAdmin ? "admin" : "server"), "holder": "somebody"]
        if isAdmin { body["role"] = "viewer" }
        return change(.other, .post, "/v1/keys", body)
    }

    /// Says what would be. That is tried on 100 000 units each time, so it is rare.
    private func sendDryRun() -> Pending? {
        switch random.number(in: 0...2) {
        case 0: change(.dryRun, .post, "\(oneTarget)/rollback", [:])
        case 1: change(.dryRun, .post, "/v1/flags/search/disable", [:])
        default:
            change(.dryRun, .put, "/v1/flags/search", ["definition": Sample.flag(share: random.number(in: 0...100))])
        }
    }
}

extension World {
    /// What an operator does who got an answer: looks at what was changed, and whether a revoked key still opens.
    func followUp(_ answer: Exchange.Answer?) async {
        guard let answer, answer.status < 300 else { return }
        if answer.json["key"]?["revokedAt"]?.isNull == false { await useKeys() }
        guard random.chance(50) else { return }
        for (kind, name) in [("route", "key"), ("flag", "key"), ("flow", "key"), ("build", "build")] {
            if let key = answer.json[kind]?[name]?.string { await show("\(kind)/\(key)") }
        }
    }

    /// Reads something of the configuration, or asks with a key.
    func readSomething() async {
        switch random.number(in: 0...9) {
        case 0...4:
            let subject = random.one(
                of: Sample.routes.map { "route/\($0)" } + [
                    "flag/search", "flag/banner", "flow/trips", "build/app:740",
                ],
                or: "flag/search")
            await show(subject)
        case 5...6: await receive(send(.ready, .get, "/readyz"))
        case 7...8: await evaluate()
        default: await useKeys()
        }
    }

    func show(_ subject: String) async {
        guard let slash = subject.firstIndex(of: "/") else { return }
        let target = "/v1/\(subject[..<slash])s\(subject[slash...])"
        await receive(send(.showItem(subject), .get, target))
    }

    /// Learns from answers which keys there are, makes sure that revoked ones open nothing.
    private func useKeys() async {
        learnKeys()
        guard let secret = revokedSecrets.randomElement(using: &random) else { return }
        await receive(send(.openWithRevokedKey, .get, "/v1/journeys/\(newStart().id)", key: secret))
    }

    private func learnKeys() {
        for exchange in history.exchanges {
            guard case .change(_, let kind) = exchange.purpose, let answer = exchange.answer else { continue }
            if case .dryRun = kind { continue }
            guard answer.status < 300, let id = answer.json["key"]?["id"]?.string else { continue }
            if let secret = answer.json["secret"]?.string, !createdKeys.contains(where: { $0.id == id }) {
                createdKeys.append((id, secret))
            }
            if answer.json["key"]?["revokedAt"]?.isNull == false,
                let index = createdKeys.firstIndex(where: { $0.id == id })
            {
                if !revokedSecrets.contains(createdKeys[index].secret) {
                    revokedSecrets.append(createdKeys[index].secret)
                }
            }
        }
    }
}

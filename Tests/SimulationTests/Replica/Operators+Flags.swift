import FlagEvaluation
import HTTPServer
import Rollouts

extension Operators {
    mutating func askForFlag(_ kind: CommandKind) -> Ask? {
        let known = oneKey(of: configuration.flags)
        switch kind {
        case .putFlag:
            var body: JSONObject = ["definition": definition(), "reshuffle": .bool(random.chance(80))]
            if random.chance(10) { body["bucketing"] = text("v2", "v3") }
            return Ask(kind: kind, method: .put, target: "/v1/flags/\(flagKey)", body: body)
        case .removeFlag:
            return known.map { Ask(kind: kind, method: .delete, target: "/v1/flags/\($0)", body: nil) }
        case .enableFlag, .disableFlag:
            let state = kind == .enableFlag ? "enable" : "disable"
            return known.map { Ask(kind: kind, method: .post, target: "/v1/flags/\($0)/\(state)", body: [:]) }
        case .importFlags: return importing
        case .putCohort:
            let key = random.chance(20) ? "internal" : cohortKey
            return Ask(
                kind: kind, method: .put, target: "/v1/cohorts/\(key)",
                body: ["rule": rule(), "force": .bool(random.chance(40))])
        default:
            guard let cohort = oneKey(of: configuration.cohorts) else { return nil }
            return Ask(kind: kind, method: .delete, target: "/v1/cohorts/\(cohort)", body: nil)
        }
    }

    private var importing: Ask {
        mutating get {
            var flags = JSONObject()
            for _ in 0...random.number(in: 0...2) { flags[flagKey] = definition() }
            var file: JSONObject = ["flags": .object(flags)]
            if random.chance(50) { file["$evaluators"] = .object(JSONObject([(cohortKey, rule())])) }
            if random.chance(40) { file["metadata"] = ["owner": text("Team", "Others"), "ratio": 1.5] }
            if random.chance(10) { file["$schema"] = "https://flagd.dev/schema/v0/flags.json" }
            return Ask(
                kind: .importFlags, method: .post, target: "/v1/flags/import",
                body: ["file": .object(file), "reshuffle": .bool(random.chance(80))])
        }
    }

    private var flagKey: String { mutating get { "flag-\(random.number(in: 1...12))" } }
    private var cohortKey: String { mutating get { "cohort-\(random.number(in: 1...6))" } }

    /// A flag of any type, with and without targeting, sometimes one that draws warnings or is refused.
    mutating func definition() -> JSONValue {
        let variants: JSONObject = random.one(
            of: [
                ["on": true, "off": false], ["on": "blue", "off": "grün"], ["on": 2.5, "off": 1],
                ["on": ["size": 3], "off": ["size": 4, "list": [1, "2"]]],
            ], or: [:])
        var flag: JSONObject = [
            "state": text("ENABLED", "ENABLED", "DISABLED"), "variants": .object(variants), "defaultVariant": "off",
        ]
        if random.chance(10) { flag["defaultVariant"] = .null }
        if random.chance(3) { flag["defaultVariant"] = "nothing" }
        if random.chance(70) { flag["targeting"] = targeting() }
        if random.chance(20) { flag["metadata"] = ["owner": text("Team", "Others"), "since": 7] }
        return .object(flag)
    }

    private mutating func targeting() -> JSONValue {
        let share = random.number(in: 0...100)
        let split: JSONValue = ["fractional": [["on", .integer(share)], ["off", .integer(100 - share)]]]
        switch random.number(in: 0...4) {
        case 0: return ["if": [reference(), "on", split]]
        case 1: return ["if": [["==": [["var": "country"], "NO"]], "on", "misspelt"]]
        case 2: return [:]
        default: return split
        }
    }

    /// A cohort's rule, sometimes one that names another cohort, or goes in a circle.
    mutating func rule() -> JSONValue {
        switch random.number(in: 0...3) {
        case 0: return reference()
        case 1: return ["in": [["var": "country"], [text("NO", "SE"), "DK"]]]
        default: return ["ends_with": [["var": "email"], text("@example.com", "@example.org")]]
        }
    }

    private mutating func reference() -> JSONValue {
        ["$ref": .string(oneKey(of: configuration.cohorts, or: ["cohort-9"]) ?? "internal")]
    }
}

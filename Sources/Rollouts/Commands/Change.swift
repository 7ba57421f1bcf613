import FlagEvaluation

/// What a command does, before it gets its revision and its place in the audit.
struct Change {
    /// `route.advance`, `flag.put`, …
    let action: String
    /// `route/trips.edit`, `flag/new-search`, …
    let subject: String
    let before: JSONValue
    let after: JSONValue
    let rows: [ConfigurationRow]

    init(_ action: String, _ subject: String, before: JSONValue, after: JSONValue, rows: [ConfigurationRow]) {
        self.action = action
        self.subject = subject
        self.before = before
        self.after = after
        self.rows = rows
    }

    init(_ action: String, _ subject: String, before: JSONObject?, after: JSONObject?, row: ConfigurationRow) {
        self.init(
            action, subject, before: before.map { .object($0) } ?? .null, after: after.map { .object($0) } ?? .null,
            rows: [row])
    }
}

extension Configuration {
    /// Puts one stored thing in its place, or takes it away. The revision stays.
    package mutating func store(_ row: ConfigurationRow) {
        switch row {
        case .flow(let flow): flows[flow.key] = flow
        case .route(let route): routes[route.key] = route
        case .flag(let flag): flags[flag.key] = flag
        case .removedFlag(let key): flags[key] = nil
        case .cohort(let cohort): cohorts[cohort.key] = cohort
        case .removedCohort(let key): cohorts[key] = nil
        case .build(let build): builds[build.id] = build
        case .key(let key): keys[key.id] = key
        case .override(let override): overrides[override.id] = override
        case .removedOverride(let id): overrides[id] = nil
        case .settings(let settings): self.settings = settings
        case .condition(let condition): conditions[condition.id] = condition
        case .removedCondition(let id): conditions[id] = nil
        case .waiver(let waiver): waivers[waiver.id] = waiver
        case .removedWaiver(let id): waivers[id] = nil
        }
    }
}

extension Optional {
    /// The value, or the error when there is none.
    func orThrow(_ error: @autoclosure () -> RolloutError) throws(RolloutError) -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}

extension String {
    /// Whether there is nothing to read in it: only blanks, control characters and what is not shown.
    var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            // U+2800 is a pattern without dots.
            return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
                || properties.generalCategory == .control
        }
    }
}

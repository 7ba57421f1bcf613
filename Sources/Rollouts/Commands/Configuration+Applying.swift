import FlagEvaluation

extension Configuration {
    /// The configuration after a command: the one way in which anything changes.
    ///
    /// A change has a revision one higher, the rows to store and one audit entry. A repeat of what already holds has
    /// neither. With an `expected` revision it is refused at any other, a repeat too. `facts` are what gates ask for
    /// beside the configuration. `now` is in milliseconds since 1970.
    package func applying(
        _ command: Command, by actor: Actor, reason: String, expecting expected: ExpectedRevision? = nil,
        facts: Facts = Facts(), at now: Int64
    ) throws(RolloutError) -> AppliedCommand {
        let reason = try Self.checked(reason)
        try check(expected, before: command)
        guard let change = try change(by: command, of: actor, because: reason, facts: facts, at: now) else {
            return AppliedCommand(configuration: self, rows: [], audit: nil)
        }
        var after = self
        let (next, overflows) = revision.addingReportingOverflow(1)
        guard !overflows else { throw RolloutError(.revisionExhausted, "No revision comes after \(revision).") }
        after.revision = next
        for row in change.rows { after.store(row) }
        let audit = AuditDraft(
            actor: actor, action: change.action, subject: change.subject, reason: reason, before: change.before,
            after: change.after)
        return AppliedCommand(configuration: after, rows: change.rows, audit: audit)
    }

    /// What the command does; nil when it already holds.
    private func change(
        by command: Command, of actor: Actor, because reason: String, facts: Facts, at now: Int64
    ) throws(RolloutError) -> Change? {
        switch command {
        case .createFlow(let flow): try creatingFlow(flow)
        case .editFlow(let key, let owner, let lifetime): try editingFlow(key, owner: owner, lifetime: lifetime)
        case .registerRoute(let key, let flow, let fields):
            try registeringRoute(key, in: flow, fields, facts: facts, at: now)
        case .editRoute(let key, let fields): try editingRoute(key, fields, facts: facts, at: now)
        case .move(let verb, let target):
            try moving(target, by: verb, of: actor, because: reason, facts: facts, at: now)
        case .rehearse(let route, let cohort, let seconds):
            try rehearsing(route, cohort: cohort, seconds: seconds, by: actor, at: now)
        case .endRehearsal(let route): try endingRehearsal(of: route)
        case .turnRehearsal(let route): try turningRehearsal(of: route, at: now)
        case .climb(let route, let lastLook): try climbing(route, facts: facts, lastLook: lastLook, at: now)
        case .putFlag(let key, let definition, let isStrict, let bucketing, let allowsReshuffle):
            try puttingFlag(
                key, definition, isStrict: isStrict, bucketing: bucketing, allowsReshuffle: allowsReshuffle)
        case .importFlags(let file, let isStrict, let bucketing, let allowsReshuffle):
            try importingFlags(file, isStrict: isStrict, bucketing: bucketing, allowsReshuffle: allowsReshuffle)
        case .removeFlag(let key): try removingFlag(key)
        case .setFlagState(let key, let isEnabled): try settingFlagState(key, isEnabled: isEnabled)
        case .putCohort(let key, let rule, let isStrict, let isForced):
            try puttingCohort(key, rule, isStrict: isStrict, isForced: isForced, by: actor)
        case .removeCohort(let key): try removingCohort(key)
        case .putBuild(let build): try puttingBuild(build)
        case .createKey(let key): try creatingKey(key, at: now)
        case .revokeKey(let id): try revokingKey(id, at: now)
        case .confirmSweep:
            Change(
                "environment.sweep", "environment/\(environment)", before: ["isConfirmed": false],
                after: ["isConfirmed": true], rows: [])
        case .rotateKey(let id, let successor, let overlap):
            try rotatingKey(id, to: successor, overlap: overlap, at: now)
        case .setOverride(let override): try settingOverride(override, at: now)
        case .clearOverrides(let route, let unit): try clearingOverrides(of: route, unit: unit)
        case .applyDocument(let document, let base, let allowsReshuffle):
            try applying(
                document, to: base, allowsReshuffle: allowsReshuffle, by: actor, because: reason, facts: facts, at: now)
        case .editEnvironment(let unknownBuild): try editingEnvironment(unknownBuild: unknownBuild)
        case .putCondition(let route, let key, let definition):
            try puttingCondition(key, of: route, definition)
        case .freezeConditions(let route, let key): try freezingConditions(of: route, key, at: now)
        case .removeCondition(let route, let key): try removingCondition(key, of: route)
        case .judge(let route, let hash, let verdict, let numbers):
            try judging(route, by: hash, verdict, numbers, because: reason, at: now)
        case .grantWaiver(let id, let expiresAt):
            try grantingWaiver(id, until: expiresAt, by: actor, because: reason, at: now)
        case .revokeWaiver(let id): try revokingWaiver(id)
        }
    }

    /// The reason without white space around it: 1 to 500 characters (Unicode scalars, so that its bytes are bounded).
    static func checked(_ reason: String) throws(RolloutError) -> String {
        guard !reason.isBlank, let start = reason.firstIndex(where: { !$0.isWhitespace }),
            let end = reason.lastIndex(where: { !$0.isWhitespace })
        else { throw RolloutError(.reasonRequired, "Say why, in \"reason\": it stands in the audit.") }
        let text = reason[start...end]
        guard text.unicodeScalars.count <= 500 else { throw .invalidField("/reason", "at most 500 characters") }
        return String(text)
    }
}

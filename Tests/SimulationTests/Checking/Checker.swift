import FlagEvaluation

/// Judges a history: what it says against the promises, line by line.
struct Checker {
    let history: History
    let ledger: Ledger
    /// What was answered, in the order in which it was received.
    let answered: [(exchange: Exchange, answer: Exchange.Answer)]
    /// By time of the history, the highest revision that anybody had seen before.
    private let seen: [Int64]
    private(set) var violations: [String] = []

    init(_ history: History) {
        self.history = history
        answered = history.exchanges.compactMap { exchange in exchange.answer.map { (exchange, $0) } }
            .sorted { $0.answer.at < $1.answer.at }
        seen = Self.revisionsSeen(in: answered)
        ledger = Ledger(history.audit)
        violations = history.faults
        // Without an end there is nothing to compare with.
        guard violations.isEmpty else { return }
        checkAudit()
        checkChanges()
        checkOrder()
        checkRollbacks()
        checkAnswers()
        checkChoices()
        checkPins()
        checkResumes()
        checkOutcomes()
        checkSweeps()
    }

    mutating func report(_ violation: String, _ exchange: Exchange? = nil) {
        let line = exchange.map {
            " [\($0.asked): \($0.purpose) → \($0.answer.map { "\($0.status) \($0.json.jsonText)" } ?? "-")]"
        }
        violations.append(violation + (line ?? ""))
    }

    private static func revisionsSeen(in answered: [(exchange: Exchange, answer: Exchange.Answer)]) -> [Int64] {
        var seen: [Int64] = [0]
        var highest: Int64 = 0
        for (exchange, answer) in answered {
            while seen.count <= answer.at { seen.append(highest) }
            highest = max(highest, exchange.revisionSeen(in: answer) ?? 0)
        }
        return seen + [highest]
    }

    /// The highest revision that anybody had seen when the clock stood there.
    func revisionSeen(before time: Int) -> Int64 { seen[min(time, seen.count - 1)] }
}

extension Exchange {
    /// The revision that an answer shows to be committed; a journey's, when it was not chosen before.
    func revisionSeen(in answer: Answer) -> Int64? {
        switch purpose {
        case .change(_, .dryRun): nil
        case .change where answer.status < 300, .ready: answer.json["revision"]?.integer
        case .start where answer.status <= 201: answer.json["revision"]?.integer
        default: nil
        }
    }
}

extension Checker {
    /// The chain holds, revisions have no gap, and a replica that follows the audit has what the store has.
    fileprivate mutating func checkAudit() {
        if !history.auditFault.isNull { report("The audit does not verify: \(history.auditFault)") }
        for (index, entry) in history.audit.enumerated() {
            let number = Int64(index) + 1
            if entry["sequence"]?.integer != number || entry["revision"]?.integer != number {
                report("Entry \(number) of the audit has another sequence or revision: \(entry.jsonText)")
            }
        }
        if ledger.lastRevision != history.finalRevision {
            report("The audit ends at revision \(ledger.lastRevision), the environment is at \(history.finalRevision)")
        }
        let replica = ledger.configuration
        for subject in Set(replica.keys).union(history.configuration.keys).sorted() {
            let (rebuilt, stored) = (replica[subject] ?? .null, history.configuration[subject] ?? .null)
            if rebuilt != Ledger.kept(stored, of: subject) {
                report("\(subject) is \(stored.jsonText), but the audit says \(rebuilt.jsonText)")
            }
        }
    }

    /// What was acknowledged is in the audit, once and at its revision; what was refused is not.
    fileprivate mutating func checkChanges() {
        for exchange in history.exchanges {
            guard case .change(let reason, let kind) = exchange.purpose else { continue }
            let entries = ledger.entriesByReason[reason] ?? []
            if entries.count > 1 { report("A change stands in the audit \(entries.count) times", exchange) }
            guard let answer = exchange.answer, answer.code != "outcome_unknown" else { continue }
            let isChanged = answer.status < 300 && answer.json["changed"] == true
            if case .dryRun = kind {
                if !entries.isEmpty { report("A dry run has changed something", exchange) }
            } else if isChanged {
                if entries.first?["revision"] != answer.json["revision"] {
                    report("An acknowledged change is not in the audit at its revision", exchange)
                }
            } else if !entries.isEmpty {
                report("What was refused, or no change, stands in the audit", exchange)
            }
        }
    }

    /// Whoever got an answer never sees anything older afterwards, and epochs and revisions only rise.
    fileprivate mutating func checkOrder() {
        for (exchange, answer) in answered {
            let seen = revisionSeen(before: exchange.asked)
            if let epoch = answer.json["epoch"]?.integer, epoch != 1 {
                report("There was no restore, but another epoch", exchange)
            }
            switch exchange.purpose {
            case .ready, .change(_, .rollback), .change(_, .widening), .change(_, .other):
                if let revision = answer.json["revision"]?.integer, revision < seen {
                    report("Revision \(seen) had been seen before", exchange)
                }
                if case .change = exchange.purpose, answer.status < 300, answer.json["changed"] == true,
                    answer.json["revision"]?.integer == seen
                {
                    report("A change has the revision of another", exchange)
                }
            case .showItem(let subject):
                guard answer.status == 200 || answer.status == 404 else { continue }
                let shown = answer.status == 200 ? answer.json : .null
                let revision = shown["revision"]?.integer
                let isRight = revision.map { ledger.value(of: subject, at: $0) == Ledger.kept(shown, of: subject) }
                if revision ?? seen < seen || !(isRight ?? ledger.stood(shown, as: subject, from: seen)) {
                    report("\(subject) did not stand like that at revision \(seen) or later", exchange)
                }
            default: continue
            }
        }
    }

    /// After a rollback's answer no new journey gets migrated where its build has legacy, until a verb that widens.
    fileprivate mutating func checkRollbacks() {
        for (exchange, answer) in answered {
            guard case .change(_, .rollback) = exchange.purpose, answer.status < 300 else { continue }
            let routes = (answer.json["routes"]?.array ?? [answer.json["route"] ?? .null])
                .filter { $0["status"] == "rolledBack" }.compactMap { $0["key"]?.string }
            let widened = history.exchanges.first {
                if case .change(_, .widening) = $0.purpose {
                    return ($0.answer?.at ?? .max) > exchange.asked
                } else {
                    return false
                }
            }
            for (later, choice) in answered where later.asked > answer.at && later.asked < widened?.asked ?? .max {
                guard case .start(let start) = later.purpose, choice.isNewChoice,
                    start.claims?.contains("legacy") ?? true
                else { continue }
                for route in routes where choice.json["choices"]?[route]?["renderer"] == "migrated" {
                    let revision = choice.json["revision"]?.integer ?? 0
                    if ledger.renderers(of: route, in: start.build, at: revision).contains("legacy") {
                        report("\(route) was rolled back at \(exchange.asked)", later)
                    }
                }
            }
        }
    }
}

extension Exchange.Answer {
    /// Whether an answer to a start carries choices that were made for it.
    var isNewChoice: Bool { status == 201 || status == 200 && json["pinned"] == false }
}

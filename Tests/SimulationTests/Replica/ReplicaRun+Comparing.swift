import Rollouts
import RouteContract
import Storage

@testable import SignalboxServer

extension ReplicaRun {
    /// Lets the replica follow what the store has kept, and compares the two.
    func compare() async throws {
        guard faults.isEmpty else { return }
        let store = process.service.store
        while true {
            let entries = try await store.entries(.after(replica.sequence, limit: 1_000))
            for entry in entries {
                try replica.follow(entry)
                if entry.actor == Actor.engine.name { engineActions.insert(entry.action) }
                guard let configuration = served[replica.revision] else { continue }
                report(
                    "Served at \(replica.revision), and told by the audit",
                    configuration.things.differences(to: replica.things.without("evidence")))
            }
            if entries.isEmpty { break }
        }
        let stored = store.configuration
        if stored.revision != replica.revision { faults.append("\(stored.revision) stored, \(replica.revision) told") }
        let things = stored.things.merging(try await store.evidenceThings()) { first, _ in first }
        report("Stored, and told by the audit", things.differences(to: replica.things))
        let held = store.evidence.things(of: stored.routes.keys, at: world.clock.now)
        let told = replica.things.filter { $0.key.hasPrefix("evidence/") && $0.value.holds(at: world.clock.now) }
        report("Evidence that counts, and told by the audit", held.differences(to: told))
        let recent = served.keys.filter { $0 > stored.revision - 150 && $0 <= stored.revision }.sorted()
        if let revision = recent.randomElement(using: &random) { try await compare(at: revision) }
    }

    /// Compares what was served at a revision with what taking changes back leads to.
    private func compare(at revision: Int64) async throws {
        guard let then = served[revision] else { return }
        let found = await process.past(revision)
        guard let past = found.configuration, found.notes.isEmpty else {
            return faults.append("Revision \(revision) is not found: \(found.notes)")
        }
        figures.walks += 1
        report("Served at \(revision), and found again", then.withoutKeys.differences(to: past.withoutKeys))
    }

    private func report(_ what: String, _ differences: [String]) {
        if !differences.isEmpty { faults.append("\(what): \(differences.joined(separator: "; "))") }
    }
}

extension ReplicaRun {
    /// Follows the whole audit once more, and takes all of it back.
    func end() async throws {
        let store = process.service.store
        let verdict = await store.verdict()
        if let fault = verdict?.fault { faults.append("The audit does not verify: \(fault)") }
        var (configuration, again) = (store.configuration, Replica())
        var sequence: Int64 = 0
        var entries: [AuditEntry] = []
        repeat {
            entries += try await store.entries(.after(sequence, limit: 1_000))
            sequence = entries.last?.sequence ?? 0
        } while sequence < verdict?.entries ?? 0
        for entry in entries { try again.follow(entry) }
        report("The replica, and another", replica.things.differences(to: again.things))
        for entry in entries.reversed() where entry.action != "evidence.push" {
            guard configuration.undo(subject: entry.subject, before: entry.before, after: entry.after) else {
                return faults.append("Entry \(entry.sequence), \(entry.action), cannot be taken back")
            }
            configuration.revision -= 1
            guard let then = served[configuration.revision] else { continue }
            report("Served at \(then.revision), and left", then.withoutKeys.differences(to: configuration.withoutKeys))
            if !faults.isEmpty { return }
        }
        report(
            "Nothing, and what is left of all",
            configuration.withoutKeys.differences(to: Replica().things.without("key")))
        for _ in 1...3 where faults.isEmpty {
            if let revision = served.keys.sorted().randomElement(using: &random) { try await compare(at: revision) }
        }
        figures.entries = entries.count
        figures.compared = served.count
        let commands = listed.filter(\.isCommand).map(\.name)
        let turns = ["route.advance", "route.rehearse", "route.endRehearsal", "condition.judge", "evidence.push"]
        figures.neverAccepted =
            CommandKind.allCases.filter { accepted[$0] == nil }.map(\.rawValue)
            + commands.filter { !endpoints.contains($0) }
            + turns.filter { !engineActions.contains($0) }.map { "\($0) by the engine" }
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

@testable import SignalboxServer

extension ServiceProcess {
    /// Asks the store for a change, whatever becomes of it.
    func change(_ decide: @escaping @Sendable (Configuration) throws -> AppliedCommand) async {
        await withCheckedContinuation { done in service.store.change(decide) { _ in done.resume() } }
    }

    /// Waits until the store has done what it was asked for.
    func settle() async { await change { _ in throw CancellationError() } }

    /// An earlier configuration, as a rollback of the configuration finds it.
    func past(_ revision: Int64) async -> PastConfiguration.Found {
        let current = service.snapshot
        return await withCheckedContinuation { done in
            PastConfiguration(
                service: service, current: current, epoch: current.configuration.epoch, revision: revision,
                for: .change
            ).find { done.resume(returning: $0) }
        }
    }
}

extension Store {
    func entries(_ page: AuditPage) async throws -> [AuditEntry] {
        let outcome = await withCheckedContinuation { done in auditEntries(page) { done.resume(returning: $0) } }
        guard let entries = outcome.value else { throw Untold("the audit cannot be read") }
        return entries
    }

    func verdict() async -> AuditVerdict? {
        await withCheckedContinuation { done in verifyAuditAndAnchor { done.resume(returning: $0.value) } }
    }

    /// All evidence that is stored, what has expired included.
    func evidenceThings() async throws -> Things {
        var things: Things = [:]
        var query = EvidenceQuery(limit: EvidenceQuery.mostItems)
        while true {
            let outcome = await withCheckedContinuation { done in
                evidence(query) { done.resume(returning: $0) }
            }
            guard let items = outcome.value else { throw Untold("the evidence cannot be read") }
            for item in items { things["evidence/\(item.id)"] = item.text }
            guard let last = items.last else { return things }
            query.before = last.id
        }
    }
}

extension EvidenceLedger {
    /// The evidence of those routes that counts.
    func things(of routes: some Sequence<String>, at now: Int64) -> Things {
        let all = routes.flatMap { route in EvidenceItem.Kind.allCases.flatMap { self.items($0, of: route) } }
        return Things(uniqueKeysWithValues: all.filter { $0.holds(at: now) }.map { ("evidence/\($0.id)", $0.text) })
    }
}

extension EvidenceItem {
    fileprivate var text: String { String(decoding: JSONValue.object(json).canonicalJSON, as: UTF8.self) }
}

extension String {
    /// Whether the evidence of that text counts.
    func holds(at now: Int64) -> Bool {
        ((try? JSONValue(parsing: self))?["expiresAt"]?.integer ?? 0) > now
    }
}

extension Configuration {
    /// All but keys, whose earlier state the audit's entries do not lead back to.
    var withoutKeys: Things { things.without("key") }
}

extension APIRoute {
    var name: String { "\(method) \(pattern)" }

    /// Whether it changes what is configured: making a backup does not.
    var isCommand: Bool { (permission == .change || permission == .administer) && pattern != "/v1/backup" }

    /// Whether a target is one of the endpoint's.
    func matches(_ target: String) -> Bool {
        let (parts, asked) = (pattern.split(separator: "/"), target.prefix { $0 != "?" }.split(separator: "/"))
        return parts.count == asked.count && zip(parts, asked).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
    }
}

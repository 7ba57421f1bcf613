import FlagEvaluation
import Rollouts
import Storage

/// Finds the configuration of a revision, from which a journey's choices came.
struct PastConfiguration: Sendable {
    /// What was found, and on what it rests.
    struct Found: Sendable {
        enum Basis: String, CaseIterable, Sendable {
            /// The journey's revision is the current one.
            case current
            /// Later changes were taken back, as the audit tells them.
            case audit
            /// The earlier state cannot be had.
            case stored
        }
        let basis: Basis
        /// Nil only with `basis == .stored`.
        let configuration: Configuration?
        /// For people: what has to be borne in mind.
        let notes: [String]
    }

    let service: Service
    let current: Snapshot
    let epoch: Int64
    let revision: Int64
    /// Changes that are taken back at the most.
    private static let mostChanges: Int64 = 20_000
    private static let page = 1_000

    init(service: Service, current: Snapshot, epoch: Int64, revision: Int64) {
        self.service = service
        self.current = current
        self.epoch = epoch
        self.revision = revision
    }

    func find(_ completion: @escaping @Sendable (Found) -> Void) {
        let configuration = current.configuration
        guard epoch == configuration.epoch else {
            return completion(
                .stored("The environment was restored since (epoch \(epoch), now \(configuration.epoch))."))
        }
        let later = configuration.revision - revision
        guard later >= 0, later <= Self.mostChanges else {
            return completion(.stored("Revision \(revision) lies \(later) changes back: too many to take back."))
        }
        guard later > 0 else {
            return completion(Found(basis: .current, configuration: configuration, notes: []))
        }
        read(after: revision, collected: [], completion)
    }

    /// Reads the entries of later changes. An entry's sequence is never lower than its revision, because the first of an
    /// environment has 1 of both, and an entry moves the revision by one or not at all.
    private func read(
        after sequence: Int64, collected: [AuditEntry], _ completion: @escaping @Sendable (Found) -> Void
    ) {
        service.store.auditEntries(.after(sequence, limit: Self.page)) { outcome in
            guard case .committed(let entries) = outcome else {
                return completion(.stored("The audit cannot be read now."))
            }
            let all = collected + entries
            guard let last = entries.last, last.revision < current.configuration.revision else {
                return completion(takingBack(all))
            }
            read(after: last.sequence, collected: all, completion)
        }
    }

    private func takingBack(_ entries: [AuditEntry]) -> Found {
        // Evidence stands in the audit and moves no revision.
        let later = entries.filter {
            revision < $0.revision && $0.revision <= current.configuration.revision && $0.action != "evidence.push"
        }
        let expected = (revision + 1)...current.configuration.revision
        guard later.map(\.revision).elementsEqual(expected), later.allSatisfy({ $0.epoch == epoch }) else {
            return .stored("The audit does not lead back to revision \(revision).")
        }
        var configuration = current.configuration
        var notes: [String] = []
        for entry in later.reversed()
        where !configuration.undo(subject: entry.subject, before: entry.before, after: entry.after) {
            notes.append("\(entry.action) of \(entry.subject), revision \(entry.revision), could not be taken back.")
        }
        configuration.revision = revision
        return Found(basis: .audit, configuration: configuration, notes: notes)
    }
}

extension PastConfiguration.Found {
    fileprivate static func stored(_ why: String) -> PastConfiguration.Found {
        PastConfiguration.Found(basis: .stored, configuration: nil, notes: [why])
    }
}

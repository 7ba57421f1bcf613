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
        /// Whether it may be had when it is asked for again.
        var isBusy = false
    }

    let service: Service
    let current: Snapshot
    let epoch: Int64
    let revision: Int64
    /// Among whom it has to find a place; nil for those who look for one at a time anyway.
    private let purpose: LookingBack?
    /// Changes that are taken back at the most.
    private static let mostChanges: Int64 = 20_000
    private static let page = 1_000
    /// Bytes of definitions that are looked through at the most.
    private static let mostBytes = 64 << 20
    private static let mostNotes = 20

    init(service: Service, current: Snapshot, epoch: Int64, revision: Int64, for purpose: LookingBack?) {
        self.service = service
        self.current = current
        self.epoch = epoch
        self.revision = revision
        self.purpose = purpose
    }

    func find(_ completion: @escaping @Sendable (Found) -> Void) {
        let configuration = current.configuration
        guard epoch == configuration.epoch else {
            return completion(
                .stored("The environment was restored since (epoch \(epoch), now \(configuration.epoch))."))
        }
        let (later, overflows) = configuration.revision.subtractingReportingOverflow(revision)
        guard revision >= 0, !overflows, later >= 0 else {
            return completion(.stored("There is no revision \(revision) yet; the newest is \(configuration.revision)."))
        }
        guard later <= Self.mostChanges else {
            return completion(.stored("Revision \(revision) lies \(later) changes back: too many to take back."))
        }
        guard later > 0 else {
            return completion(Found(basis: .current, configuration: configuration, notes: []))
        }
        guard let purpose else { return takeBack(Walk(configuration: configuration), before: .max, completion) }
        guard service.beginLookingBack(for: purpose) else {
            var busy = Found.stored("Other revisions are being looked for; ask again.")
            busy.isBusy = true
            return completion(busy)
        }
        takeBack(Walk(configuration: configuration), before: .max) { [service] found in
            service.endLookingBack()
            completion(found)
        }
    }

    /// How far the changes have been taken back.
    private struct Walk {
        var configuration: Configuration
        var notes: [String] = []
        var bytes = 0
    }

    /// Takes back what a page of the audit tells, from its end, and goes on with the page before it: however large the
    /// changes were, one page of them is in memory. On a thread of its own, which the store's reader has no time for.
    private func takeBack(
        _ walk: Walk, before sequence: Int64, _ completion: @escaping @Sendable (Found) -> Void
    ) {
        service.store.auditEntries(.before(sequence, limit: Self.page)) { outcome in
            Task.detached(priority: .utility) {
                guard case .committed(let entries) = outcome else {
                    return completion(.stored("The audit cannot be read now."))
                }
                var walk = walk
                if let found = takeBack(entries, &walk) { return completion(found) }
                guard let first = entries.first else { return completion(.broken(before: walk.configuration.revision)) }
                takeBack(walk, before: first.sequence, completion)
            }
        }
    }

    /// Takes back what the entries tell; nil when that does not lead far enough.
    private func takeBack(_ entries: [AuditEntry], _ walk: inout Walk) -> Found? {
        for entry in entries.reversed() {
            // What came since `current`, and evidence, which moves no revision.
            if entry.revision > walk.configuration.revision || entry.action == "evidence.push" { continue }
            guard entry.epoch == epoch, entry.revision == walk.configuration.revision else {
                return .broken(before: walk.configuration.revision)
            }
            walk.bytes += entry.beforeText.utf8.count + entry.afterText.utf8.count
            guard walk.bytes <= Self.mostBytes else {
                return .stored("The changes since revision \(revision) are too large to take back.")
            }
            if !walk.configuration.undo(subject: entry.subject, before: entry.before, after: entry.after),
                walk.notes.count < Self.mostNotes
            {
                walk.notes.append(
                    "\(entry.action) of \(entry.subject), revision \(entry.revision), could not be taken back.")
            }
            walk.configuration.revision -= 1
            if walk.configuration.revision == revision {
                return Found(basis: .audit, configuration: walk.configuration, notes: walk.notes)
            }
        }
        return nil
    }
}

extension PastConfiguration.Found {
    fileprivate static func broken(before revision: Int64) -> PastConfiguration.Found {
        .stored("The audit does not lead back further than revision \(revision).")
    }

    fileprivate static func stored(_ why: String) -> PastConfiguration.Found {
        PastConfiguration.Found(basis: .stored, configuration: nil, notes: [why])
    }
}

import Dispatch
import FlagEvaluation
import Rollouts
import Storage

extension Store {
    /// Stores rows as one change, which no endpoint could, and waits until they are there.
    func keep(_ rows: [ConfigurationRow]) {
        let audit = AuditDraft(
            actor: Actor(name: "bench", role: .admin, keyID: ""), action: "rows.store", subject: "rows",
            reason: "measuring", before: nil, after: nil)
        let isDone = DispatchSemaphore(value: 0)
        change({ configuration in
            var after = configuration
            after.revision += 1
            for row in rows { after.store(row) }
            return AppliedCommand(configuration: after, rows: rows, audit: audit)
        }) { _ in isDone.signal() }
        isDone.wait()
    }
}

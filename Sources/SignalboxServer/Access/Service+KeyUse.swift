import Storage
import Synchronization

extension Service {
    /// When keys were last shown, in milliseconds since 1970 by id. Of revoked keys the store knows it.
    func keyUse(in snapshot: Snapshot) -> [String: Int64] {
        savedKeyUse.withLock { $0 }.merging(snapshot.keys.uses) { $1 }
    }

    /// Stores when keys were last shown, if that is new. A store that cannot write is told of elsewhere; the next call
    /// tries again.
    package func saveKeyUse() {
        let uses = snapshot.keys.uses
        let new = savedKeyUse.withLock { saved in uses.filter { saved[$0.key] != $0.value } }
        guard !new.isEmpty else { return }
        store.noteKeyUse(new) { [self] outcome in
            guard outcome.value != nil else { return }
            savedKeyUse.withLock { saved in saved.merge(new) { $1 } }
        }
    }
}

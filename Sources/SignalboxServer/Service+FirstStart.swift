import Dispatch
import FlagEvaluation
import Rollouts
import Storage
import Synchronization

extension Service {
    /// Makes the first admin key of an environment that has no key at all, and gives its text to `save`.
    ///
    /// `save` runs before the key is stored: a kill in between leaves a file with a key that opens nothing, and the
    /// next start makes another. The other way round it would leave a service that nobody can open. Waits for the
    /// store, so it is called before the first request. Gives whether a key was made.
    package func makeFirstKey(savingWith save: (String) throws -> Void) throws -> Bool {
        guard snapshot.configuration.keys.isEmpty else { return false }
        let now = now()
        let (key, secret) = AccessKey.minted(
            kind: .admin, role: .admin, holder: "first-admin", at: now, using: randomness)
        try save(secret)
        let actor = Actor(name: "signalbox", role: .admin, keyID: key.id)
        let outcome = waitForChange { configuration in
            try configuration.applying(.createKey(key), by: actor, reason: "first start", at: now)
        }
        switch outcome {
        case .committed: return true
        case .rejected(let error): throw error
        case .unknown(let error): throw error
        }
    }

    private func waitForChange(
        _ decide: @escaping @Sendable (Configuration) throws -> AppliedCommand
    ) -> StoreOutcome<AppliedCommand> {
        let answer = Answer<StoreOutcome<AppliedCommand>>()
        store.change(decide) { answer.give($0) }
        return answer.wait()
    }

    /// Deletes journeys that are long over, in the background.
    ///
    /// A clock that jumped must not empty the store: then nothing is deleted, and whoever runs the service is told.
    package func sweep() {
        store.sweep(at: now()) { [report = options.report, log = options.log] outcome in
            switch outcome {
            case .committed(let done):
                if let refusal = done.refusal {
                    report(
                        "sweep_refused: \(refusal.affected) of \(refusal.live) live journeys would go at once. If the "
                            + "clock is right (after a long outage), say so: signalbox sweep --confirm --reason TEXT")
                } else if done.deletedRows > 0 {
                    log?.add(.info, "sweep", ["deleted": .integer(Int64(done.deletedRows))])
                }
            case .rejected(let error): report("sweep_failed: \(error)")
            case .unknown(let error): report("sweep_failed: \(error.code.rawValue): \(error.message)")
            }
        }
    }
}

/// One value on its way from the thread that has it to the thread that waits for it.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ value: sending Value) {
        self.value.withLock { $0 = value }
        isGiven.signal()
    }

    func wait() -> Value {
        while true {
            isGiven.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}

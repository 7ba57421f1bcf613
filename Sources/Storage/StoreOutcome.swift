/// What became of a job that was handed to the store.
package enum StoreOutcome<Value: Sendable>: Sendable {
    /// Durable: it survives a kill and a power cut. For a read: what is stored.
    case committed(Value)
    /// Nothing of it is stored. A `StoreError`, or what a decision threw.
    case rejected(any Error)
    /// It may or may not be stored: the commit failed on its way to the disk. Only a restart can tell.
    case unknown(StoreError)

    /// The value, when it was committed.
    package var value: Value? { if case .committed(let value) = self { value } else { nil } }
}

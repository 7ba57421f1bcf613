import Synchronization

/// When one key was last shown, coarsely: a request pays for looking, and only one in five minutes for writing.
final class KeyUse: Sendable {
    /// How exact the time is: milliseconds.
    static let grain: Int64 = 300_000
    private let last = Atomic<Int64>(.min)

    /// The start of the five minutes in which it was last shown, in milliseconds since 1970; nil when it never was.
    var time: Int64? {
        let time = last.load(ordering: .relaxed)
        return time == .min ? nil : time
    }

    /// Notes a use. A clock that was wrong is put right by the next one.
    func note(_ now: Int64) {
        let time = now - now % Self.grain
        if last.load(ordering: .relaxed) != time { last.store(time, ordering: .relaxed) }
    }
}

/// When something ends: after a length of time, or at a time.
struct Ending: SingleValue, Equatable {
    static let placeholder = "TIME"
    private enum Kind: Equatable {
        case after(Lifetime)
        case at(Timestamp)
    }
    private let kind: Kind

    init(argument text: String) throws(ValueError) {
        if let lifetime = try? Lifetime(argument: text) {
            kind = .after(lifetime)
        } else if let time = try? Timestamp(argument: text) {
            kind = .at(time)
        } else {
            throw ValueError("is '\(text)'; write a length such as 12h or 7d, or a time such as 2026-03-01T09:30:00Z")
        }
    }

    func time(from now: Timestamp) -> Timestamp {
        switch kind {
        case .after(let lifetime): Timestamp(milliseconds: now.milliseconds + Int64(lifetime.seconds) * 1_000)
        case .at(let time): time
        }
    }
}

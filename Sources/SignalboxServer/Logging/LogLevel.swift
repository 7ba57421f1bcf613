/// How much a log line matters.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// Every request.
    case debug
    /// What an operator expects: start, stop, what a sweep did.
    case info
    /// What an operator should know: a slow request, a journey that was not pinned, a sweep that was refused.
    case warning
    /// What failed.
    case error

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

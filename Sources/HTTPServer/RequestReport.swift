/// One answered request, as a log may tell it: no body, no query, and the pattern of the path instead of the path.
package struct RequestReport: Sendable {
    /// What the client sent as `X-Request-Id`, or what was made for it; the answer carries it.
    package let requestID: String
    package let method: Method
    /// The pattern of the route; nil if none matched.
    package let pattern: String?
    package let status: Int
    /// From the whole request read to the answer handed over.
    package let microseconds: UInt64
    /// Who asked, as the handler named it.
    package let caller: String
    /// What the answer says about itself for the log.
    package let note: String?
    /// Whether it took long.
    package let isSlow: Bool

    package init(
        requestID: String, method: Method, pattern: String?, status: Int, microseconds: UInt64, caller: String,
        note: String?, isSlow: Bool
    ) {
        self.requestID = requestID
        self.method = method
        self.pattern = pattern
        self.status = status
        self.microseconds = microseconds
        self.caller = caller
        self.note = note
        self.isSlow = isSlow
    }
}

/// Which requests are reported, and to whom.
struct Reporting: Sendable {
    let everyRequest: Bool
    let slowNanoseconds: UInt64
    let report: @Sendable (RequestReport) -> Void

    init?(_ configuration: ServerConfiguration) {
        guard let report = configuration.report else { return nil }
        self.report = report
        everyRequest = configuration.reportsEveryRequest
        slowNanoseconds = UInt64(exactly: (configuration.slowSeconds * 1e9).rounded()) ?? .max
    }

    func wants(_ response: Response, nanoseconds: UInt64) -> Bool {
        everyRequest || response.note != nil || response.status >= 500 || nanoseconds >= slowNanoseconds
    }
}

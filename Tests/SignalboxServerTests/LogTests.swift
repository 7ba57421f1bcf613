import FlagEvaluation
import HTTPServer
import Rollouts
import Synchronization
import Testing

@testable import SignalboxServer

@Suite struct `A log` {
    @Test func `writes one line of JSON an event, with time and level`() throws {
        let lines = Lines()
        lines.log(.info).add(.info, "started", ["workers": 2, "note": "two\nlines", "nothing": .null])
        #expect(
            try lines.events == [
                ["time": 5_000, "level": "info", "event": "started", "workers": 2, "note": "two\nlines"]
            ])
        #expect(lines.text.split(separator: "\n").count == 1)
    }

    @Test(arguments: LogLevel.allCases) func `leaves out what is below its level`(level: LogLevel) throws {
        let lines = Lines()
        let log = lines.log(level)
        for other in LogLevel.allCases { log.add(other, "event") }
        #expect(try lines.events.count == LogLevel.allCases.count { $0 >= level })
    }

    @Test(
        arguments: [
            (200, nil, false, "debug"), (404, nil, false, "debug"),
            (200, "not pinned: store_disk_full", false, "warning"),
            (200, nil, true, "warning"), (503, "store_busy", false, "error"),
        ] as [(Int, String?, Bool, String)])
    func `tells of a request at the level of what became of it`(
        status: Int, note: String?, isSlow: Bool, level: String
    ) throws {
        let lines = Lines()
        lines.log(.debug).add(.of(status, note: note, isSlow: isSlow))
        let event = try #require(try lines.events.first)
        #expect(event["level"]?.string == level)
        #expect(event["request"] == "r-1")
        #expect(event["route"] == "/v1/flags/:key")
        #expect(event["key"] == "k1")
        #expect(event["note"]?.string == note)
    }

    @Test func `writes a bounded number of requests a second, and counts the rest`() throws {
        let lines = Lines()
        let log = lines.log(.warning)
        for _ in 0..<(Log.mostRequestsASecond + 50) { log.add(.of(503, note: "store_busy")) }
        #expect(try lines.events.count == Log.mostRequestsASecond)
        lines.pass(seconds: 1)
        log.add(.of(503, note: "store_busy"))
        let last = try lines.events.suffix(2)
        #expect(last.first?["event"] == "requests_not_logged")
        #expect(last.first?["count"] == 50)
    }

    @Test func `shows the kind and id of a key and never more`() throws {
        var randomness = SystemRandomNumberGenerator()
        let (id, secret) = KeySecret.mint(kind: .admin, using: &randomness)
        let lines = Lines()
        lines.log(.info).add(.error, "event", ["note": .string("got \(secret), and \(secret)x")])
        #expect(try lines.events[0]["note"] == .string("got sb_admin_\(id)_***, and sb_admin_\(id)_***"))
        #expect(!lines.text.contains(secret.split(separator: "_")[3]))
    }
}

@Suite struct `A text in the log` {
    @Test(arguments: [
        ("", ""), ("sb", "sb"), ("plain text", "plain text"), ("sb_", "sb_***"), ("sb_canary", "sb_***"),
        ("Bearer sb_app_abc_SECRET_crc.", "Bearer sb_app_abc_***."), ("sb_app_SECRETSECRETSECRET_x", "sb_***"),
        ("sb_SECRETSECRETSECRETS_a_b", "sb_***"), ("xsb_app_a_SECRET", "xsb_app_a_***"),
        ("sb_app_a_\u{e9}", "sb_app_a_***é"),
    ])
    func `masks what looks like a key`(text: String, shown: String) {
        #expect(Redaction.redacted(text) == shown)
    }

    @Test func `cuts long texts`() {
        let text = Redaction.redacted(String(repeating: "a", count: 5_000))
        #expect(text == String(repeating: "a", count: Redaction.longest) + "…")
    }
}

@Suite struct `An answer` {
    @Test func `that failed carries its code for the log, and one that was refused carries nothing`() async throws {
        #expect(Failures.response(for: ServiceError(.outcomeUnknown, "x")).note == "outcome_unknown")
        #expect(Failures.response(for: ServiceError(.unauthorized, "x")).note == nil)
        let fault = Failures.response(for: CanaryError(text: "canary"))
        #expect(fault.note == "internal_fault CanaryError")
        #expect(!String(decoding: fault.body, as: UTF8.self).contains("canary"))
    }
}

private struct CanaryError: Error {
    let text: String
}

/// What a log has written, and its clock.
private final class Lines: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let time = TestTime(5_000)

    func log(_ level: LogLevel) -> Log {
        Log(level: level, now: { self.time.now }, write: { line in self.bytes.withLock { $0 += line } })
    }

    func pass(seconds: Int64) { time.pass(seconds * 1_000) }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    var events: [JSONValue] {
        get throws { try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) } }
    }
}

extension RequestReport {
    fileprivate static func of(_ status: Int, note: String? = nil, isSlow: Bool = false) -> RequestReport {
        RequestReport(
            requestID: "r-1", method: .get, pattern: "/v1/flags/:key", status: status, microseconds: 7, caller: "k1",
            note: note, isSlow: isSlow)
    }
}

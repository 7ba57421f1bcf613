import FlagEvaluation
import HTTPServer
import Synchronization

/// One line of JSON an event, on whatever `write` leads to.
package final class Log: Sendable {
    private struct Second {
        var number: Int64 = 0
        var requests = 0
        var dropped: Int64 = 0
    }

    private let level: LogLevel
    private let now: @Sendable () -> Int64
    private let write: @Sendable ([UInt8]) -> Void
    private let second = Mutex(Second())
    /// Lines about requests in one second; the rest are only counted, so that a failing store cannot fill the disk with
    /// them. Who asks for every request gets every one.
    static let mostRequestsASecond = 100

    /// `write` gets whole lines and may be called on any thread.
    package init(
        level: LogLevel, now: @escaping @Sendable () -> Int64, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.now = now
        self.write = write
    }

    /// Writes one event. Every text passes `Redaction`.
    package func add(_ level: LogLevel, _ event: StaticString, _ fields: JSONObject = [:]) {
        guard level >= self.level else { return }
        var line: JSONObject = [
            "time": .integer(now()), "level": .string(level.rawValue), "event": .string("\(event)"),
        ]
        for (name, value) in fields.entries where !value.isNull {
            line[name] = value.string.map { .string(Redaction.redacted($0)) } ?? value
        }
        var bytes: [UInt8] = []
        JSONValue.object(line).write(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        write(bytes)
    }

    /// Whether every request is to be told.
    package var tellsEveryRequest: Bool { level == .debug }

    /// Writes what became of a request that is worth telling.
    package func add(_ report: RequestReport) {
        let level: LogLevel = report.status >= 500 ? .error : report.isSlow || report.note != nil ? .warning : .debug
        guard level >= self.level, tellsEveryRequest || admitsRequest() else { return }
        add(
            level, "request",
            [
                "request": .string(report.requestID), "method": .string("\(report.method.name)"),
                "route": report.pattern.map { .string($0) } ?? .null, "status": .integer(Int64(report.status)),
                "microseconds": .integer(Int64(clamping: report.microseconds)),
                "key": report.caller.isEmpty ? .null : .string(report.caller),
                "note": report.note.map { .string($0) } ?? .null,
            ])
    }

    /// Takes a place among this second's lines. The first line of a later second tells how many had none.
    private func admitsRequest() -> Bool {
        let number = now() / 1_000
        let (isAdmitted, dropped): (Bool, Int64) = second.withLock { second in
            var dropped: Int64 = 0
            if number != second.number {
                dropped = second.dropped
                second = Second(number: number)
            }
            guard second.requests < Self.mostRequestsASecond else {
                second.dropped += 1
                return (false, dropped)
            }
            second.requests += 1
            return (true, dropped)
        }
        if dropped > 0 { add(.warning, "requests_not_logged", ["count": .integer(dropped)]) }
        return isAdmitted
    }
}

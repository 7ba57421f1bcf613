import FlagEvaluation

extension CommandError {
    /// What the service refused, or failed at.
    init(refusedBy answer: Answer, _ value: JSONValue?) {
        let error = value?["error"]
        let code = error?.shown("code") ?? ""
        let message = error?.shown("message") ?? ""
        self.init(
            status: Self.status(of: answer.status), code: code.isEmpty ? "http_\(answer.status)" : code,
            message: message.isEmpty ? "the service answered with status \(answer.status)" : message,
            details: error?["details"].map(Self.lines) ?? [],
            document: value == nil ? nil : answer.body)
    }

    private static func status(of status: Int) -> ExitCode {
        switch status {
        case 401, 403: .notAllowed
        // Too slow, or too much at once: neither is a rule, and asking again may help.
        case 408, 429: .unavailable
        case 400..<500: .refused
        default: .unavailable
        }
    }

    /// The details of an error, a line each. Gates say what would make them pass, route by route.
    private static func lines(_ details: JSONValue) -> [String] {
        guard let members = details.object else { return details.isNull ? [] : [details.shown] }
        if members["gates"]?.array != nil {
            let routes = members["routes"]?.array ?? [details]
            return routes.flatMap { route in
                let heading = route["move"].map { "\(route.shown("route")) to \($0.shown):" }
                return (heading.map { [$0] } ?? []) + GateList(route.list("gates")).lines(coloured: false)
            }
        }
        return members.entries.flatMap { key, value -> [String] in
            if let list = value.array, list.allSatisfy({ $0.object == nil && $0.array == nil }) {
                return ["\(key.printable): \(list.map(\.shown).joined(separator: ", "))"]
            }
            return value.isNull ? [] : ["\(key.printable): \(value.shown)"]
        }
    }
}

/// Gates, each with what would make it pass.
struct GateList {
    private let gates: [JSONValue]

    init(_ gates: [JSONValue]) { self.gates = gates }

    /// The gates in columns; the remedy stands below a gate that does not pass.
    func lines(coloured: Bool) -> [String] {
        let names = gates.map { $0.shown("name") + ($0["isHard"] == .bool(true) ? " (hard)" : "") }
        let width = names.map(\.count).max() ?? 0
        return zip(gates, names).flatMap { gate, name -> [String] in
            let verdict = gate.shown("verdict")
            let mark = verdict + String(repeating: " ", count: max(0, 9 - verdict.count))
            let painted = coloured ? Paint.of(verdict)?.around(mark) ?? mark : mark
            var reason = gate.shown("reason")
            if let waiver = gate["waiver"] {
                reason += " (waived by \(waiver.shown("approver")) until \(waiver.time("expiresAt")))"
            }
            let padding = reason.isEmpty ? "" : String(repeating: " ", count: width - name.count + 2)
            let remedy = gate.shown("remedy")
            let isPassed = verdict == "pass" || verdict == "waived"
            return [painted + name + padding + reason] + (isPassed || remedy.isEmpty ? [] : ["         → \(remedy)"])
        }
    }
}

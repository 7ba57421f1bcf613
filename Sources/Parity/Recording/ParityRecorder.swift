import FlagEvaluation

/// Writes a recording, line by line, while a scenario runs.
///
/// A recording is JSON Lines: a header, what was seen, and an end that counts the lines, so that a test which died
/// halfway leaves nothing that could pass for a whole recording.
public struct ParityRecorder: Sendable {
    private var bytes: [UInt8] = []
    private var lines: Int64 = 0

    /// Begins a recording.
    public init(_ header: ParityHeader) { write("header", header.json) }

    /// A call of analytics, at a step of the scenario.
    public mutating func event(_ name: String, step: String, props: JSONObject = [:]) {
        write("event", ["step": .string(step), "name": .string(name), "props": .object(props)])
    }

    /// An element that a screen reader stops at. Call it in the order of focus.
    ///
    /// - Parameters:
    ///   - id: the accessibility identifier: what both renderers call the same thing.
    ///   - actions: what can be done with the element, the standard activation (`activate`) included.
    public mutating func element(
        _ id: String, label: String? = nil, value: String? = nil, hint: String? = nil, traits: [String] = [],
        actions: [String] = [], step: String = ""
    ) {
        var members: JSONObject = ["id": .string(id)]
        if !step.isEmpty { members["step"] = .string(step) }
        members["label"] = label.map { .string($0) }
        members["value"] = value.map { .string($0) }
        members["hint"] = hint.map { .string($0) }
        members["traits"] = .array(traits.map { .string($0) })
        members["actions"] = .array(actions.map { .string($0) })
        write("ax", members)
    }

    /// An issue that the platform's accessibility audit found.
    public mutating func issue(_ check: String, id: String = "") {
        write("audit", ["check": .string(check), "id": .string(id)])
    }

    /// A transition of the flow's state.
    public mutating func state(from: String, to: String) { write("state", ["from": .string(from), "to": .string(to)]) }

    /// What one way into the flow led to. `result` is null when nothing could be made of `input`.
    public mutating func entry(via kind: ParityEntryKind, input: JSONValue, result: JSONValue) {
        write("entry", ["via": .string(kind.rawValue), "input": input, "result": result])
    }

    /// Measurements of one metric, of which less is better. Units `ns`, `us`, `ms` and `s` are times.
    public mutating func samples(of metric: String, unit: String, _ samples: [Double]) {
        write(
            "perf",
            ["metric": .string(metric), "unit": .string(unit), "samples": .array(samples.map { .float($0) })])
    }

    /// A text as it is shown.
    public mutating func text(_ id: String, _ value: String, isTruncated: Bool = false, step: String = "") {
        var members: JSONObject = ["id": .string(id), "value": .string(value)]
        if !step.isEmpty { members["step"] = .string(step) }
        if isTruncated { members["truncated"] = true }
        write("text", members)
    }

    /// The recording with its end. More may be recorded afterwards, and this be asked again.
    public var recording: [UInt8] {
        var ended = self
        ended.write("end", ["lines": .integer(lines + 1)])
        return ended.bytes
    }

    private mutating func write(_ kind: String, _ members: JSONObject) {
        lines += 1
        var line = JSONObject([("kind", .string(kind))])
        for (key, value) in members.entries { line[key] = value }
        JSONValue.object(line).write(to: &bytes)
        bytes.append(0x0A)
    }
}

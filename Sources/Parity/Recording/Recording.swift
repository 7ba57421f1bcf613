import FlagEvaluation

/// One recording, read. What is wrong with it stands in ``faults``; a recording with faults is not compared.
struct Recording {
    private(set) var header: ParityHeader?
    private(set) var events: [Recorded<RecordedEvent>] = []
    private(set) var elements: [Recorded<RecordedElement>] = []
    private(set) var issues: [Recorded<RecordedIssue>] = []
    private(set) var transitions: [Recorded<RecordedTransition>] = []
    private(set) var entries: [Recorded<RecordedEntry>] = []
    private(set) var samples: [Recorded<RecordedSamples>] = []
    private(set) var texts: [Recorded<RecordedText>] = []
    /// What makes it incomplete, and the line, where it is one line's fault.
    private(set) var faults: [(reason: String, line: Int?)] = []

    private static let mostFaults = 20

    init(_ bytes: [UInt8]) {
        guard bytes.count <= ParityLimits.recordingBytes else {
            faults = [("is larger than \(ParityLimits.recordingBytes >> 20) MB", nil)]
            return
        }
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        // Every line ends with a newline; what follows the last one is no line.
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count <= ParityLimits.lines else {
            faults = [("has more than \(ParityLimits.lines) lines", nil)]
            return
        }
        var end: Int64?
        for (index, line) in lines.enumerated() where faults.count < Self.mostFaults {
            do throws(LineFault) {
                guard end == nil else { throw LineFault("stands behind the end") }
                end = try read(line, index + 1)
            } catch {
                faults.append((error.reason, index + 1))
            }
        }
        if header == nil, faults.isEmpty { faults.append(("has no header", nil)) }
        switch end {
        case nil where faults.isEmpty: faults.append(("has no end: it was cut off", nil))
        case let count? where count != Int64(lines.count):
            faults.append(("has \(lines.count) lines, and its end says \(count)", nil))
        default: break
        }
        if samples.reduce(0, { $0 + $1.value.samples.count }) > ParityLimits.samples {
            faults.append(("has more than \(ParityLimits.samples) samples", nil))
        }
    }

    /// Takes in one line; gives the count of lines when it is the end.
    private mutating func read(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(LineFault) -> Int64? {
        guard bytes.count <= ParityLimits.lineBytes else { throw LineFault("is too long") }
        let object = try Self.object(bytes)
        guard let kind = object["kind"]?.string else { throw LineFault("has no kind") }
        guard (kind == "header") == (line == 1) else {
            throw LineFault(line == 1 ? "is not a header" : "is a second header")
        }
        switch kind {
        case "header": header = try ParityHeader(LineReader(object, members: Self.headerMembers))
        case "event": events.append(Recorded(value: try RecordedEvent(object), line: line))
        case "ax": elements.append(Recorded(value: try RecordedElement(object), line: line))
        case "audit": issues.append(Recorded(value: try RecordedIssue(object), line: line))
        case "state": transitions.append(Recorded(value: try RecordedTransition(object), line: line))
        case "entry": entries.append(Recorded(value: try RecordedEntry(object), line: line))
        case "perf": samples.append(Recorded(value: try RecordedSamples(object), line: line))
        case "text": texts.append(Recorded(value: try RecordedText(object), line: line))
        case "end": return try LineReader(object, members: ["lines"]).integer("lines")
        default: throw LineFault("is of the unknown kind \(kind.shortened)")
        }
        return nil
    }

    private static let headerMembers: Set<String> = [
        "flow", "scenario", "renderer", "run", "contract", "app", "build", "os", "device", "locale", "contentSize",
        "recorder", "seed",
    ]

    private static func object(_ bytes: ArraySlice<UInt8>) throws(LineFault) -> JSONObject {
        let parsed: Result<JSONValue, JSONError> = bytes.withUnsafeBytes { raw in
            Result { () throws(JSONError) in try JSONValue(parsing: raw, limits: ParityLimits.line) }
        }
        switch parsed {
        case .success(let value):
            guard let object = value.object else { throw LineFault("is not a JSON object") }
            return object
        case .failure(let error): throw LineFault("is not JSON: \(error.message)")
        }
    }
}

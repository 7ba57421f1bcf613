import FlagEvaluation

/// Something that was recorded, and the line of the file that it stands in, counted from 1.
struct Recorded<Value> {
    let value: Value
    let line: Int
}

/// One call of analytics.
struct RecordedEvent {
    let step: String
    let name: String
    let props: JSONObject
}

/// One element that a screen reader stops at. Their order in the file is the order of focus.
struct RecordedElement {
    /// The step of the scenario at which it was captured; empty when there is only one.
    let step: String
    let id: String
    let label: String?
    let value: String?
    let hint: String?
    let traits: Set<String>
    let actions: Set<String>
}

/// One issue that an audit found.
struct RecordedIssue {
    let check: String
    let id: String
}

struct RecordedTransition: Hashable {
    let from: String
    let to: String
}

/// What one way into the flow led to.
struct RecordedEntry {
    let via: ParityEntryKind
    let input: JSONValue
    let result: JSONValue
}

struct RecordedSamples {
    let metric: String
    let unit: String
    let samples: [Double]
}

struct RecordedText {
    let step: String
    let id: String
    let value: String
    let isTruncated: Bool
}

/// How a flow is entered.
public enum ParityEntryKind: String, CaseIterable, Hashable, Sendable {
    case deepLink, notification, restoration, inApp
}

extension RecordedEvent {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["step", "name", "props"])
        step = try line.optionalName("step") ?? ""
        name = try line.name("name")
        guard let props = (object["props"] ?? [:]).object else { throw LineFault("has props that are not an object") }
        self.props = props
    }
}

extension RecordedElement {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["step", "id", "label", "value", "hint", "traits", "actions"])
        step = try line.optionalName("step") ?? ""
        id = try line.name("id")
        label = try line.optionalText("label")
        value = try line.optionalText("value")
        hint = try line.optionalText("hint")
        traits = Set(try line.names("traits"))
        actions = Set(try line.names("actions"))
    }
}

extension RecordedIssue {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["check", "id"])
        check = try line.name("check")
        id = try line.optionalName("id") ?? ""
    }
}

extension RecordedTransition {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["from", "to"])
        from = try line.name("from")
        to = try line.name("to")
    }
}

extension RecordedEntry {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["via", "input", "result"])
        via = try line.word("via")
        input = try line.value("input")
        result = try line.value("result")
    }
}

extension RecordedSamples {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["metric", "unit", "samples"])
        metric = try line.name("metric")
        unit = try line.name("unit")
        guard let list = object["samples"]?.array else { throw LineFault("needs samples, a list of numbers") }
        var samples: [Double] = []
        for element in list {
            switch element {
            case .integer(let number) where number >= 0: samples.append(Double(number))
            case .float(let number) where number >= 0 && number.isFinite: samples.append(number)
            default: throw LineFault("has a sample that is not a number from 0")
            }
        }
        self.samples = samples
    }
}

extension RecordedText {
    init(_ object: JSONObject) throws(LineFault) {
        let line = try LineReader(object, members: ["step", "id", "value", "truncated"])
        step = try line.optionalName("step") ?? ""
        id = try line.name("id")
        value = try line.optionalText("value") ?? ""
        isTruncated = try line.optionalBool("truncated") ?? false
    }
}

import FlagEvaluation
import Parity
import RouteContract

extension ParityHeader {
    static func example(_ renderer: Renderer, run: Int64 = 1) -> ParityHeader {
        ParityHeader(
            flow: "trips", scenario: "rename", renderer: renderer, run: run, contract: "c1", app: "app", build: "730",
            os: "17.5", device: "iPhone12,8", locale: "de_DE", contentSize: "default", recorder: "tests/1", seed: 1)
    }
}

/// A small recording that touches every dimension. Tests take a closure to change what they are about.
struct ExampleRecording {
    var header: ParityHeader
    var events: [(name: String, step: String, props: JSONObject)] = [
        ("editor_opened", "open", ["trip": "7", "position": 1]),
        ("name_changed", "type", ["length": 6, "at": 1_700_000_000]),
        ("editor_closed", "save", ["saved": true]),
    ]
    var elements: [(id: String, label: String?, traits: [String], actions: [String])] = [
        ("title", "Edit trip", ["header"], []), ("name", "Name", [], ["activate"]),
        ("save", "Save", ["button"], ["activate", "undo"]), ("cancel", "Cancel", ["button"], ["activate"]),
    ]
    var issues: [String] = []
    var states: [(String, String)] = [("shown", "edited"), ("edited", "edited"), ("edited", "saved")]
    var entries: [(ParityEntryKind, JSONValue, JSONValue)] = [
        (.deepLink, "https://example.com/trips/7/edit", ["key": "trips.edit", "id": "7"]),
        (.restoration, ["schema": 1, "route": "trips.edit"], ["key": "trips.edit"]),
    ]
    var samples: [Double] = (0..<20).map { 100 + Double($0 % 7) }
    var unit = "ms"
    var texts: [(String, String)] = [("title", "Edit trip")]

    init(_ renderer: Renderer, run: Int64 = 1) { header = .example(renderer, run: run) }

    /// The recording as a file.
    var bytes: [UInt8] {
        var recorder = ParityRecorder(header)
        for event in events { recorder.event(event.name, step: event.step, props: event.props) }
        for element in elements {
            recorder.element(element.id, label: element.label, traits: element.traits, actions: element.actions)
        }
        for issue in issues { recorder.issue(issue) }
        for (from, to) in states { recorder.state(from: from, to: to) }
        for (kind, input, result) in entries { recorder.entry(via: kind, input: input, result: result) }
        if !samples.isEmpty { recorder.samples(of: "open", unit: unit, samples) }
        for (id, value) in texts { recorder.text(id, value) }
        return recorder.recording
    }
}

/// Compares the example with a migrated one that a test has changed, after a control.
func comparison(
    rules: JSONValue = [:], today: String = "2026-11-30", _ change: (inout ExampleRecording) -> Void
) throws -> ParityComparison {
    var new = ExampleRecording(.migrated)
    change(&new)
    return ParityComparison(
        old: ExampleRecording(.legacy).bytes, new: new.bytes, secondOld: ExampleRecording(.legacy, run: 2).bytes,
        rules: try ParityRules(rules), today: today)
}

extension ParityComparison {
    /// `dimension difference subject` of everything that fails.
    var failures: [String] { words(.fails) }

    func words(_ effect: ParityFinding.Effect) -> [String] {
        findings.filter { $0.effect == effect }
            .map { "\($0.dimension.rawValue) \($0.difference.rawValue) \($0.subject)" }
    }
}

/// A row of a table: what is expected, and the change that brings it about.
struct Row<Value>: Sendable {
    let words: String
    let change: @Sendable (inout Value) -> Void

    init(_ words: String, _ change: @escaping @Sendable (inout Value) -> Void) {
        self.words = words
        self.change = change
    }
}

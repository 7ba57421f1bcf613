import FlagEvaluation
import Foundation
import Testing

/// The public suites: a folder that `SIGNALBOX_SUITES` names. Without it the tests that need it are skipped.
enum Suites {
    private static let root = ProcessInfo.processInfo.environment["SIGNALBOX_SUITES"]

    /// Whether there are any; says so when there are none.
    static let areNamed: Bool = {
        if root == nil { print("skipped: SIGNALBOX_SUITES does not name the folder of the public suites") }
        return root != nil
    }()

    static func folder(_ name: String) -> URL? { root.map { URL(fileURLWithPath: $0).appendingPathComponent(name) } }

    static func json(_ file: URL) throws -> JSONValue { try JSONValue(parsing: Array(Data(contentsOf: file))) }

    /// The files of a folder, by name.
    static func files(in folder: URL, extension suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == suffix }
            .sorted { $0.path < $1.path }
    }
}

extension JSONValue {
    /// Parses a literal of a test.
    static func of(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    /// The same with whole floats as integers: JsonLogic does not tell them apart.
    var withPlainNumbers: JSONValue {
        switch self {
        case .float(let value): Int64(exactly: value).map { .integer($0) } ?? self
        case .array(let elements): .array(elements.map(\.withPlainNumbers))
        case .object(let object): .object(JSONObject(object.entries.map { ($0.key, $0.value.withPlainNumbers) }))
        default: self
        }
    }
}

extension EvaluationContext {
    /// A context from JSON text.
    static func of(_ text: String) throws -> EvaluationContext {
        let document = JSONDocument()
        try Array(text.utf8).withUnsafeBytes { try document.parse($0) }
        return EvaluationContext(document, at: document.root)
    }
}

/// What a rule gives for the data, both as JSON text.
func apply(_ rule: String, to data: String = "{}", at now: Int64 = 0) throws -> String {
    let (rule, context) = (try JSONValue.of(rule), try EvaluationContext.of(data))
    let value = try Rule(rule).value(for: context, at: now)
    // Whoever explains must not see another value.
    #expect(walked(rule, context, at: now) == value, "the explanation of \(rule.jsonText) disagrees")
    return value.jsonText
}

import FlagEvaluation
import RouteContract

/// The answer for a route, written once a revision but for the choice and its reasons, which are many.
struct RouteText: Sendable {
    /// What comes before the renderer, and what between the reason and the choice.
    private let bytes: [UInt8]
    private let headCount: Int

    init(_ writer: AnswerWriter) {
        var bytes = Array(#"{"key":"#.utf8)
        JSONValue.string(writer.key).write(to: &bytes)
        headCount = bytes.count
        var metadata = writer.metadata
        // Last, also where the set's own metadata has a member of that name.
        metadata["choice"] = nil
        metadata["choice"] = ""
        bytes += #","metadata":"#.utf8
        JSONValue.object(metadata).write(to: &bytes)
        bytes.removeLast(2)
        self.bytes = bytes
    }

    /// The most that is appended.
    var mostBytes: Int { bytes.count + 128 }

    /// Appends the answer for that choice; nil when the build has neither renderer.
    func append(_ choice: Choice?, for reason: Reason, to body: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<headCount]))
            switch choice?.renderer {
            case .legacy: body.append(#","value":"legacy","variant":"legacy","reason":""#)
            case .migrated: body.append(#","value":"migrated","variant":"migrated","reason":""#)
            case nil: body.append(#","variant":"","reason":""#)
            }
            body.append(reason.text)
            body.append(UInt8(ascii: "\""))
            body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[headCount...]))
            body.append(choice?.reason.text ?? "notInBuild")
            body.append(#""}}"#)
        }
    }
}

extension [UInt8] {
    /// Without the counting of references that a string or an array would take: 300 routes have a thousand of these.
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension Reason {
    /// The raw value, as bytes that lie in the program.
    var text: StaticString {
        switch self {
        case .static: "STATIC"
        case .default: "DEFAULT"
        case .targetingMatch: "TARGETING_MATCH"
        case .disabled: "DISABLED"
        case .error: "ERROR"
        }
    }
}

extension ChoiceReason {
    /// The raw value, as bytes that lie in the program.
    var text: StaticString {
        switch self {
        case .pinned: "pinned"
        case .pinnedRendererUnavailable: "pinnedRendererUnavailable"
        case .crashLoopBreaker: "crashLoopBreaker"
        case .onlyRendererInBuild: "onlyRendererInBuild"
        case .offlineDefault: "offlineDefault"
        case .staleSnapshot: "staleSnapshot"
        case .rolledBack: "rolledBack"
        case .island: "island"
        case .override: "override"
        case .stage: "stage"
        case .cohort: "cohort"
        case .share: "share"
        case .holdout: "holdout"
        }
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// A journey as clients see it.
enum JourneyAnswer {
    /// The body; `isPinned` says whether the choices are on disk. A build that is not registered is said to be so: then
    /// nobody meant the choices to be legacy. `ends` tells the journey to end, `contradicts` that its device decided
    /// otherwise.
    static func body(
        of record: JourneyRecord, isPinned: Bool, isBuildRegistered: Bool = true, ends: Bool = false,
        contradicts: Bool = false
    ) -> [UInt8] {
        let pin = record.pin
        var body: [UInt8] = []
        body.reserveCapacity(384)
        body.append(contentsOf: #"{"id":""#.utf8)
        withUnsafeTemporaryAllocation(byteCount: JourneyID.textCount, alignment: 1) { text in
            pin.id.writeText(to: text)
            body.append(contentsOf: text)
        }
        body.append(contentsOf: #"","segment":"#.utf8)
        body.append(number: record.segment)
        body.append(contentsOf: #","flow":"#.utf8)
        JSONValue.string(pin.flow).write(to: &body)
        body.append(contentsOf: #","unit":"#.utf8)
        JSONValue.string(pin.unit).write(to: &body)
        body.append(contentsOf: #","build":"#.utf8)
        JSONValue.string(pin.build.text).write(to: &body)
        body.append(contentsOf: (isPinned ? #","pinned":true,"epoch":"# : #","pinned":false,"epoch":"#).utf8)
        body.append(number: pin.epoch)
        body.append(contentsOf: #","revision":"#.utf8)
        body.append(number: pin.revision)
        body.append(contentsOf: #","startedAt":"#.utf8)
        body.append(number: pin.startedAt)
        body.append(contentsOf: #","expiresAt":"#.utf8)
        body.append(number: pin.expiresAt)
        body.append(contentsOf: #","choices":{"#.utf8)
        appendChoices(of: pin.choices.text, to: &body)
        body.append(contentsOf: #"},"outcome":"#.utf8)
        (record.outcome.map { JSONValue.object($0.outcome.json) } ?? .null).write(to: &body)
        if let parent = pin.parent { body.append(contentsOf: #","parent":"\#(parent)""#.utf8) }
        if let opening = pin.opening {
            body.append(contentsOf: #","segmentReason":"\#(opening.reason.rawValue)""#.utf8)
        }
        if let origin = pin.origin { body.append(contentsOf: #","origin":"\#(origin.rawValue)""#.utf8) }
        if ends { body.append(contentsOf: #","end":"interrupted""#.utf8) }
        if contradicts { body.append(contentsOf: #","conflict":true"#.utf8) }
        if !isBuildRegistered { body.append(contentsOf: #","buildRegistered":false"#.utf8) }
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// Writes `route=renderer/reason;…` as JSON members. None of its words needs escaping.
    private static func appendChoices(of text: [UInt8], to body: inout [UInt8]) {
        guard !text.isEmpty else { return }
        body.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "="): body.append(contentsOf: #"":{"renderer":""#.utf8)
            case UInt8(ascii: "/"): body.append(contentsOf: #"","reason":""#.utf8)
            case UInt8(ascii: ";"): body.append(contentsOf: #""},""#.utf8)
            default: body.append(byte)
            }
        }
        body.append(contentsOf: #""}"#.utf8)
    }
}

extension JourneyOutcome {
    /// `{"status", "name"?}`
    var json: JSONObject {
        var json: JSONObject = ["status": .string(status.rawValue)]
        if let name { json["name"] = .string(name) }
        return json
    }
}

extension [UInt8] {
    /// Appends the decimal digits.
    fileprivate mutating func append(number: Int64) { append(contentsOf: String(number).utf8) }
}

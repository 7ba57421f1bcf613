import FlagEvaluation

/// How far the audit and the pins had come at one moment, kept outside the database.
///
/// A hash chain does not see that its end was cut off, and neither does SQLite. What is written here was committed, so
/// a database that holds less, or something else, is not the one that was served.
package struct Anchor: Hashable, Sendable {
    package let environment: String
    package let epoch: Int64
    /// The number of the last audit entry; 0 without any.
    package let sequence: Int64
    /// The hash of that entry.
    package let hash: String
    /// Segments of journeys that had ever been stored.
    package let pins: Int64
    /// Milliseconds since 1970.
    package let writtenAt: Int64
}

extension Anchor {
    /// As `anchor.json` holds it.
    package var json: JSONObject {
        [
            "environment": .string(environment), "epoch": .integer(epoch), "sequence": .integer(sequence),
            "hash": .string(hash), "pins": .integer(pins), "writtenAt": .integer(writtenAt),
        ]
    }

    /// Reads what `json` gives; nil for anything else.
    package init?(json: JSONValue) {
        guard let environment = json["environment"]?.string, let epoch = json["epoch"]?.integer,
            let sequence = json["sequence"]?.integer, let hash = json["hash"]?.string,
            let pins = json["pins"]?.integer, let writtenAt = json["writtenAt"]?.integer
        else { return nil }
        self.init(
            environment: environment, epoch: epoch, sequence: sequence, hash: hash, pins: pins, writtenAt: writtenAt)
    }
}

/// The file in which the anchor is kept, in the folder of the database.
package struct AnchorFile: Sendable {
    /// What is in the file.
    enum Content {
        case missing
        case unreadable
        case anchor(Anchor)
    }

    package let path: String

    init(besides database: String) { path = DurableFile.folder(of: database) + "/anchor.json" }

    init(at path: String) { self.path = path }

    func content() throws(StoreError) -> Content {
        guard let bytes = try DurableFile.contents(of: path, limit: 1 << 16) else { return .missing }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let json = try? JSONValue(parsing: text), let anchor = Anchor(json: json) else { return .unreadable }
        return .anchor(anchor)
    }

    func write(_ anchor: Anchor) throws(StoreError) {
        try DurableFile.replace(path, with: Array((JSONValue.object(anchor.json).jsonText + "\n").utf8))
    }
}

import FlagEvaluation
import Rollouts
import Storage

/// Names a bulk answer: the same tag is the same answer.
///
/// It covers the state of the configuration, the request's body byte by byte, and the second of the clock when any rule
/// reads it. A context that says the same in other bytes gets another tag, which costs an evaluation and is never wrong.
struct EntityTag {
    /// With its quotation marks.
    let text: String

    init(of body: UnsafeRawBufferPointer, at snapshot: Snapshot, now: Int64) {
        var sha = SHA256()
        let digest = sha.digest(of: body).hexadecimal.prefix(32)
        let configuration = snapshot.configuration
        let time = snapshot.flags.readsClock ? "-\(now / 1000)" : ""
        text = "\"\(configuration.epoch)-\(configuration.revision)-\(digest)\(time)\""
    }

    /// Whether an `If-None-Match` names this tag, weakly or strongly, alone or in a list. Source: RFC 9110, 13.1.2.
    func isNamed(in header: String) -> Bool {
        header.split(separator: ",").contains { part in
            let tag = part.drop { $0 == " " || $0 == "\t" }
            let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
            return strong.prefix { $0 != " " && $0 != "\t" } == text
        }
    }
}

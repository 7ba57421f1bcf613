import FlagEvaluation
import Rollouts
import Storage

/// Names a bulk answer: the same tag is the same answer.
///
/// It covers the state of the configuration, the context whatever the order of its members, the pin, the key (whose
/// link to the event stream is in the answer) with the period of that link, and the slice of time when any rule
/// reads the clock.
struct EntityTag {
    /// With its quotation marks.
    let text: String

    init(of question: borrowing Question) {
        let configuration = question.snapshot.configuration
        var bytes = question.canonicalContext
        let rest = [question.pin.state, question.keyID, "\(StreamLink.period(at: question.now))"]
        for part in rest {
            // A byte that JSON text and the parts never contain.
            bytes.append(0)
            bytes.append(contentsOf: part.utf8)
        }
        var sha = SHA256()
        let digest = bytes.withUnsafeBytes { sha.digest(of: $0) }.hexadecimal.prefix(32)
        let time = question.snapshot.timeSlice(at: question.now).map { "-\($0)" } ?? ""
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

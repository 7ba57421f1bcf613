import FlagEvaluation

/// Why a line is not what its kind says.
struct LineFault: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// Reads the members of one line. A member that this version does not know is a fault: what is not understood could
/// be a difference.
struct LineReader {
    let object: JSONObject

    init(_ object: JSONObject, members: Set<String>) throws(LineFault) {
        for key in object.keys where key != "kind" && !members.contains(key) {
            throw LineFault("has the unknown member \(key.shortened)")
        }
        self.object = object
    }

    /// A text that is not empty and not longer than names are.
    func name(_ member: String) throws(LineFault) -> String {
        guard let text = try optionalName(member), !text.isEmpty else { throw LineFault("needs \(member)") }
        return text
    }

    func optionalName(_ member: String) throws(LineFault) -> String? {
        guard let text = try optionalText(member) else { return nil }
        guard text.utf8.count <= ParityLimits.nameBytes else { throw LineFault("has too long a \(member)") }
        return text
    }

    func optionalText(_ member: String) throws(LineFault) -> String? {
        guard let value = object[member], !value.isNull else { return nil }
        guard let text = value.string else { throw LineFault("has a \(member) that is not a text") }
        return text
    }

    func integer(_ member: String) throws(LineFault) -> Int64 {
        guard let number = object[member]?.integer else { throw LineFault("needs \(member), an integer") }
        return number
    }

    func optionalBool(_ member: String) throws(LineFault) -> Bool? {
        guard let value = object[member], !value.isNull else { return nil }
        guard let bool = value.bool else { throw LineFault("has a \(member) that is neither true nor false") }
        return bool
    }

    func word<Word>(_ member: String) throws(LineFault) -> Word where Word: RawRepresentable<String> & CaseIterable {
        guard let word = Word(rawValue: try name(member)) else {
            throw LineFault("has a \(member) that is none of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    func names(_ member: String) throws(LineFault) -> [String] {
        guard let value = object[member], !value.isNull else { return [] }
        let names = value.array?.map(\.string) ?? [nil]
        let known = names.compactMap { $0 }
        guard known.count == names.count else { throw LineFault("has \(member) that are not a list of texts") }
        return known
    }

    func value(_ member: String) throws(LineFault) -> JSONValue {
        guard let value = object[member] else { throw LineFault("needs \(member)") }
        return value
    }
}

extension String {
    /// At most 120 characters, and nothing that would break a line of a report.
    var shortened: String {
        let plain = String(
            String.UnicodeScalarView(unicodeScalars.prefix(400).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        return plain.count > 120 ? plain.prefix(119) + "…" : plain
    }
}

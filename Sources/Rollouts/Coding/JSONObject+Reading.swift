import FlagEvaluation

/// Reading members strictly. `path` is the JSON Pointer of the object in what was sent, for the error's details.
extension JSONObject {
    /// Refuses with `unknown_field` a member that is not among `known`.
    package func refuseMembers(besides known: Set<String>, at path: String = "") throws(RolloutError) {
        for key in keys where !known.contains(key) {
            throw RolloutError(
                .unknownField, "There is no member \"\(key)\" here; leave it out.",
                details: ["field": .string(key), "path": .string(pointer(to: key, in: path))])
        }
    }

    /// The member, or nil when it is absent or null.
    package func optional(_ name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalString(_ name: String, at path: String = "") throws(RolloutError) -> String? {
        try read(name, "a string", at: path, \.string)
    }

    /// The member of that type; `invalid_field` when it is absent or null.
    package func requiredString(_ name: String, at path: String = "") throws(RolloutError) -> String {
        try require(try optionalString(name, at: path), name, "a string", at: path)
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalInteger(_ name: String, at path: String = "") throws(RolloutError) -> Int64? {
        try read(name, "an integer", at: path, \.integer)
    }

    /// The member of that type; `invalid_field` when it is absent or null.
    package func requiredInteger(_ name: String, at path: String = "") throws(RolloutError) -> Int64 {
        try require(try optionalInteger(name, at: path), name, "an integer", at: path)
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalBool(_ name: String, at path: String = "") throws(RolloutError) -> Bool? {
        try read(name, "true or false", at: path, \.bool)
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalObject(_ name: String, at path: String = "") throws(RolloutError) -> JSONObject? {
        try read(name, "an object", at: path, \.object)
    }

    /// The member of that type; `invalid_field` when it is absent or null.
    package func requiredObject(_ name: String, at path: String = "") throws(RolloutError) -> JSONObject {
        try require(try optionalObject(name, at: path), name, "an object", at: path)
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalArray(_ name: String, at path: String = "") throws(RolloutError) -> [JSONValue]? {
        try read(name, "an array", at: path, \.array)
    }

    /// The member of that type; nil when it is absent or null.
    package func optionalStrings(_ name: String, at path: String = "") throws(RolloutError) -> [String]? {
        try optionalList(name, "a string", at: path) { element, _ throws(RolloutError) in element.string }
    }

    /// A member whose text is one of the words of an enumeration.
    package func optionalWord<Word>(
        _ name: String, at path: String = "", as type: Word.Type = Word.self
    ) throws(RolloutError) -> Word? where Word: RawRepresentable<String> & CaseIterable {
        guard let text = try optionalString(name, at: path) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .invalidField(pointer(to: name, in: path), Self.oneOf(Word.self))
        }
        return word
    }

    /// The member of that type; `invalid_field` when it is absent or null.
    package func requiredWord<Word>(
        _ name: String, at path: String = "", as type: Word.Type = Word.self
    ) throws(RolloutError) -> Word where Word: RawRepresentable<String> & CaseIterable {
        try require(try optionalWord(name, at: path), name, Self.oneOf(Word.self), at: path)
    }

    /// A member that is a list of objects, each read by `read` with its own path.
    package func optionalObjects<Element>(
        _ name: String, at path: String = "", _ read: (JSONObject, String) throws(RolloutError) -> Element
    ) throws(RolloutError) -> [Element]? {
        try optionalList(name, "an object", at: path) { element, path throws(RolloutError) in
            guard let object = element.object else { return nil }
            return try read(object, path)
        }
    }

    /// A member that is an object, read by `read` with its own path.
    package func optionalPart<Part>(
        _ name: String, at path: String = "", _ read: (JSONObject, String) throws(RolloutError) -> Part
    ) throws(RolloutError) -> Part? {
        guard let object = try optionalObject(name, at: path) else { return nil }
        return try read(object, pointer(to: name, in: path))
    }

    private func optionalList<Element>(
        _ name: String, _ expected: String, at path: String,
        _ read: (JSONValue, String) throws(RolloutError) -> Element?
    ) throws(RolloutError) -> [Element]? {
        guard let values = try optionalArray(name, at: path) else { return nil }
        var elements: [Element] = []
        for (index, value) in values.enumerated() {
            let path = "\(pointer(to: name, in: path))/\(index)"
            guard let element = try read(value, path) else { throw .invalidField(path, expected) }
            elements.append(element)
        }
        return elements
    }

    private func read<Value>(
        _ name: String, _ expected: String, at path: String, _ read: (JSONValue) -> Value?
    ) throws(RolloutError) -> Value? {
        guard let value = optional(name) else { return nil }
        guard let read = read(value) else { throw .invalidField(pointer(to: name, in: path), expected) }
        return read
    }

    private func require<Value>(
        _ value: Value?, _ name: String, _ expected: String, at path: String
    ) throws(RolloutError) -> Value {
        guard let value else { throw .invalidField(pointer(to: name, in: path), expected) }
        return value
    }

    private static func oneOf<Word>(
        _ type: Word.Type
    ) -> String where Word: RawRepresentable<String> & CaseIterable {
        "one of " + Word.allCases.map(\.rawValue).joined(separator: ", ")
    }
}

/// The JSON Pointer (RFC 6901) of a member of the object at `path`.
package func pointer(to name: String, in path: String) -> String {
    var pointer = path + "/"
    for character in name.unicodeScalars {
        switch character {
        case "~": pointer += "~0"
        case "/": pointer += "~1"
        default: pointer.unicodeScalars.append(character)
        }
    }
    return pointer
}

extension RolloutError {
    /// `invalid_field`: what stands at that JSON Pointer is missing or not what is expected there.
    package static func invalidField(_ path: String, _ expected: String) -> RolloutError {
        RolloutError(.invalidField, "\(path) must be \(expected).", details: ["path": .string(path)])
    }
}

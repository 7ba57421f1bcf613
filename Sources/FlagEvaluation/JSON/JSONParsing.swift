/// What JSON text may at most contain.
public struct JSONLimits: Sendable {
    /// Levels of arrays and objects within one another.
    public var depth: Int
    /// Keys in all objects together.
    public var keys: Int
    /// UTF-8 bytes of one string.
    public var stringBytes: Int

    public init(depth: Int, keys: Int, stringBytes: Int) {
        self.depth = depth
        self.keys = keys
        self.stringBytes = stringBytes
    }

    /// For an evaluation context: 32 levels, 1 000 keys, strings of 4 KB.
    public static let context = JSONLimits(depth: 32, keys: 1_000, stringBytes: 4_096)
    /// For a flag file: 64 levels, 200 000 keys, strings of 64 KB.
    public static let flagFile = JSONLimits(depth: 64, keys: 200_000, stringBytes: 65_536)
}

/// Why text is not acceptable JSON.
public struct JSONError: Error, Hashable, Sendable {
    public enum Code: String, Sendable {
        case malformed = "json_malformed"
        case invalidUTF8 = "json_invalid_utf8"
        case duplicateKey = "json_duplicate_key"
        case tooDeep = "json_too_deep"
        case tooManyKeys = "json_too_many_keys"
        case stringTooLong = "json_string_too_long"
        case numberOutOfRange = "json_number_out_of_range"
    }
    public let code: Code
    public let message: String
    /// Bytes from the beginning of the text to the fault.
    public let offset: Int

    public init(_ code: Code, _ message: String, offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension JSONValue {
    /// Reads one JSON text, strictly: UTF-8, no duplicate keys, nothing after the value.
    public init(parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = .flagFile) throws(JSONError) {
        throw JSONError(.malformed, "no parser yet", offset: 0)
    }

    /// Reads one JSON text.
    public init(parsing text: String, limits: JSONLimits = .flagFile) throws(JSONError) {
        throw JSONError(.malformed, "no parser yet", offset: 0)
    }
}

extension JSONValue {
    /// Appends the value as compact JSON, members in their own order.
    public func write(to output: inout [UInt8]) {}

    /// The value as compact JSON text.
    public var jsonText: String { "" }

    /// The value as indented JSON text (two spaces), for people.
    public var prettyJSONText: String { "" }

    /// The value as compact JSON with members sorted by the UTF-8 of their keys: equal values give equal bytes.
    public var canonicalJSON: [UInt8] { [] }
}

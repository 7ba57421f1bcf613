/// What JSON text may at most contain.
public struct JSONLimits: Sendable {
    /// Levels of arrays and objects within one another.
    public var depth: Int
    /// Keys in all objects together.
    public var keys: Int
    /// UTF-8 bytes of one string.
    public var stringBytes: Int

    /// Only for text that this module wrote itself from a value made in a program.
    var allowsNUL = false

    /// Limits of one's own.
    public init(depth: Int, keys: Int, stringBytes: Int) {
        self.depth = depth
        self.keys = keys
        self.stringBytes = stringBytes
    }

    /// For an evaluation context: 32 levels, 1 000 keys, strings of 4 KB.
    public static let context = JSONLimits(depth: 32, keys: 1_000, stringBytes: 4_096)
    /// For what this module wrote itself: everything is read again that could be written.
    package static let trusted = {
        var limits = JSONLimits(depth: 128, keys: .max, stringBytes: .max)
        limits.allowsNUL = true
        return limits
    }()
    /// For a flag file: 64 levels, 200 000 keys, strings of 64 KB.
    public static let flagFile = JSONLimits(depth: 64, keys: 200_000, stringBytes: 65_536)
}

/// Why text is not acceptable JSON.
public struct JSONError: Error, Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    public enum Code: String, Sendable {
        case malformed = "json_malformed"
        case invalidUTF8 = "json_invalid_utf8"
        case duplicateKey = "json_duplicate_key"
        case tooDeep = "json_too_deep"
        case tooManyKeys = "json_too_many_keys"
        case stringTooLong = "json_string_too_long"
        case numberOutOfRange = "json_number_out_of_range"
    }
    /// For programs.
    public let code: Code
    /// For people; never parsed.
    public let message: String
    /// Bytes from the beginning of the text to the fault.
    public let offset: Int

    /// A fault at a place.
    public init(_ code: Code, _ message: String, offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension JSONValue {
    /// Reads one JSON text, strictly: UTF-8, no duplicate keys, nothing after the value.
    public init(parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = .flagFile) throws(JSONError) {
        let document = JSONDocument()
        try document.parse(bytes, limits: limits)
        guard let value = document.value(of: document.root) else {
            throw JSONError(.duplicateKey, "Two keys of an object are the same text.", offset: 0)
        }
        self = value
    }

    /// Reads one JSON text.
    public init(parsing text: String, limits: JSONLimits = .flagFile) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { Self.result(of: UnsafeRawBufferPointer($0), limits) }.get()
    }

    /// Reads one JSON text.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .flagFile) throws(JSONError) {
        self = try bytes.withUnsafeBytes { Self.result(of: $0, limits) }.get()
    }

    private static func result(
        of bytes: UnsafeRawBufferPointer, _ limits: JSONLimits
    ) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
    }
}

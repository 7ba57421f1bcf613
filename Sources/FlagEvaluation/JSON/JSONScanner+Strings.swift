extension JSONScanner {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Reads a string, from its opening to behind its closing quotation mark, and tells how long its text is.
    @inline(__always)
    static func scanString(
        _ cursor: inout UnsafeMutablePointer<UInt8>, _ source: Source, _ limits: JSONLimits
    ) throws(JSONError) -> Int {
        let content = cursor + 1
        cursor = content + plainBytes(at: content)
        var stop = cursor
        if cursor.pointee != 0x22 {
            let decoded = decode(from: cursor, allowsNUL: limits.allowsNUL)
            cursor = decoded.cursor
            stop = decoded.target
            if let problem = decoded.problem {
                throw source.fault(problem, "Not allowed in a string, or not UTF-8.", cursor)
            }
        }
        guard stop - content <= limits.stringBytes else {
            throw source.fault(.stringTooLong, "A string is too long.", cursor)
        }
        cursor += 1
        return stop - content
    }

    /// How many bytes come before one that needs attention: a quotation mark, a backslash, a control character, or a
    /// byte beyond ASCII.
    ///
    /// Eight at a time; a borrow can only mark bytes behind the first one marked, so the first is exact.
    @inline(__always)
    private static func plainBytes(at pointer: UnsafeMutablePointer<UInt8>) -> Int {
        var plain = 0
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(pointer + plain).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let special =
                (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
                | word
            let marks = special & (ones &* 0x80)
            if marks != 0 { return plain &+ (marks.trailingZeroBitCount &>> 3) }
            plain &+= 8
        }
    }

    /// What became of a string with escapes or with more than ASCII.
    private struct Decoded {
        /// The end of the decoded text.
        var target: UnsafeMutablePointer<UInt8>
        /// The closing quotation mark, or the fault.
        var cursor: UnsafeMutablePointer<UInt8>
        var problem: JSONError.Code?
    }

    /// Reads the rest of a string, moving what its escapes stand for to the front.
    @inline(never)
    private static func decode(from start: UnsafeMutablePointer<UInt8>, allowsNUL: Bool) -> Decoded {
        var decoded = Decoded(target: start, cursor: start)
        while true {
            let byte = decoded.cursor.pointee
            switch byte {
            case 0x22: return decoded
            case 0x5C:
                guard let (scalar, length) = escape(at: decoded.cursor), scalar != "\0" || allowsNUL else {
                    decoded.problem = isSurrogate(decoded.cursor) ? .invalidUTF8 : .malformed
                    return decoded
                }
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    decoded.target.pointee = unit
                    decoded.target += 1
                }
                decoded.cursor += length
            case 0..<0x20:
                decoded.problem = .malformed
                return decoded
            default:
                let length = byte < 0x80 ? plainBytes(at: decoded.cursor) : scalarLength(at: decoded.cursor)
                guard length > 0 else {
                    decoded.problem = .invalidUTF8
                    return decoded
                }
                if decoded.target != decoded.cursor {
                    for position in 0..<length { decoded.target[position] = decoded.cursor[position] }
                }
                decoded.target += length
                decoded.cursor += length
            }
        }
    }

    /// What an escape stands for and how long it is; nil when JSON has no such escape.
    private static func escape(at cursor: UnsafeMutablePointer<UInt8>) -> (Unicode.Scalar, length: Int)? {
        switch cursor[1] {
        case 0x22: return ("\"", 2)
        case 0x5C: return ("\\", 2)
        case 0x2F: return ("/", 2)
        case 0x62: return ("\u{8}", 2)
        case 0x66: return ("\u{C}", 2)
        case 0x6E: return ("\n", 2)
        case 0x72: return ("\r", 2)
        case 0x74: return ("\t", 2)
        case 0x75:
            guard let code = hexadecimal(at: cursor + 2) else { return nil }
            guard (0xD800..<0xDC00).contains(code) else { return Unicode.Scalar(code).map { ($0, 6) } }
            guard cursor[6] == 0x5C, cursor[7] == 0x75, let low = hexadecimal(at: cursor + 8),
                (0xDC00..<0xE000).contains(low)
            else { return nil }
            return Unicode.Scalar(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)).map { ($0, 12) }
        default: return nil
        }
    }

    /// Whether an escape that stands for nothing is half a surrogate pair.
    private static func isSurrogate(_ cursor: UnsafeMutablePointer<UInt8>) -> Bool {
        guard cursor[1] == 0x75, let code = hexadecimal(at: cursor + 2) else { return false }
        return (0xD800..<0xE000).contains(code)
    }

    /// Four hexadecimal digits; zero bytes behind the text end the reading before it could leave it.
    private static func hexadecimal(at cursor: UnsafeMutablePointer<UInt8>) -> UInt32? {
        var code: UInt32 = 0
        for position in 0..<4 {
            let byte = cursor[position]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    /// How many bytes a character beyond ASCII takes; 0 when it is not well-formed UTF-8 (RFC 3629, section 4).
    @inline(never)
    private static func scalarLength(at cursor: UnsafeMutablePointer<UInt8>) -> Int {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch cursor.pointee {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        default: return 0
        }
        guard second.contains(cursor[1]) else { return 0 }
        for position in 2..<length where cursor[position] & 0xC0 != 0x80 { return 0 }
        return length
    }
}

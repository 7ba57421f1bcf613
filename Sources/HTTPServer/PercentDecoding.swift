/// Percent escapes in paths and queries.
enum PercentDecoding {
    /// The value of a hexadecimal digit, or nil.
    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    /// Whether each `%` is followed by two hexadecimal digits.
    static func isWellFormed(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < text.count {
            if text[index] == 0x25 {
                guard index + 2 < text.count, hexValue(text[index + 1]) != nil, hexValue(text[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                index += 1
            }
        }
        return true
    }

    /// Whether it stands for text: well-formed, in UTF-8, and without NUL, which no text of ours may hold.
    static func isText(_ text: UnsafeRawBufferPointer) -> Bool {
        isWellFormed(text)
            && withDecoded(text) { !$0.contains(0) && String(validating: $0, as: UTF8.self) != nil }
    }

    /// Gives the decoded bytes to `use`; without an escape they are the bytes themselves.
    static func withDecoded<Result>(
        _ text: UnsafeRawBufferPointer, plusIsSpace: Bool = false,
        _ use: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard text.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else { return try use(text) }
        return try withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { buffer in
            var count = 0
            var index = 0
            while index < text.count {
                var byte = text[index]
                index += 1
                if byte == 0x2B && plusIsSpace {
                    byte = 0x20
                } else if byte == 0x25, index + 1 < text.count, let high = hexValue(text[index]),
                    let low = hexValue(text[index + 1])
                {
                    byte = high << 4 | low
                    index += 2
                }
                buffer[count] = byte
                count += 1
            }
            return try use(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The decoded names of the items of a query, in their order.
    static func names(inQuery query: UnsafeRawBufferPointer) -> [String] {
        query.split(separator: 0x26).map { item in
            let name = UnsafeRawBufferPointer(rebasing: item.prefix { $0 != 0x3D })
            return withDecoded(name, plusIsSpace: true) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The decoded value of the first item of that name in a query.
    static func value(of name: String, inQuery query: UnsafeRawBufferPointer) -> String? {
        for item in query.split(separator: 0x26) {
            let equals = item.firstIndex(of: 0x3D) ?? item.endIndex
            let isNamed = withDecoded(UnsafeRawBufferPointer(rebasing: item[..<equals]), plusIsSpace: true) {
                $0.elementsEqual(name.utf8)
            }
            guard isNamed else { continue }
            let value = UnsafeRawBufferPointer(rebasing: item[equals...].dropFirst())
            return withDecoded(value, plusIsSpace: true) { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }
}

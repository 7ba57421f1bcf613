/// What a file of a source tree is, by its name.
enum SourceKind: String, CaseIterable {
    /// Swift, Objective-C, Kotlin, Java, C and C++.
    case code
    /// Storyboards and other files of Interface Builder.
    case interface
    case propertyList
    /// Lists of an Xcode project.
    case project

    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."), dot != fileName.startIndex else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "swift", "m", "mm", "h", "c", "cc", "cpp", "hpp", "kt", "kts", "java": self = .code
        case "storyboard", "xib": self = .interface
        case "plist", "entitlements", "strings": self = .propertyList
        case "pbxproj": self = .project
        default: return nil
        }
    }

    /// What has to be done about a reference in such a file.
    var removal: String {
        switch self {
        case .code: "delete the code, or the call"
        case .interface: "take the scene or the class out of the interface file"
        case .propertyList: "take the entry out of the list"
        case .project: "take the file out of the project"
        }
    }

    /// Which of the offsets, in rising order, stand in a comment.
    func commented(_ offsets: [Int], in bytes: UnsafeBufferPointer<UInt8>) -> [Bool] {
        let comments = self == .interface || self == .propertyList ? Comments.ofXML : Comments.ofCode
        return comments.contain(offsets, in: bytes)
    }
}

/// Tells comments from the rest, well enough to say which references are in one.
///
/// What is doubtful is no comment, so that a reference is rather reported than overlooked.
private enum Comments {
    case ofCode, ofXML

    func contain(_ offsets: [Int], in bytes: UnsafeBufferPointer<UInt8>) -> [Bool] {
        var answers: [Bool] = []
        var wanted = offsets[...]
        var place = 0
        while place < bytes.count, !wanted.isEmpty {
            let end = endOfPiece(at: place, in: bytes)
            while let offset = wanted.first, offset < end.place {
                answers.append(end.isComment)
                wanted = wanted.dropFirst()
            }
            place = end.place
        }
        return answers + wanted.map { _ in false }
    }

    /// Where the comment, the string or the single byte at a place ends.
    private func endOfPiece(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (place: Int, isComment: Bool) {
        switch self {
        case .ofXML:
            guard starts("<!--", at: place, bytes) else { return (place + 1, false) }
            return closed(by: "-->", from: place + 4, bytes).map { ($0, true) } ?? (bytes.count, false)
        case .ofCode:
            if starts("//", at: place, bytes) {
                return (bytes[place...].firstIndex(of: 0x0A) ?? bytes.count, true)
            }
            if starts("/*", at: place, bytes) {
                // The first end counts, although comments nest in Swift: what follows it is code in Objective-C.
                return closed(by: "*/", from: place + 2, bytes).map { ($0, true) } ?? (bytes.count, false)
            }
            if starts("\"\"\"", at: place, bytes) {
                return (closed(by: "\"\"\"", from: place + 3, bytes) ?? bytes.count, false)
            }
            if bytes[place] == UInt8(ascii: "\"") { return (endOfString(from: place + 1, bytes), false) }
            return (place + 1, false)
        }
    }

    /// Strings end with their line, so that a lone quote (a character of C) hides nothing after it.
    private func endOfString(from start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var place = start
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            case 0x0A: return place
            default: place += 1
            }
        }
        return bytes.count
    }

    private func closed(by text: StaticString, from start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = start
        while place < bytes.count {
            if starts(text, at: place, bytes) { return place + text.utf8CodeUnitCount }
            place += 1
        }
        return nil
    }

    private func starts(_ text: StaticString, at place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
    }
}

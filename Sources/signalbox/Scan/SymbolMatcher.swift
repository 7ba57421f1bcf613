/// Finds many names in bytes in one pass.
///
/// Source: A. Aho and M. Corasick, "Efficient string matching: an aid to bibliographic search", 1975; the automaton is
/// made deterministic, over classes of bytes so that its table stays small.
struct SymbolMatcher {
    /// What is looked for.
    struct Pattern: Hashable {
        let text: String
        /// A key counts only where it stands in quotes or is the whole text of an XML element.
        let isKey: Bool
    }

    struct Match: Equatable {
        let pattern: Int
        /// Where it begins, in bytes.
        let offset: Int
    }

    static let mostPatterns = 2_000
    /// Bytes of all patterns together.
    static let largest = 65_536

    let patterns: [Pattern]
    private let lengths: [Int]
    /// The class of each byte; 0 is every byte that is in no pattern.
    private var classes = [UInt16](repeating: 0, count: 256)
    private var width = 1
    /// The next state, by state and class.
    private var next: [Int32] = []
    /// The pattern that ends in a state, or -1, and the state in which the next shorter one ends, or 0.
    private var ending: [Int32] = []
    private var shorter: [Int32] = []

    /// Patterns are not empty and differ.
    init(_ patterns: [Pattern]) {
        self.patterns = patterns
        lengths = patterns.map(\.text.utf8.count)
        for byte in Set(patterns.flatMap { Array($0.text.utf8) }) {
            classes[Int(byte)] = UInt16(width)
            width += 1
        }
        addState()
        for (index, pattern) in patterns.enumerated() { add(pattern, index) }
        link()
    }

    private mutating func addState() {
        next.append(contentsOf: repeatElement(-1, count: width))
        ending.append(-1)
        shorter.append(0)
    }

    private mutating func add(_ pattern: Pattern, _ index: Int) {
        var state = 0
        for byte in pattern.text.utf8 {
            let place = state * width + Int(classes[Int(byte)])
            if next[place] < 0 {
                next[place] = Int32(ending.count)
                addState()
            }
            state = Int(next[place])
        }
        ending[state] = Int32(index)
    }

    /// Fills in where each state goes on when its own branch of the tree ends.
    private mutating func link() {
        var fallback = [Int](repeating: 0, count: ending.count)
        var queue: [Int] = []
        for step in 0..<width {
            if next[step] < 0 { next[step] = 0 } else { queue.append(Int(next[step])) }
        }
        var head = 0
        while head < queue.count {
            let state = queue[head]
            head += 1
            let back = fallback[state]
            shorter[state] = ending[back] >= 0 ? Int32(back) : shorter[back]
            for step in 0..<width {
                let place = state * width + step
                let other = next[back * width + step]
                if next[place] < 0 {
                    next[place] = other
                } else {
                    fallback[Int(next[place])] = Int(other)
                    queue.append(Int(next[place]))
                }
            }
        }
    }

    /// Every match, in the order of where they end.
    ///
    /// - Parameter isText: whether a name must stand alone: in `LegacyTripEditor` there is no `TripEditor`. In what is
    ///   not text a match is one wherever it stands.
    func matches(in bytes: UnsafeBufferPointer<UInt8>, isText: Bool) -> [Match] {
        var found: [Match] = []
        next.withUnsafeBufferPointer { next in
            classes.withUnsafeBufferPointer { classes in
                ending.withUnsafeBufferPointer { ending in
                    var state = 0
                    for place in bytes.indices {
                        state = Int(next[state &* width &+ Int(classes[Int(bytes[place])])])
                        if ending[state] >= 0 || shorter[state] > 0 {
                            report(state, endingBefore: place + 1, bytes, isText, &found)
                        }
                    }
                }
            }
        }
        return found
    }

    private func report(
        _ state: Int, endingBefore end: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ isText: Bool,
        _ found: inout [Match]
    ) {
        var state = ending[state] >= 0 ? state : Int(shorter[state])
        while state > 0 {
            let index = Int(ending[state])
            let start = end - lengths[index]
            if !isText || stands(alone: patterns[index], start..<end, bytes) {
                found.append(Match(pattern: index, offset: start))
            }
            state = Int(shorter[state])
        }
    }

    private func stands(alone pattern: Pattern, _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : 0x0A
        let after = range.upperBound < bytes.count ? bytes[range.upperBound] : 0x0A
        if pattern.isKey {
            let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
            return quotes.contains(before) && after == before
                || before == UInt8(ascii: ">") && after == UInt8(ascii: "<")
        }
        let (first, last) = (bytes[range.lowerBound], bytes[range.upperBound - 1])
        return !(Self.isWord(first) && Self.isWord(before)) && !(Self.isWord(last) && Self.isWord(after))
    }

    /// Letters, digits, underscore, and every byte of a letter beyond ASCII.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...0xFF: true
        default: false
        }
    }
}

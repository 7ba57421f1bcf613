/// The one source of everything that a run does by chance: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// The seed is mixed first: the streams of neighbours would be one stream, each a step behind the other.
    init(seed: UInt64) { state = Self.mixed(seed ^ 0x5851_F42D_4C95_7F2D) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Whether something happens that does so in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { number(in: 0...99) < Int64(percent) }

    mutating func number(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// One of them, or the one that is named for an empty list.
    mutating func one<Element>(of elements: [Element], or standard: Element) -> Element {
        elements.randomElement(using: &self) ?? standard
    }
}

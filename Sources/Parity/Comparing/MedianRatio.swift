/// The ratio of two medians, and where it lies with a confidence of 95 %.
///
/// Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13: the percentile interval.
struct MedianRatio {
    let oldMedian: Double
    let newMedian: Double
    /// The interval of the ratio new to old.
    let lower: Double
    let upper: Double
    /// False when a median of the old is 0.
    let isKnown: Bool

    private static let resamples = 1_000

    /// Neither list is empty.
    init(old: [Double], new: [Double], seed: UInt64) {
        let (old, new) = (old.sorted(), new.sorted())
        (oldMedian, newMedian) = (Self.median(old), Self.median(new))
        var generator = SplitMix64(state: seed)
        var ratios: [Double] = []
        ratios.reserveCapacity(Self.resamples)
        var counts: [Int] = []
        for _ in 0..<Self.resamples {
            let before = Self.resampledMedian(old, &counts, &generator)
            let after = Self.resampledMedian(new, &counts, &generator)
            if before > 0 { ratios.append(after / before) }
        }
        isKnown = ratios.count == Self.resamples && oldMedian > 0
        ratios.sort()
        lower = ratios.dropFirst(Self.resamples * 25 / 1_000).first ?? 0
        upper = ratios.dropLast(Self.resamples * 25 / 1_000).last ?? 0
    }

    private static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? mean(sorted[middle - 1], sorted[middle]) : sorted[middle]
    }

    private static func mean(_ left: Double, _ right: Double) -> Double { left / 2 + right / 2 }

    /// The median of as many samples, drawn with replacement: counted in their sorted order, so nothing is sorted again.
    private static func resampledMedian(
        _ sorted: [Double], _ counts: inout [Int], _ generator: inout SplitMix64
    ) -> Double {
        counts = [Int](repeating: 0, count: sorted.count)
        for _ in sorted.indices { counts[generator.next(below: sorted.count)] += 1 }
        let middle = sorted.count / 2
        let upper = value(at: middle, in: sorted, counts)
        return sorted.count.isMultiple(of: 2) ? mean(value(at: middle - 1, in: sorted, counts), upper) : upper
    }

    /// The drawn sample of that rank, counted from 0.
    private static func value(at rank: Int, in sorted: [Double], _ counts: [Int]) -> Double {
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen > rank { return sorted[index] }
        }
        return sorted.last ?? 0
    }
}

/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// In `0 ..< bound`.
    mutating func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}

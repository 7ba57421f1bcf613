/// Two whole recordings side by side; `new` is the second old one when a control is made.
struct ComparedRecordings {
    let old: Recording
    let new: Recording
    let rules: ParityRules
    /// Whether both are recordings of legacy: then no difference is an improvement.
    let isControl: Bool

    /// Notices every difference.
    func compare(into findings: inout Findings) {
        compareEvents(&findings)
        compareElements(&findings)
        compareIssues(&findings)
        compareStates(&findings)
        compareEntries(&findings)
        comparePerformance(&findings)
        compareTexts(&findings)
    }

    /// The recorded things under a name, each with how often the name came before: the first `open`, the second.
    static func numbered<Value>(
        _ recorded: [Recorded<Value>], by name: (Value) -> String
    ) -> [(place: Place, recorded: Recorded<Value>)] {
        var seen: [String: Int] = [:]
        return recorded.map {
            let name = name($0.value)
            let number = seen[name, default: 0]
            seen[name] = number + 1
            return (Place(name: name, number: number), $0)
        }
    }

    /// The n-th thing of one name.
    struct Place: Hashable {
        let name: String
        /// Counted from 0.
        let number: Int
    }
}

/// The places in `order` that a longest rising part of it leaves out: the fewest that must have moved.
///
/// Source: M. L. Fredman, "On computing the length of longest increasing subsequences", 1975.
func movedPlaces(of order: [Int]) -> [Int] {
    /// For each length the place of the smallest last element of a rising part of that length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: order.count)
    for (place, value) in order.enumerated() {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if order[ends[middle]] < value { low = middle + 1 } else { high = middle }
        }
        if low > 0 { before[place] = ends[low - 1] }
        if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var stays = [Bool](repeating: false, count: order.count)
    var place = ends.last ?? -1
    while place >= 0 {
        stays[place] = true
        place = before[place]
    }
    return order.indices.filter { !stays[$0] }
}

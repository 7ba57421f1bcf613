/// The items that have not expired, by route and kind, the newest first: what gates look into.
package struct EvidenceLedger: Hashable, Sendable {
    private struct Place: Hashable {
        let route: String
        let kind: EvidenceItem.Kind
    }

    private var items: [Place: [EvidenceItem]] = [:]
    /// How many there are.
    package private(set) var count = 0
    /// The most that an environment may hold at one time.
    package static let mostItems = 50_000

    package init(_ items: some Sequence<EvidenceItem> = []) {
        for item in items { add(item) }
    }

    /// Items of that kind for a route, the newest first, whatever their contract and time.
    package func items(_ kind: EvidenceItem.Kind, of route: String) -> [EvidenceItem] {
        items[Place(route: route, kind: kind)] ?? []
    }

    /// The item that says the same of the same and still counts, if there is one.
    package func item(repeatedBy other: EvidenceItem, at now: Int64) -> EvidenceItem? {
        items(other.kind, of: other.route).first { $0.holds(at: now) && other.repeats($0) }
    }

    /// Puts an item in its place; ids tell which is newer.
    package mutating func add(_ item: EvidenceItem) {
        var list = items[Place(route: item.route, kind: item.kind), default: []]
        let index = list.firstIndex { ($0.createdAt, $0.id) < (item.createdAt, item.id) } ?? list.count
        list.insert(item, at: index)
        items[Place(route: item.route, kind: item.kind)] = list
        count += 1
    }

    /// Forgets what no longer counts.
    package mutating func removeExpired(at now: Int64) {
        for (place, list) in items where list.contains(where: { !$0.holds(at: now) }) {
            let kept = list.filter { $0.holds(at: now) }
            count -= list.count - kept.count
            items[place] = kept.isEmpty ? nil : kept
        }
    }
}

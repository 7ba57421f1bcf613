/// The items that have not expired, by route and kind, the newest first: what gates look into.
package struct EvidenceLedger: Hashable, Sendable {
    private struct Place: Hashable {
        let route: String
        let kind: EvidenceItem.Kind
    }

    private var items: [Place: [EvidenceItem]] = [:]
    /// Where the newest item cannot be read.
    private var doubtful: Set<Place> = []
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

    /// Whether the newest item of that kind cannot be read: what is needed has to be pushed again.
    package func isDoubtful(_ kind: EvidenceItem.Kind, of route: String) -> Bool {
        doubtful.contains(Place(route: route, kind: kind))
    }

    /// Puts an item in its place; ids tell which is newer.
    package mutating func add(_ item: EvidenceItem) {
        let place = Place(route: item.route, kind: item.kind)
        var list = items[place, default: []]
        let index = list.firstIndex { ($0.createdAt, $0.id) < (item.createdAt, item.id) } ?? list.count
        list.insert(item, at: index)
        items[place] = list
        doubtful.remove(place)
        count += 1
    }

    /// Forgets the items of a place in which a newer one cannot be read: it may have said that what they found is no
    /// longer so.
    package mutating func doubt(_ kind: EvidenceItem.Kind, of route: String) {
        let place = Place(route: route, kind: kind)
        count -= items.removeValue(forKey: place)?.count ?? 0
        doubtful.insert(place)
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

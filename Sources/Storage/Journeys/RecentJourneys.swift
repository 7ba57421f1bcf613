import RouteContract
import Synchronization

/// Committed journeys that were started or resumed lately, so that a repeated ask costs neither a commit nor a read.
///
/// One place an id, taken by its random half: the newest of two that share a place wins, nothing is ever moved, and the
/// size is fixed. A client that picks its ids can only push out others, who are then found in the database.
final class RecentJourneys: Sendable {
    private let places: Mutex<[JourneyRecord?]>
    private let mask: Int

    /// `capacity` is rounded up to a power of two.
    init(capacity: Int) {
        var size = 1
        while size < min(max(capacity, 1), 1 << 24) { size <<= 1 }
        mask = size - 1
        places = Mutex(Array(repeating: nil, count: size))
    }

    subscript(id: JourneyID) -> JourneyRecord? {
        let place = place(of: id)
        return places.withLock { $0[place].flatMap { $0.pin.id == id ? $0 : nil } }
    }

    /// Remembers a committed journey.
    func insert(_ record: JourneyRecord) {
        let place = place(of: record.pin.id)
        places.withLock { $0[place] = record }
    }

    /// Remembers how a journey ended.
    func end(_ id: JourneyID, with outcome: EndedJourney) {
        let place = place(of: id)
        places.withLock { places in
            if places[place]?.pin.id == id { places[place]?.outcome = outcome }
        }
    }

    /// Forgets journeys with ids before this: they are deleted, and nobody may be told that they are pinned.
    func remove(before id: JourneyID) {
        places.withLock { places in
            for place in places.indices {
                if let record = places[place], record.pin.id < id { places[place] = nil }
            }
        }
    }

    private func place(of id: JourneyID) -> Int { Int(truncatingIfNeeded: id.low) & mask }
}

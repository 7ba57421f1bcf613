import RouteContract

/// An id as it stands on the command line: of a journey, of a resume, of an item of evidence.
struct UUIDv7: SingleValue, Equatable {
    static let placeholder = "UUID"
    private let id: JourneyID

    /// Lower-case, with dashes.
    var text: String { id.description }

    /// A new one, of the clock and the system's random numbers.
    static func minted() -> UUIDv7 {
        UUIDv7(
            id: JourneyID(
                milliseconds: Timestamp.now.milliseconds, randomA: .random(in: 0...(.max)),
                randomB: .random(in: 0...(.max))))
    }

    private init(id: JourneyID) { self.id = id }

    init(argument text: String) throws(ValueError) {
        guard let id = JourneyID(text) else { throw ValueError("is '\(text)', not a UUID of version 7") }
        self.id = id
    }
}

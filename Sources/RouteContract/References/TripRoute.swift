/// The routes of the flow `trips`.
public enum TripRoute: LinkableRoute {
    /// One trip.
    case tripDetail(id: String)
    /// Changing a trip's name.
    case editTrip(id: String)

    /// The key of the flow.
    public static let flow = "trips"
    /// In the order in which the flow goes through them.
    public static let keys = ["trips.detail", "trips.edit"]
    /// The first version.
    public static let schemaVersion = 1
    /// The paths of the app's universal links.
    public static let links = [
        LinkPattern("trips/{id}", key: "trips.detail"),
        LinkPattern("trips/{id}/edit", key: "trips.edit"),
    ]

    /// The route with this key; nil when there is none, or when the id is missing or superfluous.
    public init?(key: String, id: String?) {
        switch (key, id) {
        case ("trips.detail", let id?): self = .tripDetail(id: id)
        case ("trips.edit", let id?): self = .editTrip(id: id)
        default: return nil
        }
    }

    /// What stage and choice are kept under.
    public var key: String {
        switch self {
        case .tripDetail: "trips.detail"
        case .editTrip: "trips.edit"
        }
    }

    /// The id, where the route has one.
    public var id: String? {
        switch self {
        case .tripDetail(let id), .editTrip(let id): id
        }
    }

    /// The screen that leads here.
    public var fallback: TripRoute? {
        switch self {
        case .tripDetail: nil
        case .editTrip(let id): .tripDetail(id: id)
        }
    }
}

/// How a journey through `trips` ends.
public enum TripOutcome: Outcome {
    /// The trip was changed.
    case saved(tripID: String)
    /// The user has seen what they came for.
    case viewed
    case cancelled
    /// The trip is gone.
    case tripMissing

    /// The word for it in reports.
    public var name: String {
        switch self {
        case .saved: "saved"
        case .viewed: "viewed"
        case .cancelled: "cancelled"
        case .tripMissing: "tripMissing"
        }
    }

    /// What it means to the service.
    public var status: OutcomeStatus {
        switch self {
        case .saved, .viewed: .completed
        case .cancelled: .cancelled
        case .tripMissing: .failed
        }
    }
}

/// The routes of the flow `orders`.
public enum OrderRoute: LinkableRoute {
    /// All orders.
    case list
    /// One order.
    case detail(id: String)
    /// The receipt of an order.
    case receipt(id: String)
    /// Help with an order.
    case support(id: String)

    /// The key of the flow.
    public static let flow = "orders"
    /// In the order in which the flow goes through them.
    public static let keys = ["orders.list", "orders.detail", "orders.receipt", "orders.support"]
    /// The first version.
    public static let schemaVersion = 1
    /// The paths of the app's universal links.
    public static let links = [
        LinkPattern("orders", key: "orders.list"),
        LinkPattern("orders/{id}", key: "orders.detail"),
        LinkPattern("orders/{id}/receipt", key: "orders.receipt"),
        LinkPattern("orders/{id}/support", key: "orders.support"),
    ]

    /// The route with this key; nil when there is none, or when the id is missing or superfluous.
    public init?(key: String, id: String?) {
        switch (key, id) {
        case ("orders.list", nil): self = .list
        case ("orders.detail", let id?): self = .detail(id: id)
        case ("orders.receipt", let id?): self = .receipt(id: id)
        case ("orders.support", let id?): self = .support(id: id)
        default: return nil
        }
    }

    /// What stage and choice are kept under.
    public var key: String {
        switch self {
        case .list: "orders.list"
        case .detail: "orders.detail"
        case .receipt: "orders.receipt"
        case .support: "orders.support"
        }
    }

    /// The id, where the route has one.
    public var id: String? {
        switch self {
        case .list: nil
        case .detail(let id), .receipt(let id), .support(let id): id
        }
    }

    /// The screen that leads here.
    public var fallback: OrderRoute? {
        switch self {
        case .list: nil
        case .detail: .list
        case .receipt(let id), .support(let id): .detail(id: id)
        }
    }
}

/// How a journey through `orders` ends.
public enum OrderOutcome: Outcome {
    /// The user has seen what they came for.
    case viewed
    /// The user asked for help, and got a ticket.
    case helpRequested(ticketID: String)
    case cancelled
    /// The order is gone.
    case orderMissing

    /// The word for it in reports.
    public var name: String {
        switch self {
        case .viewed: "viewed"
        case .helpRequested: "helpRequested"
        case .cancelled: "cancelled"
        case .orderMissing: "orderMissing"
        }
    }

    /// What it means to the service.
    public var status: OutcomeStatus {
        switch self {
        case .viewed, .helpRequested: .completed
        case .cancelled: .cancelled
        case .orderMissing: .failed
        }
    }
}

/// The model behind the reference flow `orders`, shared by its two entries.
@MainActor
public final class OrderBook {
    /// One order.
    public struct Order: Hashable, Sendable {
        /// Stable.
        public let id: String
        /// What was bought.
        public let title: String
        /// As it is shown.
        public let total: String

        /// An order.
        public init(id: String, title: String, total: String) {
            self.id = id
            self.title = title
            self.total = total
        }
    }

    /// In the order of the list.
    public let orders: [Order]
    /// The questions that were sent, by ticket.
    public private(set) var tickets: [String: String] = [:]

    /// A book with these orders.
    public init(orders: [Order]) { self.orders = orders }

    /// The order with this id; nil when it is gone.
    public func order(_ id: String) -> Order? { orders.first { $0.id == id } }

    /// Sends a question about an order, and gives the ticket's id.
    func requestHelp(with id: String, message: String) -> String {
        let ticket = "\(id)-\(tickets.count + 1)"
        tickets[ticket] = message
        return ticket
    }
}

/// The model behind the reference flow `trips`, shared by its two entries.
@MainActor
public final class TripBook {
    /// The names of the trips, by id.
    public private(set) var names: [String: String]

    /// A book with these trips.
    public init(names: [String: String]) { self.names = names }

    /// Gives a trip that exists another name.
    func rename(_ id: String, to name: String) {
        if names[id] != nil { names[id] = name }
    }
}

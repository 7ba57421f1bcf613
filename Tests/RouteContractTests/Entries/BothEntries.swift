import RouteContract

/// The two entries of each reference flow, so that every test of a flow can be run against both.
@MainActor
enum Entries {
    static func orders(_ renderer: Renderer, _ book: OrderBook) -> any FeatureEntry<
        OrderRoute, OrderOutcome, HeadlessScreen
    > {
        renderer == .legacy ? LegacyOrdersEntry(book: book) : MigratedOrdersEntry(book: book)
    }

    static func trips(_ renderer: Renderer, _ book: TripBook) -> any FeatureEntry<
        TripRoute, TripOutcome, HeadlessScreen
    > {
        renderer == .legacy ? LegacyTripsEntry(book: book) : MigratedTripsEntry(book: book)
    }
}

extension OrderBook {
    /// Two orders, 1 and 2.
    static var example: OrderBook {
        OrderBook(orders: [
            Order(id: "1", title: "Lamp", total: "30 €"), Order(id: "2", title: "Chair", total: "80 €"),
        ])
    }
}

extension TripBook {
    /// One trip, 7.
    static var example: TripBook { TripBook(names: ["7": "Oslo"]) }
}

extension Journey {
    /// A journey with one choice for all routes of a flow.
    static func example<R: Route>(through: R.Type, _ renderer: Renderer, number: UInt64 = 0) -> Journey {
        Journey(
            id: JourneyID(milliseconds: 1_000, randomA: 0, randomB: number), flow: R.flow,
            choices: Dictionary(
                uniqueKeysWithValues: R.keys.map { ($0, Choice(renderer: renderer, reason: .share)) }))
    }
}

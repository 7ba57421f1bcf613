import RouteContract

/// A coordinator over the reference flows, and everything that it has told.
@MainActor
final class CoordinatorFixture {
    let orderBook = OrderBook.example
    let tripBook = TripBook.example
    private(set) var events: [FlowEvent] = []
    private(set) var begun: [Journey] = []
    private(set) var outcomes: [String] = []
    /// What the next journey is given; changed in tests to show that running ones do not care.
    var renderer: Renderer
    /// Is called for each event, after it was kept.
    var whenTold: (FlowEvent) -> Void = { _ in }
    private(set) lazy var coordinator = FlowCoordinator<HeadlessScreen> { [unowned self] route, _ in
        begin(route)
    } onEvent: { [unowned self] event in
        events.append(event)
        whenTold(event)
    }

    init(_ renderer: Renderer) { self.renderer = renderer }

    var orders: EntryResolver<OrderRoute, OrderOutcome, HeadlessScreen> {
        EntryResolver(legacy: LegacyOrdersEntry(book: orderBook), migrated: MigratedOrdersEntry(book: orderBook))
    }

    var trips: EntryResolver<TripRoute, TripOutcome, HeadlessScreen> {
        EntryResolver(legacy: LegacyTripsEntry(book: tripBook), migrated: MigratedTripsEntry(book: tripBook))
    }

    @discardableResult
    func startOrders(_ route: OrderRoute = .list, from opener: ScreenID? = nil) -> JourneyID? {
        coordinator.start(route, with: orders, from: opener) { [weak self] outcome in
            self?.outcomes.append(outcome?.name ?? "interrupted")
        }
    }

    @discardableResult
    func startTrips(_ route: TripRoute = .tripDetail(id: "7"), from opener: ScreenID? = nil) -> JourneyID? {
        coordinator.start(route, with: trips, from: opener) { [weak self] outcome in
            self?.outcomes.append(outcome?.name ?? "interrupted")
        }
    }

    /// The keys of the stack.
    var keys: [String] { coordinator.stack.map(\.key) }

    /// The screens of the stack.
    var screens: [HeadlessScreen] { coordinator.stack.map(\.screen) }

    /// The topmost screen; an empty one when there is none.
    var top: HeadlessScreen { screens.last ?? .empty }

    /// The journeys that ended, in order, with the names of their outcomes.
    var ended: [String] {
        events.compactMap { event in
            guard case .ended(let id, let outcome) = event else { return nil }
            let flow = begun.first { $0.id == id }?.flow ?? "?"
            return "\(flow) \(outcome.name ?? outcome.status.rawValue)"
        }
    }

    private func begin(_ route: any Route) -> Journey {
        func journey<R: Route>(_ route: R) -> Journey {
            .example(through: R.self, renderer, number: UInt64(begun.count))
        }
        let journey = journey(route)
        begun.append(journey)
        return journey
    }
}

extension HeadlessScreen {
    /// A screen on which nothing is and nothing can be done.
    static var empty: HeadlessScreen {
        HeadlessScreen {
            ScreenContents(title: "", lines: [], actions: [])
        } act: { _, _ in
        }
    }
}

import RouteContract
import Testing

@MainActor
@Suite struct `A journey that is left` {
    @Test(arguments: Renderer.allCases)
    func `by a back swipe from its first screen is cancelled`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let first = app.coordinator.stack[0].id
        app.top.perform("open 1")
        app.coordinator.userLeft(app.coordinator.stack[1].id)
        #expect(app.keys == ["orders.list"])
        #expect(app.ended.isEmpty)

        app.coordinator.userLeft(first)
        app.coordinator.userLeft(first)
        #expect(app.ended == ["orders cancelled"])
        #expect(app.outcomes == ["cancelled"])
    }

    @Test(arguments: Renderer.allCases)
    func `by a swipe down takes its children with it, each with one outcome, the children first`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let first = app.coordinator.stack[0].id
        app.startTrips(from: first)
        app.top.perform("edit")
        app.coordinator.userLeft(first)
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["trips cancelled", "orders cancelled"])
    }

    @Test(arguments: Renderer.allCases)
    func `by a pop to the root is cancelled if its first screen went`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        app.top.perform("open 1")
        app.startTrips()
        app.top.perform("edit")
        app.coordinator.popToRoot()
        app.coordinator.popToRoot()
        #expect(app.keys == ["orders.list"])
        #expect(app.ended == ["trips cancelled"])
    }

    @Test(arguments: Renderer.allCases)
    func `after its success keeps that outcome`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startTrips()
        app.top.perform("edit")
        app.top.perform("name", "Bergen")
        app.top.perform("save")
        app.coordinator.userLeft(app.coordinator.stack[0].id)
        #expect(app.ended == ["trips saved"])
        #expect(app.outcomes == ["saved"])
    }

    @Test(arguments: Renderer.allCases)
    func `with its parent, which finished, is cancelled while the parent keeps its own outcome`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let list = app.top
        app.startTrips(from: app.coordinator.stack[0].id)
        list.perform("close")
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["trips cancelled", "orders viewed"])
    }

    @Test(arguments: Renderer.allCases)
    func `by an abort is interrupted`(_ renderer: Renderer) throws {
        let app = CoordinatorFixture(renderer)
        let orders = try #require(app.startOrders())
        app.startTrips(from: app.coordinator.stack[0].id)
        app.coordinator.interrupt(orders)
        app.coordinator.interrupt(orders)
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["trips cancelled", "orders interrupted"])
        #expect(app.outcomes == ["cancelled", "interrupted"])
    }
}

@MainActor
@Suite struct `A journey that is started` {
    @Test func `by a screen inherits the choices of that screen's journey`() throws {
        let app = CoordinatorFixture(.migrated)
        let parent = try #require(app.startTrips())
        app.renderer = .legacy
        app.startTrips(.editTrip(id: "7"), from: app.coordinator.stack[0].id)
        #expect(app.coordinator.stack.map(\.renderer) == [.migrated, .migrated])
        #expect(
            app.events.contains { event in
                guard case .began(let journey) = event else { return false }
                return journey.parent == parent
            })
    }

    @Test func `by a screen that has left is not started`() {
        let app = CoordinatorFixture(.migrated)
        app.startOrders()
        let first = app.coordinator.stack[0].id
        app.coordinator.userLeft(first)
        #expect(app.startTrips(from: first) == nil)
        #expect(app.begun.count == 1)
    }

    @Test func `by a notification is started once, however often that is delivered`() throws {
        let app = CoordinatorFixture(.migrated)
        let decoding = RouteDecoding<TripRoute>(schemes: [], hosts: [])
        let first = try decoding.notification(["notification": "n1", "route": "trips.detail", "id": "7"])
        let second = try decoding.notification(["notification": "n2", "route": "trips.detail", "id": "7"])

        let journey = app.coordinator.start(first, with: app.trips)
        #expect(app.coordinator.start(first, with: app.trips) == journey)
        #expect(app.begun.count == 1)
        #expect(app.keys == ["trips.detail"])

        app.top.perform("close")
        #expect(app.coordinator.start(first, with: app.trips) == journey)
        #expect(app.begun.count == 1)

        #expect(app.coordinator.start(second, with: app.trips) != journey)
        #expect(app.begun.count == 2)
    }

    @Test func `by notifications without end makes the coordinator forget the oldest`() throws {
        let app = CoordinatorFixture(.migrated)
        let decoding = RouteDecoding<TripRoute>(schemes: [], hosts: [])
        func deliver(_ number: Int) throws {
            let payload = ["notification": "n\(number)", "route": "trips.detail", "id": "7"]
            app.coordinator.start(try decoding.notification(payload), with: app.trips)
        }
        for number in 0...64 { try deliver(number) }
        try deliver(64)
        #expect(app.begun.count == 65)
        try deliver(0)
        #expect(app.begun.count == 66)
    }

    @Test(arguments: Renderer.allCases)
    func `again from a record goes on with its old choices, and only once`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer.other)
        let journey = Journey.example(through: TripRoute.self, renderer, number: 99)
        #expect(app.coordinator.resume(journey, at: .editTrip(id: "7"), with: app.trips) == journey.id)
        #expect(app.coordinator.resume(journey, at: .editTrip(id: "7"), with: app.trips) == nil)
        #expect(app.begun.isEmpty)
        #expect(app.coordinator.stack.map(\.renderer) == [renderer])
        app.top.perform("cancel")
        #expect(app.keys.isEmpty)
        #expect(
            app.events == [
                .began(journey), .stackChanged,
                .ended(journey.id, JourneyOutcome(status: .cancelled, name: "cancelled")), .stackChanged,
            ])
    }

    @Test(arguments: Renderer.allCases)
    func `is exposed once for each route that was really shown`(_ renderer: Renderer) throws {
        let app = CoordinatorFixture(renderer)
        let id = try #require(app.startOrders())
        app.top.perform("open 1")
        let exposed = { app.events.filter { if case .exposed = $0 { true } else { false } } }
        #expect(exposed().isEmpty)

        let detail = app.coordinator.stack[1].id
        app.coordinator.didShow(detail)
        app.coordinator.didShow(detail)
        app.coordinator.userLeft(detail)
        app.coordinator.didShow(detail)
        app.screens[0].perform("open 2")
        app.coordinator.didShow(app.coordinator.stack[1].id)
        #expect(exposed() == [.exposed(id, key: "orders.detail", renderer: renderer)])
    }
}

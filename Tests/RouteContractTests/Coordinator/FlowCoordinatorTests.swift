import RouteContract
import Testing

@MainActor
@Suite struct `A coordinator` {
    @Test(arguments: Renderer.allCases)
    func `takes a user through a flow and back, with one outcome`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startTrips()
        app.top.perform("edit")
        #expect(app.keys == ["trips.detail", "trips.edit"])
        #expect(app.coordinator.stack.allSatisfy { $0.renderer == renderer })

        app.top.perform("name", "Bergen")
        app.top.perform("save")
        #expect(app.keys == ["trips.detail"])
        #expect(app.top.contents.title == "Bergen")
        #expect(app.ended == ["trips saved"])

        app.top.perform("close")
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["trips saved"])
        #expect(app.outcomes == ["saved"])
    }

    @Test(arguments: Renderer.allCases)
    func `keeps a running journey on its renderer when the configuration flips`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        app.renderer = renderer.other
        app.top.perform("open 1")
        app.top.perform("receipt")
        #expect(app.coordinator.stack.map(\.renderer) == [renderer, renderer, renderer])
        #expect(app.begun.count == 1)
    }

    @Test(arguments: Renderer.allCases)
    func `lets the user cancel an editor and still finish the journey`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startTrips()
        app.top.perform("edit")
        app.top.perform("cancel")
        #expect(app.keys == ["trips.detail"])
        #expect(app.ended.isEmpty)
        app.top.perform("edit")
        app.top.perform("name", "Bergen")
        app.top.perform("save")
        #expect(app.ended == ["trips saved"])
    }

    @Test(arguments: Renderer.allCases)
    func `pops the screen that finished, not whatever is on top`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startTrips(.editTrip(id: "7"))
        let editor = app.top
        app.startOrders()
        #expect(app.keys == ["trips.edit", "orders.list"])

        editor.perform("name", "Bergen")
        editor.perform("save")

        #expect(app.keys == ["orders.list"])
        #expect(app.ended == ["trips saved"])
        app.top.perform("close")
        #expect(app.ended == ["trips saved", "orders viewed"])
    }

    @Test(arguments: Renderer.allCases)
    func `takes the screens that a finished one had asked for along`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let list = app.top
        app.top.perform("open 1")
        app.top.perform("support")
        list.perform("close")
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["orders viewed"])
    }

    @Test(arguments: Renderer.allCases)
    func `hears nothing from a screen that has left`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let list = app.top
        list.perform("close")
        list.perform("close")
        list.perform("open 1")
        #expect(app.keys.isEmpty)
        #expect(app.ended == ["orders viewed"])
        #expect(app.outcomes == ["viewed"])
    }

    @Test(arguments: Renderer.allCases)
    func `opens one screen for two quick taps`(_ renderer: Renderer) {
        let app = CoordinatorFixture(renderer)
        app.startOrders()
        let list = app.top
        list.perform("open 1")
        list.perform("open 1")
        #expect(app.keys == ["orders.list", "orders.detail"])
        app.coordinator.userLeft(app.coordinator.stack[1].id)
        list.perform("open 1")
        #expect(app.keys == ["orders.list", "orders.detail"])
    }

    @Test func `begins nothing for a route that the build cannot open`() {
        let app = CoordinatorFixture(.migrated)
        let none = EntryResolver<TripRoute, TripOutcome, HeadlessScreen>(legacy: nil, migrated: nil)
        #expect(app.coordinator.start(.tripDetail(id: "7"), with: none) == nil)
        #expect(app.begun.isEmpty)
        #expect(app.events.isEmpty)
    }

    @Test func `tells what has happened in order, when the stack has changed already`() {
        let app = CoordinatorFixture(.migrated)
        var depths: [Int] = []
        app.whenTold = { [unowned app] _ in depths.append(app.keys.count) }
        let id = app.startTrips()
        app.top.perform("close")
        #expect(
            app.events == [
                .began(app.begun[0]), .stackChanged,
                .ended(app.begun[0].id, JourneyOutcome(status: .completed, name: "viewed")), .stackChanged,
            ])
        #expect(depths == [1, 1, 0, 0])
        #expect(id == app.begun[0].id)
    }

    @Test func `can be called by whoever it tells, and tells the rest when they are done`() {
        let app = CoordinatorFixture(.legacy)
        var depth = 0
        var deepest = 0
        app.whenTold = { [unowned app] event in
            depth += 1
            deepest = max(deepest, depth)
            if case .ended(_, let outcome) = event, outcome.name == "viewed" { app.startTrips() }
            depth -= 1
        }
        app.startOrders()
        app.top.perform("close")
        #expect(app.keys == ["trips.detail"])
        #expect(app.ended == ["orders viewed"])
        #expect(deepest == 1)
    }

    @Test func `hears what a screen says while it is being made, whatever else is started then`() {
        struct HastyEntry: FeatureEntry {
            var meanwhile: @MainActor () -> Void

            static func supports(_ route: TripRoute) -> Bool { true }

            func makeScreen(
                for route: TripRoute, journey: Journey,
                onEvent: @escaping @MainActor (ScreenEvent<TripRoute, TripOutcome>) -> Void
            ) -> HeadlessScreen {
                onEvent(.finish(.tripMissing))
                onEvent(.finish(.viewed))
                meanwhile()
                return .empty
            }
        }
        let app = CoordinatorFixture(.legacy)
        let entry = HastyEntry { app.startOrders() }
        app.coordinator.start(.tripDetail(id: "7"), with: EntryResolver(legacy: entry, migrated: nil))
        #expect(app.keys == ["orders.list"])
        #expect(app.ended == ["trips tripMissing"])
    }

    @Test func `does not keep itself alive through its screens`() {
        weak var coordinator: FlowCoordinator<HeadlessScreen>?
        var screen: HeadlessScreen?
        do {
            let app = CoordinatorFixture(.migrated)
            app.startTrips()
            coordinator = app.coordinator
            screen = app.top
        }
        #expect(coordinator == nil)
        #expect(screen?.perform("close") == true)
    }
}

import RouteContract
import Testing

@MainActor
@Suite struct `Both entries of the flow trips` {
    let book = TripBook.example

    /// What a screen has said.
    final class Visit {
        var events: [ScreenEvent<TripRoute, TripOutcome>] = []
        var titles: [String] = []
    }

    func open(_ route: TripRoute, _ renderer: Renderer) -> (screen: HeadlessScreen, visit: Visit) {
        let visit = Visit()
        let screen = Entries.trips(renderer, book).makeScreen(
            for: route, journey: .example(through: TripRoute.self, renderer)
        ) { visit.events.append($0) }
        return (screen, visit)
    }

    @Test(arguments: Renderer.allCases)
    func `show a trip and ask for its editor`(_ renderer: Renderer) {
        let (screen, visit) = open(.tripDetail(id: "7"), renderer)
        #expect(screen.contents == ScreenContents(title: "Oslo", lines: [], actions: ["edit", "close"]))
        screen.perform("edit")
        screen.perform("close")
        #expect(visit.events == [.request(.editTrip(id: "7")), .finish(.viewed)])
    }

    @Test(arguments: Renderer.allCases, [("", false), ("Oslo", false), ("Bergen", true)])
    func `save only another name than before`(_ renderer: Renderer, _ row: (name: String, canSave: Bool)) {
        let (screen, visit) = open(.editTrip(id: "7"), renderer)
        #expect(screen.contents == ScreenContents(title: "Edit trip", lines: ["Oslo"], actions: ["name", "cancel"]))
        screen.perform("name", row.name)
        #expect(screen.contents.lines == [row.name])
        #expect(screen.perform("save") == row.canSave)
        #expect(visit.events == (row.canSave ? [.finish(.saved(tripID: "7"))] : []))
        #expect(book.names["7"] == (row.canSave ? row.name : "Oslo"))
    }

    @Test(arguments: Renderer.allCases)
    func `show the new name where the old one was`(_ renderer: Renderer) {
        let (detail, _) = open(.tripDetail(id: "7"), renderer)
        let (editor, _) = open(.editTrip(id: "7"), renderer)
        editor.perform("name", "Bergen")
        editor.perform("save")
        #expect(detail.contents.title == "Bergen")
    }

    @Test(arguments: Renderer.allCases)
    func `leave the trip as it is when the user cancels`(_ renderer: Renderer) {
        let (screen, visit) = open(.editTrip(id: "7"), renderer)
        screen.perform("name", "Bergen")
        screen.perform("cancel")
        #expect(visit.events == [.finish(.cancelled)])
        #expect(book.names == ["7": "Oslo"])
    }

    @Test(arguments: Renderer.allCases, [TripRoute.tripDetail(id: "9"), .editTrip(id: "9")])
    func `say that a trip is gone`(_ renderer: Renderer, _ route: TripRoute) {
        let (screen, visit) = open(route, renderer)
        #expect(screen.contents.title == "Trip not found")
        screen.perform("close")
        #expect(visit.events == [.finish(.tripMissing)])
    }

    @Test(arguments: Renderer.allCases)
    func `can be looked at by whoever hears of an event`(_ renderer: Renderer) {
        let visit = Visit()
        var screen: HeadlessScreen?
        screen = Entries.trips(renderer, book).makeScreen(
            for: .editTrip(id: "7"), journey: .example(through: TripRoute.self, renderer)
        ) { _ in visit.titles.append(screen?.contents.title ?? "") }
        screen?.perform("cancel")
        #expect(visit.titles == ["Edit trip"])
    }
}

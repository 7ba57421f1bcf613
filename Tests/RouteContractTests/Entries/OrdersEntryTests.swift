import RouteContract
import Testing

@MainActor
@Suite struct `Both entries of the flow orders` {
    let book = OrderBook.example

    /// A screen of an entry, and what it has said.
    final class Visit {
        var events: [ScreenEvent<OrderRoute, OrderOutcome>] = []
    }

    func open(_ route: OrderRoute, _ renderer: Renderer) -> (screen: HeadlessScreen, visit: Visit) {
        let visit = Visit()
        let screen = Entries.orders(renderer, book).makeScreen(
            for: route, journey: .example(through: OrderRoute.self, renderer)
        ) { visit.events.append($0) }
        return (screen, visit)
    }

    @Test(arguments: Renderer.allCases)
    func `list the orders and ask for the one that was tapped`(_ renderer: Renderer) {
        let (screen, visit) = open(.list, renderer)
        #expect(
            screen.contents
                == ScreenContents(title: "Orders", lines: ["Lamp", "Chair"], actions: ["open 1", "open 2", "close"]))
        #expect(screen.perform("open 2"))
        #expect(visit.events == [.request(.detail(id: "2"))])
        #expect(!screen.perform("open 3"))
        #expect(visit.events.count == 1)
    }

    @Test(arguments: Renderer.allCases)
    func `show an order and lead on to its receipt and to help`(_ renderer: Renderer) {
        let (screen, visit) = open(.detail(id: "1"), renderer)
        #expect(
            screen.contents
                == ScreenContents(title: "Lamp", lines: ["Total 30 €"], actions: ["receipt", "support", "close"]))
        for action in screen.contents.actions { screen.perform(action) }
        #expect(visit.events == [.request(.receipt(id: "1")), .request(.support(id: "1")), .finish(.viewed)])
    }

    @Test(arguments: Renderer.allCases)
    func `show a receipt until the user is done`(_ renderer: Renderer) {
        let (screen, visit) = open(.receipt(id: "2"), renderer)
        #expect(screen.contents == ScreenContents(title: "Receipt", lines: ["Chair", "80 €"], actions: ["done"]))
        screen.perform("done")
        #expect(visit.events == [.finish(.viewed)])
    }

    @Test(arguments: Renderer.allCases)
    func `send a question only when there is one`(_ renderer: Renderer) {
        let (screen, visit) = open(.support(id: "1"), renderer)
        #expect(!screen.perform("send"))
        screen.perform("message", "Broken")
        #expect(screen.contents.lines == ["Broken"])
        #expect(screen.contents.actions == ["message", "send", "cancel"])
        screen.perform("send")
        #expect(visit.events == [.finish(.helpRequested(ticketID: "1-1"))])
        #expect(book.tickets == ["1-1": "Broken"])
    }

    @Test(arguments: Renderer.allCases)
    func `send nothing when the user cancels`(_ renderer: Renderer) {
        let (screen, visit) = open(.support(id: "1"), renderer)
        screen.perform("message", "Broken")
        screen.perform("cancel")
        #expect(visit.events == [.finish(.cancelled)])
        #expect(book.tickets.isEmpty)
    }

    @Test(arguments: Renderer.allCases, [OrderRoute.detail(id: "9"), .receipt(id: "9"), .support(id: "9")])
    func `say that an order is gone`(_ renderer: Renderer, _ route: OrderRoute) {
        let (screen, visit) = open(route, renderer)
        #expect(screen.contents == ScreenContents(title: "Order not found", lines: [], actions: ["close"]))
        screen.perform("close")
        #expect(visit.events == [.finish(.orderMissing)])
    }

    @Test(arguments: [OrderOutcome.viewed, .helpRequested(ticketID: "1"), .cancelled, .orderMissing])
    func `end with outcomes that keep their values to themselves`(_ outcome: OrderOutcome) {
        #expect(!String(describing: JourneyOutcome(outcome)).contains("ticket"))
        #expect(outcome.isSuccess == (outcome.name == "viewed" || outcome.name == "helpRequested"))
    }
}

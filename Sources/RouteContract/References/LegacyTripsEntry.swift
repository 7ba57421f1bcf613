/// The old entry of the reference flow `trips`: controllers that draw and redraw themselves.
public struct LegacyTripsEntry: FeatureEntry {
    private let book: TripBook

    /// An entry over a model.
    public init(book: TripBook) { self.book = book }

    /// Knows every route.
    public static func supports(_ route: TripRoute) -> Bool { true }

    /// Makes the controller of a route.
    public func makeScreen(
        for route: TripRoute, journey: Journey,
        onEvent: @escaping @MainActor (ScreenEvent<TripRoute, TripOutcome>) -> Void
    ) -> HeadlessScreen {
        switch route {
        case .tripDetail(let id): TripDetailController(id: id, book: book, onEvent: onEvent).screen
        case .editTrip(let id): TripEditController(id: id, book: book, onEvent: onEvent).screen
        }
    }
}

private typealias Report = @MainActor (ScreenEvent<TripRoute, TripOutcome>) -> Void

/// What both screens have in common: the trip may be gone.
private class OneTripController: LegacyController {
    let id: String
    let book: TripBook
    let onEvent: Report

    init(id: String, book: TripBook, onEvent: @escaping Report) {
        self.id = id
        self.book = book
        self.onEvent = onEvent
    }

    override final func redraw() {
        super.redraw()
        if let name = book.names[id] {
            drawTrip(named: name)
        } else {
            title = "Trip not found"
            add("close") { [onEvent] _ in onEvent(.finish(.tripMissing)) }
        }
    }

    func drawTrip(named name: String) {}
}

private final class TripDetailController: OneTripController {
    override func drawTrip(named name: String) {
        title = name
        add("edit") { [onEvent, id] _ in onEvent(.request(.editTrip(id: id))) }
        add("close") { [onEvent] _ in onEvent(.finish(.viewed)) }
    }
}

private final class TripEditController: OneTripController {
    /// Nil until something was typed.
    private var draft: String?

    override func drawTrip(named name: String) {
        title = "Edit trip"
        lines = [draft ?? name]
        add("name") { [weak self] text in self?.draft = text }
        if let draft, !draft.isEmpty, draft != name {
            add("save") { [weak self] _ in self?.save(draft) }
        }
        add("cancel") { [onEvent] _ in onEvent(.finish(.cancelled)) }
    }

    private func save(_ draft: String) {
        book.rename(id, to: draft)
        onEvent(.finish(.saved(tripID: id)))
    }
}

/// The new entry of the reference flow `trips`: a state, a body and a reducer for each route.
public struct MigratedTripsEntry: FeatureEntry {
    private let book: TripBook

    /// An entry over a model.
    public init(book: TripBook) { self.book = book }

    /// Knows every route.
    public static func supports(_ route: TripRoute) -> Bool { true }

    /// Makes the screen of a route.
    public func makeScreen(
        for route: TripRoute, journey: Journey,
        onEvent: @escaping @MainActor (ScreenEvent<TripRoute, TripOutcome>) -> Void
    ) -> HeadlessScreen {
        let book = book
        switch route {
        case .tripDetail(let id):
            return HeadlessScreen(state: (), onEvent: onEvent) { _ in
                detail(of: book.names[id])
            } reduce: { _, action, _ in
                if book.names[id] == nil { return .finish(.tripMissing) }
                return action == "edit" ? .request(.editTrip(id: id)) : .finish(.viewed)
            }
        case .editTrip(let id):
            return HeadlessScreen(state: TripDraft(), onEvent: onEvent) { draft in
                editor(of: book.names[id], draft: draft)
            } reduce: { draft, action, text in
                edit(&draft, action, text, trip: id, in: book)
            }
        }
    }
}

/// What the editor remembers.
private struct TripDraft {
    /// Nil until something was typed.
    var name: String?

    func canSave(over name: String) -> Bool { self.name.map { !$0.isEmpty && $0 != name } ?? false }
}

private let missing = ScreenContents(title: "Trip not found", lines: [], actions: ["close"])

private func detail(of name: String?) -> ScreenContents {
    name.map { ScreenContents(title: $0, lines: [], actions: ["edit", "close"]) } ?? missing
}

private func editor(of name: String?, draft: TripDraft) -> ScreenContents {
    guard let name else { return missing }
    return ScreenContents(
        title: "Edit trip", lines: [draft.name ?? name],
        actions: draft.canSave(over: name) ? ["name", "save", "cancel"] : ["name", "cancel"])
}

@MainActor
private func edit(
    _ draft: inout TripDraft, _ action: String, _ text: String, trip id: String, in book: TripBook
) -> ScreenEvent<TripRoute, TripOutcome>? {
    guard book.names[id] != nil else { return .finish(.tripMissing) }
    switch action {
    case "save":
        if let name = draft.name { book.rename(id, to: name) }
        return .finish(.saved(tripID: id))
    case "cancel":
        return .finish(.cancelled)
    default:
        draft.name = text
        return nil
    }
}

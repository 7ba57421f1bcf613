/// The new entry of the reference flow `orders`: a state, a body and a reducer for each route.
public struct MigratedOrdersEntry: FeatureEntry {
    private let book: OrderBook

    /// An entry over a model.
    public init(book: OrderBook) { self.book = book }

    /// Knows every route.
    public static func supports(_ route: OrderRoute) -> Bool { true }

    /// Makes the screen of a route.
    public func makeScreen(
        for route: OrderRoute, journey: Journey,
        onEvent: @escaping @MainActor (ScreenEvent<OrderRoute, OrderOutcome>) -> Void
    ) -> HeadlessScreen {
        let book = book
        return HeadlessScreen(state: OrderState(), onEvent: onEvent) { state in
            contents(of: route, state: state, in: book)
        } reduce: { state, action, text in
            reduce(&state, action, text, at: route, in: book)
        }
    }
}

/// What the screens of the flow remember by themselves. The rest is in the model.
private struct OrderState {
    var message = ""
}

@MainActor
private func contents(of route: OrderRoute, state: OrderState, in book: OrderBook) -> ScreenContents {
    guard let id = route.id else {
        return ScreenContents(
            title: "Orders", lines: book.orders.map(\.title),
            actions: book.orders.map { "open \($0.id)" } + ["close"])
    }
    guard let order = book.order(id) else {
        return ScreenContents(title: "Order not found", lines: [], actions: ["close"])
    }
    return switch route {
    case .list, .detail:
        ScreenContents(
            title: order.title, lines: ["Total \(order.total)"], actions: ["receipt", "support", "close"])
    case .receipt:
        ScreenContents(title: "Receipt", lines: [order.title, order.total], actions: ["done"])
    case .support:
        ScreenContents(
            title: "Help with \(order.title)", lines: [state.message],
            actions: state.message.isEmpty ? ["message", "cancel"] : ["message", "send", "cancel"])
    }
}

@MainActor
private func reduce(
    _ state: inout OrderState, _ action: String, _ text: String, at route: OrderRoute, in book: OrderBook
) -> ScreenEvent<OrderRoute, OrderOutcome>? {
    guard let id = route.id else {
        if action == "close" { return .finish(.viewed) }
        return .request(.detail(id: String(action.dropFirst("open ".count))))
    }
    guard book.order(id) != nil else { return .finish(.orderMissing) }
    switch action {
    case "receipt": return .request(.receipt(id: id))
    case "support": return .request(.support(id: id))
    case "close", "done": return .finish(.viewed)
    case "cancel": return .finish(.cancelled)
    case "send": return .finish(.helpRequested(ticketID: book.requestHelp(with: id, message: state.message)))
    default:
        state.message = text
        return nil
    }
}

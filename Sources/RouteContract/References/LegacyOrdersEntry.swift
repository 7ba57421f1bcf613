/// The old entry of the reference flow `orders`: controllers that draw and redraw themselves.
public struct LegacyOrdersEntry: FeatureEntry {
    private let book: OrderBook

    /// An entry over a model.
    public init(book: OrderBook) { self.book = book }

    /// Knows every route.
    public static func supports(_ route: OrderRoute) -> Bool { true }

    /// Makes the controller of a route.
    public func makeScreen(
        for route: OrderRoute, journey: Journey,
        onEvent: @escaping @MainActor (ScreenEvent<OrderRoute, OrderOutcome>) -> Void
    ) -> HeadlessScreen {
        switch route {
        case .list: OrderListController(book: book, onEvent: onEvent).screen
        case .detail(let id): OrderDetailController(id: id, book: book, onEvent: onEvent).screen
        case .receipt(let id): OrderReceiptController(id: id, book: book, onEvent: onEvent).screen
        case .support(let id): OrderSupportController(id: id, book: book, onEvent: onEvent).screen
        }
    }
}

private typealias Report = @MainActor (ScreenEvent<OrderRoute, OrderOutcome>) -> Void

private final class OrderListController: LegacyController {
    private let book: OrderBook
    private let onEvent: Report

    init(book: OrderBook, onEvent: @escaping Report) {
        self.book = book
        self.onEvent = onEvent
    }

    override func redraw() {
        super.redraw()
        title = "Orders"
        for order in book.orders {
            lines.append(order.title)
            add("open \(order.id)") { [onEvent] _ in onEvent(.request(.detail(id: order.id))) }
        }
        add("close") { [onEvent] _ in onEvent(.finish(.viewed)) }
    }
}

/// What the three screens of one order have in common: the order may be gone.
private class OneOrderController: LegacyController {
    let id: String
    let book: OrderBook
    let onEvent: Report

    init(id: String, book: OrderBook, onEvent: @escaping Report) {
        self.id = id
        self.book = book
        self.onEvent = onEvent
    }

    override final func redraw() {
        super.redraw()
        if let order = book.order(id) {
            draw(order)
        } else {
            title = "Order not found"
            add("close") { [onEvent] _ in onEvent(.finish(.orderMissing)) }
        }
    }

    func draw(_ order: OrderBook.Order) {}
}

private final class OrderDetailController: OneOrderController {
    override func draw(_ order: OrderBook.Order) {
        title = order.title
        lines = ["Total \(order.total)"]
        add("receipt") { [onEvent] _ in onEvent(.request(.receipt(id: order.id))) }
        add("support") { [onEvent] _ in onEvent(.request(.support(id: order.id))) }
        add("close") { [onEvent] _ in onEvent(.finish(.viewed)) }
    }
}

private final class OrderReceiptController: OneOrderController {
    override func draw(_ order: OrderBook.Order) {
        title = "Receipt"
        lines = [order.title, order.total]
        add("done") { [onEvent] _ in onEvent(.finish(.viewed)) }
    }
}

private final class OrderSupportController: OneOrderController {
    private var message = ""

    override func draw(_ order: OrderBook.Order) {
        title = "Help with \(order.title)"
        lines = [message]
        add("message") { [weak self] text in self?.message = text }
        if !message.isEmpty {
            add("send") { [weak self] _ in self?.send() }
        }
        add("cancel") { [onEvent] _ in onEvent(.finish(.cancelled)) }
    }

    private func send() {
        onEvent(.finish(.helpRequested(ticketID: book.requestHelp(with: id, message: message))))
    }
}

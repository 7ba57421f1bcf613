import Synchronization

/// The duty to answer one request, which may be met on any thread.
///
/// The first answer counts, further ones are ignored. If the client has gone meanwhile, the answer goes nowhere. Letting
/// go of it without an answer answers 500, so that a client never waits for something that was forgotten.
package final class ParkedRequest: Sendable {
    private let answered = Atomic<Bool>(false)
    private let unanswered: @Sendable () -> Response
    private let deliver: @Sendable (Response) -> Void

    init(unanswered: @escaping @Sendable () -> Response, deliver: @escaping @Sendable (Response) -> Void) {
        self.unanswered = unanswered
        self.deliver = deliver
    }

    deinit {
        if !answered.load(ordering: .acquiring) { deliver(unanswered()) }
    }

    /// Answers the request on its own worker.
    package func complete(with response: Response) {
        guard !answered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        deliver(response)
    }
}

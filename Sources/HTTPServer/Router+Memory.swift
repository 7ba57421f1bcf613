import Synchronization

extension Router {
    /// Answers a request without a socket, and waits if it is parked. For tests of endpoints.
    ///
    /// The target is the path with its query, as it would be on the wire.
    package func handle(
        _ method: Method, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) async -> Response {
        await handle(method, target: Array(target.utf8), headers: headers, body: body)
    }

    /// Answers a request whose body is text.
    package func handle(
        _ method: Method, _ target: String, headers: [(String, String)] = [], body: String
    ) async -> Response {
        await handle(method, target: Array(target.utf8), headers: headers, body: Array(body.utf8))
    }

    /// Answers a request whose target may be any bytes.
    package func handle(
        _ method: Method, target: [UInt8], headers: [(String, String)] = [], body: [UInt8] = []
    ) async -> Response {
        let exchange = MemoryExchange(headers: headers, router: self)
        // All of them are worker 0's, and a worker does one thing after the other.
        let reply = turnInMemory.withLock { _ in
            target.withUnsafeBytes { target in
                body.withUnsafeBytes { body in
                    answer(method, target: target, body: body, worker: 0, from: .memory(exchange)).reply
                }
            }
        }
        switch reply {
        case .now(let response): return response
        case .later: return await exchange.answer()
        case .stream(let stream): return stream.head
        }
    }
}

/// A request in memory, and the place where its parked answer arrives.
final class MemoryExchange: Sendable {
    private enum State {
        case handling
        case parked
        case waiting(CheckedContinuation<Response, Never>)
        case answered(Response)
    }

    private let headers: [(name: ContiguousBytes, value: ContiguousBytes)]
    private let router: Router
    private let state = Mutex(State.handling)

    init(headers: [(String, String)], router: Router) {
        self.headers = headers.map { (ContiguousBytes($0.0), ContiguousBytes($0.1)) }
        self.router = router
    }

    func header(_ name: StaticString) -> UnsafeRawBufferPointer? {
        headers.first { $0.name.isNamed(name) }?.value.bytes
    }

    func park() -> ParkedRequest {
        state.withLock { $0 = .parked }
        return ParkedRequest(
            unanswered: { [errors = router.errors] in errors.forRefusal(.unanswered) },
            deliver: { self.deliver($0) })
    }

    private func deliver(_ response: Response) {
        let waiting: CheckedContinuation<Response, Never>? = state.withLock { state in
            defer { state = .answered(response) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: response)
    }

    func answer() async -> Response {
        await withCheckedContinuation { continuation in
            let ready: Response? = state.withLock { state in
                switch state {
                case .answered(let response): return response
                case .handling: return router.errors.forRefusal(.unanswered)
                case .parked, .waiting:
                    state = .waiting(continuation)
                    return nil
                }
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}

/// The bytes of a header value at an address that stays.
///
/// `@unchecked`: written once in `init`, only read afterwards, freed with the last reference.
private final class ContiguousBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ text: String) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.utf8.count), alignment: 1)
        copy.copyBytes(from: text.utf8)
        bytes = UnsafeRawBufferPointer(rebasing: copy[..<text.utf8.count])
    }

    deinit {
        bytes.deallocate()
    }

    /// Whether the bytes are that name, whatever the case of its letters.
    func isNamed(_ name: StaticString) -> Bool {
        guard name.utf8CodeUnitCount == bytes.count else { return false }
        for (index, byte) in bytes.enumerated() where byte | 0x20 != name.utf8Start[index] | 0x20 { return false }
        return true
    }
}

import FlagEvaluation
import Foundation
import RouteContract
import Storage
import Synchronization

@testable import HTTPServer
@testable import SignalboxServer

/// One life of the service: from an opening of its database to a close or a crash.
final class ServiceProcess: Sendable {
    let service: Service
    private let router: Router

    init(
        on disk: SimulatedDisk, at path: String, clock: @escaping @Sendable () -> Int64, random: SeededRandom,
        writeLimit: Int = 16_384
    ) throws {
        SimulatedFileSystem.mount(disk, at: path)
        var options = Service.Options()
        options.now = clock
        let random = Mutex(random)
        options.random = { random.withLock { $0.next() } }
        var storeOptions = Store.Options()
        storeOptions.fileSystem = SimulatedFileSystem.name
        storeOptions.writeLimit = writeLimit
        service = try Service(storeAt: path, options: options, storeOptions: storeOptions)
        router = service.router()
    }

    func close() { service.close() }

    /// Hands a request to its handler, as a worker of the HTTP server would. It may be parked.
    func send(_ method: Method, _ target: String, _ body: JSONValue?, key: String) -> Sent {
        let exchange = MemoryExchange(headers: [("Authorization", "Bearer \(key)")], router: router)
        let body = Array((body?.jsonText ?? "").utf8)
        let reply = Array(target.utf8).withUnsafeBytes { target in
            body.withUnsafeBytes { body in
                router.answer(method, target: target, body: body, worker: 0, from: .memory(exchange)).reply
            }
        }
        return Sent(reply: reply, exchange: exchange)
    }

    /// Deletes journeys that are long over, as the service does every hour; gives what it did, nil when that is unknown.
    func sweep(at now: Int64, isConfirmed: Bool = false) async -> SweepReport? {
        await withCheckedContinuation { continuation in
            service.store.sweep(at: now, isConfirmed: isConfirmed) { continuation.resume(returning: $0.value) }
        }
    }

    /// Holds the writer until the answer is called: what is queued meanwhile becomes one transaction.
    func holdWriter() -> @Sendable () -> Void {
        let isHeld = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        service.store.change(
            { _ in
                isHeld.signal()
                goesOn.wait()
                throw CancellationError()
            }, completion: { _ in isHeld.signal() })
        // A store that takes no writes refuses at once, and there is nothing to hold.
        isHeld.wait()
        return { goesOn.signal() }
    }
}

/// A request that has been handled up to its answer or its parking.
struct Sent: Sendable {
    private let reply: Reply
    private let exchange: MemoryExchange

    fileprivate init(reply: Reply, exchange: MemoryExchange) {
        self.reply = reply
        self.exchange = exchange
    }

    /// The answer, when the handler gave it at once.
    var immediate: (status: Int, json: JSONValue)? {
        if case .now(let response) = reply { Self.read(response) } else { nil }
    }

    func received() async -> (status: Int, json: JSONValue) {
        if let immediate { return immediate }
        return Self.read(await exchange.answer())
    }

    private static func read(_ response: Response) -> (status: Int, json: JSONValue) {
        (response.status, (try? response.body.withUnsafeBytes { try JSONValue(parsing: $0) }) ?? .null)
    }
}

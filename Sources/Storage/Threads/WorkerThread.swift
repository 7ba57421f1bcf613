#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// One thread that runs one function to its end.
final class WorkerThread: Sendable {
    private struct State: Sendable {
        // `pthread_t` is a number on Linux and a pointer on Darwin.
        nonisolated(unsafe) var thread: pthread_t?
    }
    private let state = Mutex(State())

    /// Starts a thread that owns `state`: it is gone when the thread has ended.
    convenience init<Owned>(owning owned: Owned, _ body: @escaping @Sendable (Owned) -> Void) throws(StoreError) {
        let handover = Handover(owned)
        try self.init {
            if let owned = handover.take() { body(owned) }
        }
    }

    /// Starts the thread.
    init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        let context = Unmanaged.passRetained(Body(run: body))
        var thread: pthread_t?
        #if canImport(Darwin)
            let code = pthread_create(&thread, nil, { runBody($0) }, context.toOpaque())
        #else
            var created = pthread_t()
            let code = pthread_create(&created, nil, { runBody($0) }, context.toOpaque())
            thread = created
        #endif
        guard code == 0 else {
            context.release()
            throw StoreError(.failed, "No thread could be started: \(String(cString: strerror(code))).")
        }
        let started = State(thread: thread)
        state.withLock { $0 = started }
    }

    deinit {
        if let thread = state.withLock({ $0.thread }) { pthread_detach(thread) }
    }

    /// Waits until the thread has ended. Called from the thread itself it returns at once.
    func join() {
        let taken = state.withLock { state in
            let thread = state.thread
            state.thread = nil
            return State(thread: thread)
        }
        guard let thread = taken.thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }
}

/// `@unchecked Sendable`: filled before the thread starts, emptied by that thread alone.
private final class Handover<Owned>: @unchecked Sendable {
    private var owned: Owned?

    init(_ owned: Owned) { self.owned = owned }

    func take() -> Owned? {
        defer { owned = nil }
        return owned
    }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A bounded queue from many threads to one, which takes everything that waits at once.
///
/// `@unchecked Sendable`: `state` is only touched with `lock` held. A pthread lock, because the one that takes has to
/// sleep on a condition.
final class JobQueue<Job: Sendable>: @unchecked Sendable {
    private struct State {
        var jobs: [Job] = []
        var isClosed = false
        var isSleeping = false
    }

    private let limit: Int
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state = State()

    init(limit: Int) {
        self.limit = limit
        lock = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    /// Jobs that wait.
    var count: Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return state.jobs.count
    }

    /// Whether new jobs are refused.
    var isClosed: Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return state.isClosed
    }

    /// Adds a job; an error says why it was not added. `isContinuing` adds a job that goes on with one that was already
    /// accepted, so it passes the limit and a close.
    func add(_ job: Job, isContinuing: Bool = false) -> StoreError? {
        pthread_mutex_lock(lock)
        if !isContinuing {
            if state.isClosed {
                pthread_mutex_unlock(lock)
                return StoreError(.closed, "The store is closed. Start the service again.")
            }
            if state.jobs.count >= limit {
                pthread_mutex_unlock(lock)
                return StoreError(.overloaded, "\(limit) jobs wait for the store. Ask again in a moment.")
            }
        }
        state.jobs.append(job)
        let wakes = state.isSleeping
        state.isSleeping = false
        pthread_mutex_unlock(lock)
        if wakes { pthread_cond_signal(condition) }
        return nil
    }

    /// Waits for jobs and takes all of them, oldest first, by exchanging arrays; false when the queue is closed and
    /// empty. `jobs` must be empty and keeps its capacity for the next exchange.
    func takeAll(into jobs: inout [Job]) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while state.jobs.isEmpty {
            if state.isClosed { return false }
            state.isSleeping = true
            pthread_cond_wait(condition, lock)
        }
        swap(&jobs, &state.jobs)
        return true
    }

    /// Accepts no more; what waits is still taken.
    func close() {
        pthread_mutex_lock(lock)
        state.isClosed = true
        pthread_mutex_unlock(lock)
        pthread_cond_broadcast(condition)
    }
}

import Rollouts
import RouteContract

/// The one that reads: its own connection, on its own thread, one short transaction a job.
///
/// No read may hold a snapshot for long, because the log can only be emptied up to the oldest snapshot. So a long count
/// is made of slices, each a job of its own, and a clock ends what is slow all the same.
final class Reader {
    typealias Job = @Sendable (Reader) -> Void

    static let longestNanoseconds: UInt64 = 500_000_000

    var connection: Connection
    let environment: EnvironmentTable
    let audit: AuditTable
    let journeys: JourneyTables
    let queue: JobQueue<Job>
    private let lock: DatabaseLock

    init(
        _ connection: consuming Connection, environment: EnvironmentTable, environmentName: String,
        queue: JobQueue<Job>, lock: DatabaseLock
    ) throws(StoreError) {
        var connection = connection
        journeys = try JourneyTables(&connection, environment: environment.id)
        self.connection = connection
        self.environment = environment
        audit = AuditTable(environment: environment.id, environmentName: environmentName)
        self.queue = queue
        self.lock = lock
    }

    /// Works until the queue is closed and empty.
    func run() {
        var jobs: [Job] = []
        while queue.takeAll(into: &jobs) {
            for job in jobs {
                connection.limit(untilNanoseconds: monotonicNanoseconds() + Self.longestNanoseconds)
                job(self)
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Tells what a read gave.
    func answer<Value>(
        _ completion: (StoreOutcome<Value>) -> Void, _ read: (Reader) throws(StoreError) -> Value
    ) {
        do {
            completion(.committed(try read(self)))
        } catch {
            completion(.rejected(error))
        }
    }

    /// Queues the next part of a job behind what waits by now.
    func goOn(_ job: @escaping Job) { _ = queue.add(job, isContinuing: true) }

    /// Audit entries with a higher sequence, and the revision that the environment had with them.
    func auditSlice(after sequence: Int64, limit: Int) throws(StoreError) -> (rows: [AuditRow], revision: Int64) {
        try connection.run("BEGIN")
        do {
            let rows = try audit.rows(.after(sequence, limit: limit), of: nil, on: &connection)
            let revision = try environment.revision(on: &connection)
            try connection.run("COMMIT")
            return (rows, revision)
        } catch {
            try? connection.run("ROLLBACK")
            throw error
        }
    }
}

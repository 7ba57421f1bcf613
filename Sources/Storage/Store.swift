import Rollouts
import RouteContract
import Synchronization

/// The durable state of one environment: configuration, audit and journeys.
///
/// Work goes in as jobs and comes out as `StoreOutcome`s. One thread writes: it takes all jobs that wait, runs them in
/// one transaction, and calls their completions after the commit is durable. Completions run on a thread of the store
/// and must be brief; a job that is not even accepted is rejected at once, on the caller's thread.
package final class Store: Sendable {
    /// What may be different about a store.
    package struct Options: Sendable {
        package var environment = "production"
        /// The folder of `NNNN_what.sql`; nil means the one that travels with the program.
        package var migrationsPath: String?
        /// The layer of SQLite's that holds the files; nil means the operating system's.
        package var fileSystem: String?
        /// Jobs that may wait for the writer.
        package var writeLimit = 16_384
        /// Jobs that may wait for the reader.
        package var readLimit = 4_096
        /// Journeys that are remembered; rounded up to a power of two.
        package var recentJourneys = 8_192
        /// The most bytes of artefacts that an environment holds.
        package var evidenceBytes = 256 << 20
        /// Milliseconds since 1970.
        package var now: @Sendable () -> Int64 = { wallClockMilliseconds() }
        /// Called on the writer's thread when a commit changed the configuration, before the completions of that batch.
        package var onPublish: @Sendable (Configuration) -> Void = { _ in }
        /// Called on the writer's thread for every journey that a commit began, before the completions of that batch.
        package var onStart: @Sendable (CountedStart) -> Void = { _ in }

        /// Called on the writer's thread when writing begins to fail, fails in another way, or (nil) succeeds again.
        package var onWriteChange: @Sendable (StoreError?) -> Void = { _ in }

        package init() {}
    }

    let shared: SharedState
    let anchorFile: AnchorFile
    package let path: String
    /// When keys were last shown as the store opened, in milliseconds since 1970 by key id.
    package let keyUse: [String: Int64]
    /// Rows of evidence that were not what had been stored as the store opened, of those that could still count.
    package let damagedEvidence: Int
    let environmentName: String
    /// Whether a backup is being made: one at a time.
    let isBackingUp = Atomic<Bool>(false)
    let now: @Sendable () -> Int64
    private let writes: JobQueue<WriteJob>
    private let reads: JobQueue<Reader.Job>
    private let writerThread: WorkerThread
    private let readerThread: WorkerThread

    private init(at path: String, options: Options) throws(StoreError) {
        let path = DatabaseLock.resolved(path)
        let lock = try DatabaseLock(besides: path)
        let migrationsPath =
            if let path = options.migrationsPath { path } else { try MigrationFile.bundledFolder() }
        let migrator = try Migrator(folder: migrationsPath)
        let anchorFile = AnchorFile(besides: path)
        try LogScan.refuseDamage(besides: path)
        var connection = try Connection(path: path, for: .writing, in: options.fileSystem)
        try migrator.migrate(connection, at: options.now())
        let environment = try EnvironmentTable(named: options.environment, at: options.now(), on: &connection)
        let configuration = try environment.configuration(on: &connection)
        try ConfigurationSum(environment: environment.id).check(on: &connection)
        let audit = AuditTable(environment: environment.id, environmentName: options.environment)
        let contradiction = try audit.contradiction(to: anchorFile, on: &connection)

        keyUse = try KeyUseTable(environment: environment.id).load(on: &connection)
        let readConnection = try Connection(path: path, for: .reading, in: options.fileSystem)
        try readConnection.prepareForReading()
        let evidence: EvidenceLedger
        (evidence, damagedEvidence) = try EvidenceTables(environment: environment.id).ledger(
            at: options.now(), on: &connection)
        shared = SharedState(configuration, evidence, recentJourneys: options.recentJourneys)
        if let contradiction { shared.stopWrites(StoreError(contradiction: contradiction)) }
        self.anchorFile = anchorFile
        self.path = path
        environmentName = options.environment
        now = options.now
        writes = JobQueue(limit: options.writeLimit)
        reads = JobQueue(limit: options.readLimit)
        let writer = try Writer(
            connection, environment: environment, shared: shared, queue: writes, lock: lock,
            anchorFile: anchorFile, options: options)
        let reader = try Reader(
            readConnection, environment: environment, environmentName: options.environment, queue: reads, lock: lock)
        writerThread = try WorkerThread(owning: writer) { $0.run() }
        do {
            readerThread = try WorkerThread(owning: reader) { $0.run() }
        } catch {
            writes.close()
            throw error
        }
    }

    /// Lets the threads finish what waits and end; nobody waits for them.
    deinit {
        reads.close()
        writes.close()
    }

    /// Opens the database file, creating and migrating it as needed, and starts the store's threads.
    package static func open(at path: String, options: Options = Options()) throws(StoreError) -> Store {
        try Store(at: path, options: options)
    }

    /// The newest committed configuration.
    package var configuration: Configuration { shared.configuration }

    /// The newest committed evidence that still counts.
    package var evidence: EvidenceLedger { shared.evidence }

    /// Whether the store writes; after a failure it may still read.
    package var health: StoreHealth {
        StoreHealth(
            failure: shared.failure, lastWriteFailure: shared.lastWriteFailure, waitingWrites: writes.count,
            waitingReads: reads.count)
    }

    /// Ends accepting, finishes what waits, empties the log into the database and gives up the lock. Waits for that, so
    /// it must not be called from a completion.
    package func close() {
        reads.close()
        readerThread.join()
        writes.close()
        writerThread.join()
    }

    func write(_ job: WriteJob) {
        if let refusal = shared.failure ?? writes.add(job) { job.reject(refusal) }
    }

    func read<Value>(
        _ completion: @escaping @Sendable (StoreOutcome<Value>) -> Void, _ job: @escaping Reader.Job
    ) {
        if let refusal = reads.add(job) { completion(.rejected(refusal)) }
    }

    var recent: RecentJourneys { shared.recent }

    /// What the writer has done since the start.
    package var counters: StoreCounters { shared.counters }
}

/// How the store is.
package struct StoreHealth: Sendable {
    /// Why nothing is written until a restart; nil when all is well.
    package let failure: StoreError?
    /// Why the last thing that was to be written was not; nil when it was. The next that succeeds clears it.
    package let lastWriteFailure: StoreError?
    package let waitingWrites: Int
    package let waitingReads: Int
}

import Rollouts

/// The one that writes: runs all jobs that wait in one transaction, and tells their outcomes when that is durable.
///
/// Belongs to the writer's thread from its first job to its last.
final class Writer {
    var connection: Connection
    var sha = SHA256()
    let environment: EnvironmentTable
    let configurationTables: ConfigurationTables
    let sum: ConfigurationSum
    let audit: AuditTable
    let journeys: JourneyTables
    /// The configuration of the transaction that runs.
    var candidate: Configuration
    /// The evidence of the transaction that runs.
    var ledger: EvidenceLedger
    let evidence: EvidenceTables
    /// The most bytes of artefacts that the environment holds.
    let evidenceBytes: Int
    /// Segments that the transaction stored, and those that it swept away.
    var pins: (stored: Int64, swept: Int64) = (0, 0)
    /// Journeys that the transaction started, by build.
    var starts = BuildStarts()
    let queue: JobQueue<WriteJob>
    let now: @Sendable () -> Int64

    private let shared: SharedState
    private let onPublish: @Sendable (Configuration) -> Void
    private let onStart: @Sendable (CountedStart) -> Void
    private let onWriteChange: @Sendable (StoreError?) -> Void
    private let lock: DatabaseLock
    private let anchorFile: AnchorFile
    private let begin: Statement
    private let commit: Statement
    private let dataVersion: Statement
    private var ownDataVersion: Int64 = 0

    init(
        _ connection: consuming Connection, environment: EnvironmentTable, shared: SharedState,
        queue: JobQueue<WriteJob>, lock: DatabaseLock, anchorFile: AnchorFile, options: Store.Options
    ) throws(StoreError) {
        var connection = connection
        begin = try connection.statement("BEGIN IMMEDIATE")
        commit = try connection.statement("COMMIT")
        dataVersion = try connection.statement("PRAGMA data_version")
        journeys = try JourneyTables(&connection, environment: environment.id)
        self.connection = connection
        self.environment = environment
        configurationTables = ConfigurationTables(environment: environment.id)
        sum = ConfigurationSum(environment: environment.id)
        audit = AuditTable(environment: environment.id, environmentName: options.environment)
        candidate = shared.configuration
        ledger = shared.evidence
        evidence = EvidenceTables(environment: environment.id)
        evidenceBytes = options.evidenceBytes
        self.shared = shared
        self.queue = queue
        self.lock = lock
        self.anchorFile = anchorFile
        now = options.now
        onPublish = options.onPublish
        onStart = options.onStart
        onWriteChange = options.onWriteChange
        ownDataVersion = try readDataVersion()
    }

    /// Works until the queue is closed and empty, then empties the log into the database.
    func run() {
        var jobs: [WriteJob] = []
        var results: [WriteJob.Result] = []
        while queue.takeAll(into: &jobs) {
            settle(jobs, &results)
            jobs.removeAll(keepingCapacity: true)
            results.removeAll(keepingCapacity: true)
            emptyLog { connection throws(StoreError) in try connection.checkpointIfDue() }
        }
        emptyLog { connection throws(StoreError) in try connection.checkpointAll() }
        writeAnchor()
    }

    /// What is anchored at the end holds for the next start. A full disk leaves the older anchor, which holds too.
    private func writeAnchor() {
        guard shared.failure == nil, let anchor = try? audit.anchor(at: now(), on: &connection) else { return }
        try? anchorFile.write(anchor)
    }

    private func emptyLog(_ checkpoint: (borrowing Connection) throws(StoreError) -> Void) {
        guard shared.failure == nil else { return }
        do {
            try checkpoint(connection)
        } catch {
            if error.stopsWrites { stopWrites(error) }
        }
    }

    private func stopWrites(_ error: StoreError) {
        shared.stopWrites(error)
        note(error)
    }

    private func note(_ failure: StoreError?) {
        if shared.noteWrite(failure) { onWriteChange(failure) }
    }

    private func settle(_ jobs: [WriteJob], _ results: inout [WriteJob.Result]) {
        pins = (0, 0)
        starts.removeAll()
        if let failure = shared.failure {
            for job in jobs { job.reject(failure) }
            return
        }
        do {
            try begin.run()
            try refuseForeignWriter()
            for job in jobs { results.append(try perform(job)) }
            try environment.count(pins, on: &connection)
            try starts.store(in: environment.id, registered: candidate.builds, at: now(), on: &connection)
        } catch {
            abandon(jobs, because: error, isUnknown: false)
            return
        }
        do {
            try commit.run()
        } catch {
            // The log may hold the whole transaction although the sync failed, and a restart would find it there.
            abandon(jobs, because: error, isUnknown: error.code == .writesStopped)
            return
        }
        note(nil)
        shared.publish(ledger)
        if candidate.revision != shared.configuration.revision {
            shared.publish(candidate)
            onPublish(candidate)
        }
        shared.counters.count(results)
        for (job, result) in zip(jobs, results) { tell(result, to: job) }
    }

    private func abandon(_ jobs: [WriteJob], because error: StoreError, isUnknown: Bool) {
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
        candidate = shared.configuration
        ledger = shared.evidence
        if error.stopsWrites { stopWrites(error) } else { note(error) }
        for job in jobs {
            if isUnknown { job.leaveUnknown(error) } else { job.reject(error) }
        }
    }

    /// Runs one job inside the transaction; throws only what ends the whole transaction.
    private func perform(_ job: WriteJob) throws(StoreError) -> WriteJob.Result {
        do {
            switch job {
            case .start(let draft, _): return .started(try start(draft))
            case .startAll(let drafts, _): return .startedAll(try startAll(drafts))
            case .resume(let resume, _): return try self.resume(resume)
            case .report(let id, let choices, _):
                return .reported(try journeys.report(choices, of: id, at: now(), on: &connection))
            case .finish(let id, let outcome, _):
                return .finished(try journeys.finish(id, as: outcome, at: now(), on: connection))
            case .change(let decide, _): return try change(decide)
            case .record(let decide, let artefact, _): return try record(decide, artefact)
            case .sweep(let sweep, _): return .swept(try delete(for: sweep))
            case .noteKeyUse(let uses, _):
                try KeyUseTable(environment: environment.id).store(uses, on: &connection)
                return .notedKeyUse
            }
        } catch {
            guard error.isOfOneJob, connection.isInTransaction else { throw error }
            return .refused(error)
        }
    }

    private func tell(_ result: WriteJob.Result, to job: WriteJob) {
        switch (job, result) {
        case (.start(_, let completion), .started(let started)):
            shared.recent.insert(started.record)
            if started.isCounted { onStart(CountedStart(started.record.pin)) }
            completion(.committed(started))
        case (.startAll(_, let completion), .startedAll(let all)):
            for case .success(let started) in all {
                shared.recent.insert(started.record)
                if started.isCounted { onStart(CountedStart(started.record.pin)) }
            }
            completion(.committed(all))
        case (.resume(_, let completion), .resumed(let resumed)):
            if let resumed, resumed.opened != nil || resumed.isInterrupted { shared.recent.insert(resumed.record) }
            completion(.committed(resumed))
        case (.report(_, _, let completion), .reported(let reported)): completion(.committed(reported))
        case (.finish(let id, _, let completion), .finished(let finished)):
            if case .recorded(let outcome, _) = finished { shared.recent.end(id, with: outcome) }
            completion(.committed(finished))
        case (.change(_, let completion), .changed(let applied)): completion(.committed(applied))
        case (.record(_, _, let completion), .recorded(let recorded)): completion(.committed(recorded))
        case (.sweep(_, let completion), .swept(let sweep)):
            if sweep.deletedRows > 0 { shared.recent.remove(before: sweep.firstKept) }
            goOn(with: sweep, completion)
        case (.noteKeyUse(_, let completion), .notedKeyUse): completion(.committed(()))
        case (_, .refused(let error)): job.reject(error)
        default: job.reject(StoreError(.failed, "The result is another job's."))
        }
    }

    /// Only this connection may write. A program that ignores our lock is noticed here, at its first commit.
    private func refuseForeignWriter() throws(StoreError) {
        guard try readDataVersion() == ownDataVersion else {
            throw StoreError(
                .foreignWriter,
                "Another program wrote to the database. Find and stop it, check the data, then restart the service.")
        }
    }

    private func readDataVersion() throws(StoreError) -> Int64 {
        guard try dataVersion.step() else { throw StoreError(.failed, "SQLite does not tell its data version.") }
        defer { dataVersion.reset() }
        return dataVersion.int64(0)
    }
}

extension StoreError {
    /// Whether nothing may be written after this until a restart.
    fileprivate var stopsWrites: Bool {
        switch code {
        case .writesStopped, .corrupt, .notADatabase, .readOnly, .foreignWriter: true
        default: false
        }
    }

    /// Whether the other jobs of the transaction are not concerned.
    var isOfOneJob: Bool { code == .failed || code == .damagedRow }
}

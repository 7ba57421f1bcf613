import Rollouts

/// Looks at a database that nobody serves, from end to end, and changes nothing.
package struct StoreExamination: Sendable {
    private let database: String
    private let options: Store.Options

    package init(of database: String, options: Store.Options = Store.Options()) {
        self.database = DatabaseLock.resolved(database)
        self.options = options
    }

    package func findings() -> [Finding] {
        do {
            guard DurableFile.exists(database) else {
                return [
                    Finding("store", .fault, "There is no \(database).", remedy: "Name the data directory with --data.")
                ]
            }
            let lock = try DatabaseLock(besides: database)
            defer { withExtendedLifetime(lock) {} }
            let log = try LogScan.verdict(ofLogAt: database + "-wal")
            if case .damaged(let what) = log { return [Finding("log", .fault, what, remedy: Self.restore)] }
            return [Self.finding(of: log)] + (try examine())
        } catch {
            return [finding(of: error)]
        }
    }

    private static let restore = "Keep the files as they are, then: signalbox restore BACKUP --data DIR --replace"

    private static func finding(of log: LogScan.Verdict) -> Finding {
        guard case .sound(let frames) = log else { return Finding("log", .ok, "empty") }
        return Finding("log", .ok, "\(frames) pages that the next start will take over")
    }

    private func finding(of error: StoreError) -> Finding {
        switch error.code {
        case .locked:
            Finding(
                "store", .advice, "A service runs on \(database).",
                remedy: "Ask that one: signalbox doctor without --data; or stop it first.")
        case .newerSchema, .migrationChanged, .migrationFailed:
            Finding("store", .fault, error.message, remedy: "Use the release that wrote the database, or a newer one.")
        default: Finding("store", .fault, "\(error.code.rawValue): \(error.message)", remedy: Self.restore)
        }
    }

    private func examine() throws(StoreError) -> [Finding] {
        let migrationsPath = if let path = options.migrationsPath { path } else { try MigrationFile.bundledFolder() }
        var connection = try Connection(path: database, for: .reading)
        connection.keepLogOnClose()
        let waiting = try Migrator(folder: migrationsPath).waiting(on: connection)
        guard waiting == 0 else {
            return [
                Finding(
                    "store", .advice, "\(waiting) migrations are waiting, so the rows were not looked at.",
                    remedy: "Start this release once; make a backup before.")
            ]
        }
        let pages = try connection.text("PRAGMA integrity_check(3)") ?? "no answer"
        guard pages == "ok" else { return [Finding("pages", .fault, pages, remedy: Self.restore)] }
        guard let environment = try EnvironmentTable(existing: options.environment, on: &connection) else {
            return [Finding("store", .fault, "There is no environment \(options.environment).", remedy: Self.restore)]
        }
        let audit = AuditTable(environment: environment.id, environmentName: options.environment)
        return [
            Finding("pages", .ok, "SQLite finds no fault"),
            try configuration(environment, on: &connection),
            try chain(audit, on: &connection),
            try anchor(audit, on: &connection),
            try journeys(environment, on: &connection),
            try evidence(environment, on: &connection),
            try clock(audit, on: &connection),
        ]
    }

    private func configuration(
        _ environment: EnvironmentTable, on connection: inout Connection
    ) throws(StoreError) -> Finding {
        let sum = ConfigurationSum(environment: environment.id)
        let configuration = try environment.configuration(on: &connection)
        let total = try sum.total(on: &connection)
        guard try sum.stored(on: &connection) ?? total == total else {
            return Finding("configuration", .fault, "A row was changed or lost.", remedy: Self.restore)
        }
        return Finding(
            "configuration", .ok,
            "epoch \(configuration.epoch), revision \(configuration.revision), every row as stored")
    }

    private func chain(_ audit: AuditTable, on connection: inout Connection) throws(StoreError) -> Finding {
        let verdict = try audit.verdict(on: &connection)
        guard let fault = verdict.fault else { return Finding("audit", .ok, "\(verdict.entries) entries, unbroken") }
        return Finding("audit", .fault, "Broken after \(verdict.entries) entries: \(fault)", remedy: Self.restore)
    }

    private func anchor(_ audit: AuditTable, on connection: inout Connection) throws(StoreError) -> Finding {
        let file = AnchorFile(besides: database)
        if let fault = try audit.contradiction(to: file, on: &connection) {
            return Finding("anchor", .fault, fault, remedy: Self.restore)
        }
        guard case .anchor(let anchor) = try file.content() else {
            return Finding(
                "anchor", .advice, "There is no \(file.path): a cut tail would not be seen.",
                remedy: "Find out who removed it; the next start writes another.")
        }
        return Finding("anchor", .ok, "holds, at entry \(anchor.sequence) and \(anchor.pins) pins")
    }

    private func journeys(
        _ environment: EnvironmentTable, on connection: inout Connection
    ) throws(StoreError) -> Finding {
        var scan = JourneyScan(environment: environment.id)
        try scan.run(on: &connection)
        let expected = try environment.expectedPins(on: &connection)
        let found = "\(scan.segments) pins, \(scan.outcomes) outcomes and \(scan.conflicts) conflicts"
        guard scan.damaged == 0, scan.segments == expected else {
            return Finding(
                "journeys", .fault, "\(found): \(scan.damaged) damaged, \(expected &- scan.segments) missing",
                remedy: Self.restore)
        }
        return Finding("journeys", .ok, "\(found), every row as written")
    }

    private func evidence(
        _ environment: EnvironmentTable, on connection: inout Connection
    ) throws(StoreError) -> Finding {
        var scan = EvidenceScan(environment: environment.id)
        try scan.run(on: &connection)
        let found = "\(scan.items) items and \(scan.artefacts) artefacts"
        guard scan.damaged == 0 else {
            return Finding("evidence", .fault, "\(found): \(scan.damaged) damaged", remedy: Self.restore)
        }
        return Finding("evidence", .ok, "\(found), every one as stored")
    }

    private func clock(_ audit: AuditTable, on connection: inout Connection) throws(StoreError) -> Finding {
        var newest = try connection.number("SELECT max(occurred_at) FROM audit") ?? 0
        if case .anchor(let anchor) = try AnchorFile(besides: database).content() {
            newest = max(newest, anchor.writtenAt)
        }
        return Finding.ofClock(now: options.now(), newest: newest)
    }
}

extension Finding {
    /// Compares the clock with the newest time that was ever written.
    package static func ofClock(now: Int64, newest: Int64) -> Finding {
        // Either may be damaged, or of a clock that is.
        let (difference, isBeyond) = newest.subtractingReportingOverflow(now)
        let behind = (isBeyond ? .max : difference) / 1_000
        guard newest > now, behind > 60 else { return Finding("clock", .ok, "not behind what was written") }
        return Finding(
            "clock", .fault, "\(behind) s behind what was written last",
            remedy: "Set the clock (timedatectl) before serving: ids of journeys are judged by it.")
    }
}

import Rollouts

/// How many journeys a build started lately. Unverified ones are not counted, and neither are resumes.
package struct BuildActivity: Hashable, Sendable {
    /// Nil: all builds that are not registered, together.
    package let build: BuildID?
    /// In the last 24 hours, as every span here to the whole hour.
    package let day: Int64
    package let week: Int64
    package let month: Int64
    /// The hour of the last one, in milliseconds since 1970.
    package let lastSeenAt: Int64

    package init(build: BuildID?, day: Int64, week: Int64, month: Int64, lastSeenAt: Int64) {
        self.build = build
        self.day = day
        self.week = week
        self.month = month
        self.lastSeenAt = lastSeenAt
    }
}

/// The starts of one transaction by build, added to the hour's row once.
struct BuildStarts {
    static let hourMilliseconds: Int64 = 3_600_000
    /// Hours are kept a little longer than anybody asks for.
    static let keptHours: Int64 = 35 * 24
    private static let unregistered = BuildID(app: "", number: -1)

    private var counts: [BuildID: Int64] = [:]

    mutating func count(_ build: BuildID) { counts[build, default: 0] &+= 1 }

    mutating func removeAll() { counts.removeAll(keepingCapacity: true) }

    /// Adds what was counted to the hour.
    func store(
        in environment: Int64, registered builds: [BuildID: Build], at now: Int64, on connection: inout Connection
    ) throws(StoreError) {
        guard !counts.isEmpty else { return }
        var rows: [BuildID: Int64] = [:]
        for (build, count) in counts { rows[builds[build] == nil ? Self.unregistered : build, default: 0] &+= count }
        let add = try connection.statement(
            """
            INSERT INTO build_hours (environment, hour, app, number, journeys) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET journeys = journeys + excluded.journeys
            """)
        for (build, count) in rows {
            add.bind(environment, at: 1)
            add.bind(now / Self.hourMilliseconds, at: 2)
            add.bind(build.app, at: 3)
            add.bind(build.number, at: 4)
            add.bind(count, at: 5)
            try add.run()
        }
    }

    /// Deletes hours that nobody asks for any more, and remembers when each build was last seen.
    static func forget(in environment: Int64, at now: Int64, on connection: inout Connection) throws(StoreError) {
        let first = now / hourMilliseconds - keptHours
        for sql in [
            """
            INSERT INTO builds_seen (environment, app, number, last_hour)
            SELECT environment, app, number, max(hour) FROM build_hours WHERE environment = ?1 AND hour < ?2
            GROUP BY app, number
            ON CONFLICT DO UPDATE SET last_hour = max(last_hour, excluded.last_hour)
            """,
            "DELETE FROM build_hours WHERE environment = ?1 AND hour < ?2",
        ] {
            let statement = try connection.statement(sql)
            statement.bind(environment, at: 1)
            statement.bind(first, at: 2)
            try statement.run()
        }
    }
}

extension Store {
    /// Says how many journeys each build started lately, by app and number; builds without any are not there.
    package func buildActivity(
        at now: Int64, completion: @escaping @Sendable (StoreOutcome<[BuildActivity]>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in try reader.buildActivity(at: now) }
        }
    }
}

extension Reader {
    fileprivate func buildActivity(at now: Int64) throws(StoreError) -> [BuildActivity] {
        let rows = try connection.statement(
            """
            SELECT app, number, sum(journeys) FILTER (WHERE hour > ?2 - 24), sum(journeys) FILTER (WHERE hour > ?2 - 168),
                sum(journeys) FILTER (WHERE hour > ?2 - 720), max(hour)
            FROM (
                SELECT app, number, journeys, hour FROM build_hours WHERE environment = ?1
                UNION ALL SELECT app, number, 0, last_hour FROM builds_seen WHERE environment = ?1)
            GROUP BY app, number ORDER BY app, number
            """)
        rows.bind(environment.id, at: 1)
        rows.bind(now / BuildStarts.hourMilliseconds, at: 2)
        var activity: [BuildActivity] = []
        while try rows.step() {
            let app = rows.text(0)
            activity.append(
                BuildActivity(
                    build: app.isEmpty ? nil : BuildID(app: app, number: rows.int64(1)), day: rows.int64(2),
                    week: rows.int64(3), month: rows.int64(4),
                    lastSeenAt: rows.int64(5) &* BuildStarts.hourMilliseconds))
        }
        return activity
    }
}

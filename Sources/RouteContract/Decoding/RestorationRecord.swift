/// What is stored so that a journey can be resumed after the process has died.
///
/// Restoration is the longest-lived format of an app: what a release wrote, later ones must read. Keep a fixture of
/// every release and decode it in a test.
public struct RestorationRecord<R: Route>: Hashable, Sendable {
    /// The version of the route's stored form.
    public let schema: Int
    /// The journey that was under way.
    public let journey: JourneyID
    /// Where it was.
    public let route: R
    /// Milliseconds since 1970 at which the record was written.
    public let time: Int64

    /// A record in the form of this build.
    public init(journey: JourneyID, route: R, time: Int64) {
        schema = R.schemaVersion
        self.journey = journey
        self.route = route
        self.time = time
    }
}

extension RestorationRecord: Codable {
    private enum Keys: String, CodingKey {
        case schema, journey, route, time
    }

    /// Reads a record. Throws ``RouteError`` with `unsupportedVersion` when a newer build wrote it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        schema = try container.decode(Int.self, forKey: .schema)
        // Before the route: what a newer build stored there may mean something else in this one.
        guard schema >= 1, schema <= R.schemaVersion else {
            throw RouteError(.unsupportedVersion, "this build reads \(R.flow) up to version \(R.schemaVersion)")
        }
        journey = try container.decode(JourneyID.self, forKey: .journey)
        route = try container.decode(R.self, forKey: .route)
        time = try container.decode(Int64.self, forKey: .time)
    }

    /// Writes the record.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(schema, forKey: .schema)
        try container.encode(journey, forKey: .journey)
        try container.encode(route, forKey: .route)
        try container.encode(time, forKey: .time)
    }
}

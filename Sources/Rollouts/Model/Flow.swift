/// The bounded unit of migration and of rollback.
public struct Flow: Hashable, Sendable {
    /// UUIDv7 as text; never changes, and is the salt of every split in the flow.
    public let id: String
    public let key: String
    public var owner: String
    /// From 60 seconds to 7 days.
    public var journeyLifetimeSeconds: Int64

    public init(id: String, key: String, owner: String, journeyLifetimeSeconds: Int64 = 86_400) {
        self.id = id
        self.key = key
        self.owner = owner
        self.journeyLifetimeSeconds = journeyLifetimeSeconds
    }
}

/// The bounded unit of migration and of rollback.
package struct Flow: Hashable, Sendable {
    /// UUIDv7 as text; never changes, and is the salt of every split in the flow.
    package let id: String
    package let key: String
    package var owner: String
    /// From 60 seconds to 7 days.
    package var journeyLifetimeSeconds: Int64

    package init(id: String, key: String, owner: String, journeyLifetimeSeconds: Int64 = 86_400) {
        self.id = id
        self.key = key
        self.owner = owner
        self.journeyLifetimeSeconds = journeyLifetimeSeconds
    }
}

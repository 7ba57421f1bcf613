import FlagEvaluation
import HTTPServer
import Rollouts

/// Tells the open event streams that flags must be fetched again. Source: OFREP ADR-0008 and `event-streams.yaml`.
final class FlagEvents: Sendable {
    let channel = EventChannel()

    /// Tells everybody of a new revision, and ends the streams of keys that it revokes.
    func announce(_ snapshot: Snapshot, at now: Int64) {
        endStale(snapshot, at: now)
        channel.send(Self.refetch(snapshot), number: snapshot.configuration.revision)
    }

    /// Shows the streams that they live, and ends those whose key or link has ended.
    func beat(for snapshot: Snapshot, at now: Int64) {
        endStale(snapshot, at: now)
        channel.beat(Array(":\n\n".utf8))
    }

    private func endStale(_ snapshot: Snapshot, at now: Int64) {
        let keys = snapshot.keys
        channel.end { owner, endsAt in now >= endsAt || !keys.isValid(owner, at: now) }
    }

    /// A stream for whoever has seen the state of that id, which is nil for a client that says nothing of it.
    ///
    /// Whoever has missed something is told at once, and so is whoever may have.
    func stream(for right: StreamRight, after seen: String?, at snapshot: Snapshot) -> EventStream {
        // Not the same for everybody: after a restart all clients come back.
        var opening = Array("retry: \(Int.random(in: 1_000...5_000))\n\n".utf8)
        opening += seen == Self.id(of: snapshot) ? Array(":\n\n".utf8) : Self.refetch(snapshot)
        return EventStream(
            on: channel, owner: right.keyID, endsAt: right.end, knows: snapshot.configuration.revision,
            opening: opening)
    }

    /// The state of the configuration, as events and links name it.
    static func id(of snapshot: Snapshot) -> String {
        "\(snapshot.configuration.epoch)-\(snapshot.configuration.revision)"
    }

    private static func refetch(_ snapshot: Snapshot) -> [UInt8] {
        let data: JSONValue = [
            "type": "refetchEvaluation", "etag": .string(id(of: snapshot)),
            "lastModified": .integer(snapshot.publishedAt / 1_000),
        ]
        return Array("id: \(id(of: snapshot))\ndata: \(data.jsonText)\n\n".utf8)
    }
}

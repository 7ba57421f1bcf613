/// An answer that goes on: what a handler opens on a channel.
package struct EventStream: Sendable {
    /// Where its events come from.
    package let channel: EventChannel
    /// Whose stream it is, for `EventChannel.end`.
    package let owner: String
    /// When the right to it ends, for the same; in whatever unit its maker counts.
    package let endsAt: Int64
    /// The number of the event that it knows when it begins: earlier ones are not sent to it.
    package let knows: Int64
    /// The head of the answer, and as its body what is sent at once.
    package let head: Response

    /// A stream of server-sent events that begins with these.
    package init(on channel: EventChannel, owner: String, endsAt: Int64, knows number: Int64, opening: [UInt8]) {
        self.channel = channel
        self.owner = owner
        self.endsAt = endsAt
        knows = number
        var head = Response(status: 200, contentType: .eventStream, body: opening)
        head.addHeader("Cache-Control", "no-store")
        // nginx would collect events until its buffer is full.
        head.addHeader("X-Accel-Buffering", "no")
        self.head = head
    }
}

import FlagEvaluation

/// Where whoever asks for a change has seen the environment stand.
package struct ExpectedRevision: Hashable, Sendable {
    package let revision: Int64
    /// Nil: in whichever epoch.
    package let epoch: Int64?

    package init(revision: Int64, epoch: Int64? = nil) {
        self.revision = revision
        self.epoch = epoch
    }
}

extension Command {
    /// Whether it stops something: that must never fail because somebody else changed something else.
    package var stops: Bool {
        switch self {
        case .move(let verb, _): verb.narrows
        case .setFlagState(_, isEnabled: false), .revokeKey, .endRehearsal: true
        default: false
        }
    }
}

extension Configuration {
    /// Refuses with `revision_changed` a command that was meant for another revision, unless it stops something.
    func check(_ expected: ExpectedRevision?, before command: Command) throws(RolloutError) {
        guard let expected, !command.stops else { return }
        guard expected.revision != revision || (expected.epoch ?? epoch) != epoch else { return }
        throw RolloutError(
            .revisionChanged,
            "The environment stands at revision \(revision) now. Look at what changed, and ask again if it is still meant.",
            details: ["revision": .integer(revision), "epoch": .integer(epoch)])
    }
}

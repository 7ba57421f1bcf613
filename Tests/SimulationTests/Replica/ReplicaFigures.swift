/// What runs came to.
struct ReplicaFigures: CustomStringConvertible {
    var seeds = 0
    /// Seeds at which the audit told something else than the store.
    var failed = 0
    var commands = 0
    var refused = 0
    var entries = 0
    var restarts = 0
    /// Revisions at which what was served was compared with the audit, forward and backward.
    var compared = 0
    /// Earlier revisions that were asked of the service.
    var walks = 0
    /// Kinds of commands and endpoints that changed nothing in any run.
    var neverAccepted: [String]?

    mutating func add(_ other: ReplicaFigures) {
        seeds += other.seeds
        failed += other.failed
        commands += other.commands
        refused += other.refused
        entries += other.entries
        restarts += other.restarts
        compared += other.compared
        walks += other.walks
        neverAccepted = neverAccepted?.filter { other.neverAccepted?.contains($0) ?? true } ?? other.neverAccepted
    }

    var description: String {
        "\(seeds) seeds, \(commands) commands, \(refused) refused, \(entries) entries, \(restarts) restarts, "
            + "\(compared) revisions, \(walks) walks, \(failed) failed"
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// A copy of the database that was made while it was served.
package struct Backup: Hashable, Sendable {
    package let path: String
    package let bytes: Int64
    /// What the copy holds; also in `PATH.anchor.json`.
    package let anchor: Anchor
    package let revision: Int64
}

extension Store {
    /// Copies the database, as it stands at one moment, into a new file. Writing goes on meanwhile.
    ///
    /// On a thread and a connection of its own, one at a time. The log cannot be emptied while the copy is being made.
    package func makeBackup(at path: String, completion: @escaping @Sendable (StoreOutcome<Backup>) -> Void) {
        guard isBackingUp.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else {
            return completion(.rejected(StoreError(.busy, "A backup is being made. Ask again when it is done.")))
        }
        do {
            _ = try WorkerThread { [self] in
                let result = Result { () throws(StoreError) in try copy(to: path) }
                isBackingUp.store(false, ordering: .releasing)
                switch result {
                case .success(let backup): completion(.committed(backup))
                case .failure(let error): completion(.rejected(error))
                }
            }
        } catch {
            isBackingUp.store(false, ordering: .releasing)
            completion(.rejected(error))
        }
    }

    private func copy(to path: String) throws(StoreError) -> Backup {
        let draft = path + ".part"
        unlink(draft)
        defer { unlink(draft) }
        try DurableFile.create(draft)
        do {
            let source = try Connection(path: self.path, for: .reading)
            let copy = try Statement("VACUUM INTO ?", database: source.handle)
            copy.bind(draft, at: 1)
            try copy.run()
        }
        try DurableFile.sync(draft)
        let (anchor, revision) = try describe(draft)
        // A link is never made over another file, unlike a rename.
        guard link(draft, path) == 0 else { throw StoreError(making: path, errno: errno) }
        try AnchorFile(at: path + ".anchor.json").write(anchor)
        try DurableFile.syncFolder(of: path)
        var status = stat()
        let bytes = stat(path, &status) == 0 ? Int64(status.st_size) : 0
        return Backup(path: path, bytes: bytes, anchor: anchor, revision: revision)
    }

    /// Opens the copy and looks whether it is whole.
    private func describe(_ path: String) throws(StoreError) -> (Anchor, revision: Int64) {
        var copy = try Connection(path: path, for: .reading)
        guard let environment = try EnvironmentTable(existing: environmentName, on: &copy) else {
            throw StoreError(.corrupt, "The copy has no environment \(environmentName).")
        }
        let pins = try copy.number("SELECT count(*) FROM journey_segments WHERE environment = \(environment.id)")
        let expected = try environment.expectedPins(on: &copy)
        guard pins == expected else {
            throw StoreError(
                .corrupt, "The database holds \(pins ?? 0) pins and should hold \(expected). Run signalbox doctor.")
        }
        let audit = AuditTable(environment: environment.id, environmentName: environmentName)
        return (try audit.anchor(at: now(), on: &copy), try environment.revision(on: &copy))
    }
}

import Foundation

/// The files of one database, with the faults of their disk. A crash leaves another disk and a dead one.
///
/// `@unchecked Sendable`: everything is touched with the lock held.
final class SimulatedDisk: @unchecked Sendable {
    /// What goes wrong until something else is set.
    enum Fault: CaseIterable {
        case none
        /// Every write finds the disk full.
        case full
        /// Every sync fails.
        case syncFails
        /// Another program holds the write lock.
        case busy
    }

    /// What a crash takes away.
    enum Crash: CaseIterable {
        /// The process. The operating system keeps what was written.
        case kill
        /// The machine, and all that was not synced.
        case powerCut
    }

    private let lock = NSRecursiveLock()
    private var files: [String: SimulatedFile] = [:]
    private var random: SeededRandom
    private var fault = Fault.none
    private var operationsUntilCrash: Int?
    private var plannedCrash = Crash.kill
    private var image: SimulatedDisk?
    private var lies = false
    var locks = SimulatedLocks()

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private init(_ files: [String: SimulatedFile], random: SeededRandom, lies: Bool) {
        self.files = files
        self.random = random
        self.lies = lies
    }

    func locked<Result>(_ body: (SimulatedDisk) -> Result) -> Result {
        lock.withLock { body(self) }
    }

    /// A disk with the same content and chances of its own.
    func copy(seed: UInt64) -> SimulatedDisk {
        locked { SimulatedDisk($0.files, random: SeededRandom(seed: seed), lies: false) }
    }

    func set(_ fault: Fault) { locked { $0.fault = fault } }

    /// Lets syncs succeed that do nothing: a store on such a disk acknowledges what is not stored.
    func lieAboutSyncs() { locked { $0.lies = true } }

    /// Plans a crash after so many changes of files.
    func crash(_ crash: Crash, afterOperations count: Int) {
        locked { disk in
            disk.plannedCrash = crash
            disk.operationsUntilCrash = count
        }
    }

    /// Takes a planned crash back.
    func cancelCrash() { locked { $0.operationsUntilCrash = nil } }

    /// Whether the crash has happened: whatever was answered since, nobody has received.
    var isDead: Bool { locked { $0.image != nil } }

    /// What the next process finds.
    func afterCrash(_ crash: Crash) -> SimulatedDisk {
        locked { disk in
            if disk.image == nil { disk.die(crash) }
            return disk.image ?? disk
        }
    }

    private func die(_ crash: Crash) {
        var left = files
        if crash == .powerCut {
            for (name, file) in files.sorted(by: { $0.key < $1.key }) { left[name] = file.afterPowerCut(&random) }
        }
        image = SimulatedDisk(left, random: random, lies: lies)
    }
}

extension SimulatedDisk {
    /// Why a call on a file did not do what it should.
    enum Refusal: Error { case dead, full, syncFailed }

    /// Counts a change of files, and crashes instead when its time has come.
    private func begin() throws(Refusal) {
        if let left = operationsUntilCrash, image == nil {
            operationsUntilCrash = left - 1
            if left <= 0 { die(plannedCrash) }
        }
        if image != nil { throw .dead }
    }

    var isBusy: Bool { fault == .busy }

    /// Everything that programs read in the file of that ending.
    func content(ofEnding ending: String) -> [UInt8] {
        locked { disk in disk.files.first { $0.key.hasSuffix(ending) }?.value.seen ?? [] }
    }

    func exists(_ name: String) -> Bool { files[name] != nil }
    func create(_ name: String) { if files[name] == nil, image == nil { files[name] = SimulatedFile() } }
    func size(of name: String) -> Int { files[name]?.seen.count ?? 0 }

    func remove(_ name: String) throws(Refusal) {
        try begin()
        files[name] = nil
    }

    /// Fills the buffer with bytes from there; gives how many there were.
    func read(_ name: String, from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Refusal) -> Int {
        if image != nil { throw .dead }
        return files[name]?.seen.withUnsafeBytes { bytes in
            let count = max(0, min(buffer.count, bytes.count - offset))
            if count > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])) }
            return count
        } ?? 0
    }

    func write(_ name: String, _ write: SimulatedFile.Write) throws(Refusal) {
        try begin()
        if fault == .full { throw .full }
        files[name]?.write(write)
    }

    func sync(_ name: String) throws(Refusal) {
        try begin()
        if lies { return }
        if fault == .syncFails {
            files[name]?.failSync(&random)
            throw .syncFailed
        }
        files[name]?.sync()
    }
}

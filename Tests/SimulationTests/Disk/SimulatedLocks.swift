import CSQLite

/// The locks that SQLite's connections hold on one database, and the memory that they share.
///
/// Part of a `SimulatedDisk`, and touched with its lock held.
struct SimulatedLocks {
    private var levels: [Int: Int32] = [:]
    private var shared: [Set<Int>] = Array(repeating: [], count: Int(SQLITE_SHM_NLOCK))
    private var exclusive: [Int?] = Array(repeating: nil, count: Int(SQLITE_SHM_NLOCK))
    private var regions: [SharedRegion] = []

    /// Takes or raises the lock of one connection on the file.
    mutating func lock(_ level: Int32, by connection: Int) -> Bool {
        let others = levels.filter { $0.key != connection }.values
        if others.contains(where: { $0 >= SQLITE_LOCK_PENDING }) { return false }
        if level >= SQLITE_LOCK_RESERVED, others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) { return false }
        if level == SQLITE_LOCK_EXCLUSIVE, others.contains(where: { $0 >= SQLITE_LOCK_SHARED }) { return false }
        levels[connection] = max(level, levels[connection] ?? SQLITE_LOCK_NONE)
        return true
    }

    mutating func unlock(to level: Int32, by connection: Int) {
        levels[connection] = min(level, levels[connection] ?? SQLITE_LOCK_NONE)
    }

    var isReserved: Bool { levels.values.contains { $0 >= SQLITE_LOCK_RESERVED } }

    /// Takes or gives back slots of the shared memory's locks.
    mutating func shareLock(_ slots: Range<Int>, _ flags: Int32, by connection: Int) -> Bool {
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        if flags & SQLITE_SHM_UNLOCK != 0 {
            for slot in slots {
                shared[slot].remove(connection)
                if exclusive[slot] == connection { exclusive[slot] = nil }
            }
            return true
        }
        for slot in slots {
            if let holder = exclusive[slot], holder != connection { return false }
            if isExclusive, !shared[slot].subtracting([connection]).isEmpty { return false }
        }
        for slot in slots {
            if isExclusive { exclusive[slot] = connection } else { shared[slot].insert(connection) }
        }
        return true
    }

    /// Lets go of whatever a closed connection held.
    mutating func forget(_ connection: Int) {
        levels[connection] = nil
        _ = shareLock(0..<Int(SQLITE_SHM_NLOCK), SQLITE_SHM_UNLOCK, by: connection)
    }

    /// A region of shared memory; nil when there is none yet and none is wanted.
    mutating func region(_ index: Int, size: Int, creating: Bool) -> UnsafeMutableRawPointer? {
        while regions.count <= index {
            guard creating else { return nil }
            regions.append(SharedRegion(size: size))
        }
        return regions[index].address
    }

    /// The last connection has gone.
    mutating func dropRegions() { regions = [] }
}

/// Zeroed memory at an address that stays.
private final class SharedRegion {
    let address: UnsafeMutableRawPointer

    init(size: Int) {
        address = .allocate(byteCount: size, alignment: 16)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    deinit { address.deallocate() }
}

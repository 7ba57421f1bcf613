import CSQLite
import Foundation
import Synchronization

/// The layer between SQLite and simulated disks. It is registered beside the operating system's, never as the default.
enum SimulatedFileSystem {
    static let name = "simulated"

    private static let disks = Mutex<[String: SimulatedDisk]>([:])
    private static let isRegistered: Bool = register()

    /// Puts a disk where a database is going to be opened; nil takes it away.
    static func mount(_ disk: SimulatedDisk?, at path: String) {
        _ = isRegistered
        disks.withLock { $0[path] = disk }
    }

    private static func disk(of file: String) -> SimulatedDisk? {
        disks.withLock { disks in
            for suffix in ["", "-wal", "-journal"] where file.hasSuffix(suffix) {
                if let disk = disks[String(file.dropLast(suffix.count))] { return disk }
            }
            return nil
        }
    }

    private static func register() -> Bool {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: sqlite3_vfs())
        layer.pointee.iVersion = 1
        layer.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        layer.pointee.mxPathname = 1_024
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.xOpen = { _, name, file, _, outFlags in
            guard let name, let file else { return SQLITE_CANTOPEN }
            return SimulatedFileSystem.open(String(cString: name), file)
        }
        layer.pointee.xDelete = { _, name, _ in
            guard let name = name.map({ String(cString: $0) }) else { return SQLITE_IOERR }
            return result(IOFailure.delete) { () throws(SimulatedDisk.Refusal) in
                try SimulatedFileSystem.disk(of: name)?.removing(base(of: name))
            }
        }
        layer.pointee.xAccess = { _, name, _, answer in
            let name = name.map { String(cString: $0) } ?? ""
            let exists = SimulatedFileSystem.disk(of: name)?.locked { $0.exists(base(of: name)) } ?? false
            answer?.pointee = exists ? 1 : 0
            return SQLITE_OK
        }
        layer.pointee.xFullPathname = { _, name, count, buffer in
            guard let name, let buffer, strlen(name) < Int(count) else { return SQLITE_CANTOPEN }
            strcpy(buffer, name)
            return SQLITE_OK
        }
        layer.pointee.xRandomness = { _, count, buffer in
            if let buffer { memset(buffer, 7, Int(count)) }
            return count
        }
        // Whoever waits for a lock does not get it sooner for waiting: the clock of a simulation is not this one.
        layer.pointee.xSleep = { _, microseconds in microseconds }
        layer.pointee.xCurrentTime = { _, days in
            days?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        layer.pointee.xGetLastError = { _, _, _ in 0 }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }

    private static func open(_ name: String, _ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        file.pointee.pMethods = nil
        guard let disk = disk(of: name), !disk.isDead else { return SQLITE_CANTOPEN }
        disk.locked { $0.create(base(of: name)) }
        let handle = Unmanaged.passRetained(OpenHandle(disk, base(of: name)))
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee = OpenFile(
            base: sqlite3_file(pMethods: FileMethods.shared), handle: handle)
        return SQLITE_OK
    }
}

extension SimulatedDisk {
    fileprivate func removing(_ name: String) throws(Refusal) {
        var refusal: Refusal?
        locked { disk in do throws(Refusal) { try disk.remove(name) } catch { refusal = error } }
        if let refusal { throw refusal }
    }
}

/// The name of a file without its folder: a disk may be mounted anywhere.
private func base(of path: String) -> String { String(path[(path.lastIndex(of: "/") ?? path.startIndex)...]) }

/// What SQLite allocates for a file that is open.
struct OpenFile {
    var base: sqlite3_file
    var handle: Unmanaged<OpenHandle>
}

/// A file that one connection has open.
final class OpenHandle: Sendable {
    let disk: SimulatedDisk
    let name: String
    let id: Int
    private static let ids = Atomic<Int>(0)

    init(_ disk: SimulatedDisk, _ name: String) {
        self.disk = disk
        self.name = name
        id = Self.ids.add(1, ordering: .relaxed).newValue
    }

    static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenHandle? {
        file.map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenFile.self).pointee.handle.takeUnretainedValue()
        }
    }
}

/// SQLite's code for what a call came to.
func result(_ failure: Int32, _ body: () throws(SimulatedDisk.Refusal) -> Void) -> Int32 {
    do {
        try body()
        return SQLITE_OK
    } catch {
        switch error {
        case .full: return SQLITE_FULL
        case .dead, .syncFailed: return failure
        }
    }
}

import CSQLite
import Foundation

/// What SQLite calls on a file of a simulated disk.
enum FileMethods {
    /// Made once, never changed.
    nonisolated(unsafe) static let shared: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 2
        addContent(to: &methods.pointee)
        addLocks(to: &methods.pointee)
        addSharedMemory(to: &methods.pointee)
        return UnsafePointer(methods)
    }()

    private static func addContent(to methods: inout sqlite3_io_methods) {
        methods.xClose = { file in
            guard let file, let handle = OpenHandle.of(file) else { return SQLITE_OK }
            handle.disk.locked { $0.locks.forget(handle.id) }
            file.pointee.pMethods = nil
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.handle.release()
            return SQLITE_OK
        }
        methods.xRead = { file, bytes, count, offset in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
            let read = handle.disk.locked { try? $0.read(handle.name, from: Int(offset), into: buffer) }
            guard let read else { return IOFailure.read }
            if read == buffer.count { return SQLITE_OK }
            for index in read..<buffer.count { buffer[index] = 0 }
            return IOFailure.shortRead
        }
        methods.xWrite = { file, bytes, count, offset in
            let bytes = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return FileMethods.change(file, IOFailure.write) { disk, name throws(SimulatedDisk.Refusal) in
                try disk.write(name, .bytes(bytes, at: Int(offset)))
            }
        }
        methods.xTruncate = { file, size in
            FileMethods.change(file, IOFailure.truncate) { disk, name throws(SimulatedDisk.Refusal) in
                try disk.write(name, .length(Int(size)))
            }
        }
        methods.xSync = { file, _ in
            FileMethods.change(file, IOFailure.sync) { disk, name throws(SimulatedDisk.Refusal) in try disk.sync(name) }
        }
        methods.xFileSize = { file, size in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            size?.pointee = Int64(handle.disk.locked { $0.size(of: handle.name) })
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4_096 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private static func addLocks(to methods: inout sqlite3_io_methods) {
        methods.xLock = { file, level in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            return handle.disk.locked { $0.locks.lock(level, by: handle.id) } ? SQLITE_OK : SQLITE_BUSY
        }
        methods.xUnlock = { file, level in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            handle.disk.locked { $0.locks.unlock(to: level, by: handle.id) }
            return SQLITE_OK
        }
        methods.xCheckReservedLock = { file, answer in
            answer?.pointee = OpenHandle.of(file)?.disk.locked { $0.locks.isReserved } == true ? 1 : 0
            return SQLITE_OK
        }
    }

    private static func addSharedMemory(to methods: inout sqlite3_io_methods) {
        methods.xShmMap = { file, index, size, extends, address in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            address?.pointee = handle.disk.locked {
                $0.locks.region(Int(index), size: Int(size), creating: extends != 0)
            }
            return SQLITE_OK
        }
        methods.xShmLock = { file, offset, count, flags in
            guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
            let slots = Int(offset)..<Int(offset + count)
            let isWriteLock = slots.lowerBound == 0 && flags & SQLITE_SHM_LOCK != 0
            return handle.disk.locked { disk in
                if isWriteLock, disk.isBusy { return SQLITE_BUSY }
                return disk.locks.shareLock(slots, flags, by: handle.id) ? SQLITE_OK : SQLITE_BUSY
            }
        }
        // The disk's lock is taken and given back: that orders memory.
        methods.xShmBarrier = { file in OpenHandle.of(file)?.disk.locked { _ in } }
        methods.xShmUnmap = { file, deletes in
            guard let handle = OpenHandle.of(file) else { return SQLITE_OK }
            if deletes != 0 { handle.disk.locked { $0.locks.dropRegions() } }
            return SQLITE_OK
        }
    }

    fileprivate static func change(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ failure: Int32,
        _ body: (SimulatedDisk, String) throws(SimulatedDisk.Refusal) -> Void
    ) -> Int32 {
        guard let handle = OpenHandle.of(file) else { return SQLITE_IOERR }
        return handle.disk.locked { disk in
            result(failure) { () throws(SimulatedDisk.Refusal) in try body(disk, handle.name) }
        }
    }
}

/// SQLite's codes for what failed; its header writes them as expressions, which are not imported.
enum IOFailure {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let delete = SQLITE_IOERR | 10 << 8
}

import CSQLite
import Foundation
import Synchronization

/// A layer between SQLite and the file system on which a test can make the disk of one folder fail.
///
/// It is the default of the process, and passes everything on where no fault is set.
enum FaultyDisk {
    enum Fault: Sendable {
        /// Every sync reports an error.
        case syncFails
        /// Every write finds the disk full.
        case isFull
        /// After every sync the file is copied to that folder: what a power cut would leave, at its worst.
        case keepsOnlySynced(String)
    }

    private struct State {
        var faults: [String: Fault] = [:]
        var names: [UInt: String] = [:]
        var methods: [UInt: UInt] = [:]
        var originals: [UInt: UInt] = [:]
    }
    private static let state = Mutex(State())
    private static let isInstalled: Bool = register()

    static func install() { _ = isInstalled }

    /// Sets or clears the fault of all files in a folder.
    static func set(_ fault: Fault?, in folder: String) { state.withLock { $0.faults[folder] = fault } }

    private static func register() -> Bool {
        guard let original = sqlite3_vfs_find(nil) else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: original.pointee)
        layer.pointee.zName = UnsafePointer(strdup("faulty"))
        layer.pointee.xOpen = { _, name, file, flags, outFlags in
            let original = sqlite3_vfs_find("unix")
            let code = original?.pointee.xOpen(original, name, file, flags, outFlags) ?? SQLITE_CANTOPEN
            if code == SQLITE_OK, let file { FaultyDisk.wrap(file, named: name.map { String(cString: $0) } ?? "") }
            return code
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }

    private static func wrap(_ file: UnsafeMutablePointer<sqlite3_file>, named name: String) {
        guard let methods = file.pointee.pMethods else { return }
        let wrapped = state.withLock { state in
            state.names[UInt(bitPattern: file)] = name
            if let known = state.methods[UInt(bitPattern: methods)] { return known }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            copy.pointee.xSync = { file, flags in FaultyDisk.sync(file, flags) }
            copy.pointee.xWrite = { file, bytes, count, offset in FaultyDisk.write(file, bytes, count, offset) }
            state.methods[UInt(bitPattern: methods)] = UInt(bitPattern: copy)
            state.originals[UInt(bitPattern: copy)] = UInt(bitPattern: methods)
            return UInt(bitPattern: copy)
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: wrapped)
    }

    private static func lookUp(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (original: UnsafePointer<sqlite3_io_methods>?, name: String, fault: Fault?) {
        state.withLock { state in
            let original = state.originals[UInt(bitPattern: file?.pointee.pMethods)] ?? 0
            let name = state.names[UInt(bitPattern: file)] ?? ""
            let fault = state.faults[(name as NSString).deletingLastPathComponent]
            return (UnsafePointer(bitPattern: original), name, fault)
        }
    }

    private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        let (original, name, fault) = lookUp(file)
        if case .syncFails = fault { return SQLITE_IOERR | 4 << 8 }  // SQLITE_IOERR_FSYNC
        let code = original?.pointee.xSync(file, flags) ?? SQLITE_IOERR
        if case .keepsOnlySynced(let folder) = fault {
            let copy = folder + "/" + (name as NSString).lastPathComponent
            try? FileManager.default.removeItem(atPath: copy)
            try? FileManager.default.copyItem(atPath: name, toPath: copy)
        }
        return code
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
    ) -> Int32 {
        let (original, _, fault) = lookUp(file)
        if case .isFull = fault { return SQLITE_FULL }
        return original?.pointee.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
    }
}

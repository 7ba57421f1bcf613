#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Looks through a write-ahead log before SQLite does.
///
/// SQLite takes the first frame with a wrong checksum for the end of the log and overwrites what follows: one flipped
/// bit silently takes away every commit behind it. A power cut also leaves such frames, but only in the last
/// transaction, which was never acknowledged. So what comes after a bad frame tells the two apart.
package struct LogScan {
    /// What the log is.
    package enum Verdict: Equatable, Sendable {
        case empty
        /// Ends with that many frames that count.
        case sound(frames: Int)
        /// A commit that was acknowledged is damaged.
        case damaged(String)
    }

    private let bytes: UnsafeRawBufferPointer
    private let pageSize: Int
    private let isBigEndian: Bool

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Judges the log of that name; a missing one is empty.
    package static func verdict(ofLogAt path: String) throws(StoreError) -> Verdict {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return .empty }
        guard descriptor >= 0 else { throw StoreError(opening: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(opening: path, errno: errno) }
        let size = Int(status.st_size)
        guard size > headerSize else { return .empty }
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw StoreError(opening: path, errno: errno)
        }
        defer { munmap(start, size) }
        return verdict(of: UnsafeRawBufferPointer(start: start, count: size))
    }

    /// Judges the bytes of a log.
    package static func verdict(of bytes: UnsafeRawBufferPointer) -> Verdict {
        guard bytes.count > headerSize else { return .empty }
        // The header is synced before the first frame is written, so only a log that never held any has none.
        guard bytes.prefix(headerSize).contains(where: { $0 != 0 }) else { return .empty }
        let magic = bytes.word(at: 0)
        guard magic & ~1 == 0x377F_0682 else { return .damaged("The header of the log is damaged.") }
        let pageSize = Int(bytes.word(at: 8))
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            return .damaged("The header of the log is damaged.")
        }
        return LogScan(bytes: bytes, pageSize: pageSize, isBigEndian: magic & 1 == 1).verdict
    }

    private var verdict: Verdict {
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(bytes, 0..<24)
        guard sum.first == bytes.word(at: 24), sum.second == bytes.word(at: 28) else {
            return .damaged("The header of the log is damaged.")
        }
        var frame = 0
        while frame < frameCount {
            let before = sum
            addFrame(frame, to: &sum)
            guard hasSalt(frame), isChecked(frame, by: sum), pageNumber(frame) != 0 else {
                return judge(badFrame: frame, before)
            }
            frame += 1
        }
        return frame == 0 ? .empty : .sound(frames: frame)
    }

    /// Whether a bad frame is where a power cut may leave one.
    private func judge(badFrame frame: Int, _ before: Checksum) -> Verdict {
        let damaged = Verdict.damaged("Frame \(frame + 1) of the log is damaged, and more follows that was committed.")
        let later = (frame + 1..<max(frameCount, frame + 1)).filter { hasSalt($0) }
        if let last = later.last {
            // Every commit is synced before the next transaction begins.
            if later.contains(where: { isCommit($0) && $0 < last }) { return damaged }
            if hasSalt(frame), isCommit(frame) { return damaged }
        }
        // What is left may be the last transaction, cut off while it was written, or one flipped bit in it.
        return isOneBitOff(frame, before)
            ? .damaged("Frame \(frame + 1) of the log is damaged: one bit of it has flipped.")
            : frame == 0 ? .empty : .sound(frames: frame)
    }

    private func isOneBitOff(_ frame: Int, _ before: Checksum) -> Bool {
        var sum = before
        addFrame(frame, to: &sum)
        let saltBits = saltDifference(frame)
        let sumBits =
            (sum.first ^ word(frame, 16)).nonzeroBitCount + (sum.second ^ word(frame, 20)).nonzeroBitCount
        if saltBits + sumBits == 1 { return true }
        guard saltBits == 0 else { return false }
        // Any other bit changes the checksum by what it weighs there: try each.
        var copy = [UInt8](UnsafeRawBufferPointer(rebasing: bytes[offset(frame)..<offset(frame + 1)]))
        let checked = Array(0..<8) + Array(Self.frameHeaderSize..<copy.count)
        for position in checked {
            for bit in 0..<8 {
                copy[position] ^= 1 << bit
                var sum = before
                copy.withUnsafeBytes { frame in
                    sum.add(frame, 0..<8)
                    sum.add(frame, Self.frameHeaderSize..<frame.count)
                }
                copy[position] ^= 1 << bit
                if isChecked(frame, by: sum) { return true }
            }
        }
        return false
    }

    private var frameCount: Int { (bytes.count - Self.headerSize) / (Self.frameHeaderSize + pageSize) }

    private func offset(_ frame: Int) -> Int { Self.headerSize + frame * (Self.frameHeaderSize + pageSize) }

    private func word(_ frame: Int, _ position: Int) -> UInt32 { bytes.word(at: offset(frame) + position) }

    private func pageNumber(_ frame: Int) -> UInt32 { word(frame, 0) }

    /// Only the last frame of a transaction says how many pages the database has then.
    private func isCommit(_ frame: Int) -> Bool { word(frame, 4) != 0 }

    private func saltDifference(_ frame: Int) -> Int {
        (word(frame, 8) ^ bytes.word(at: 16)).nonzeroBitCount + (word(frame, 12) ^ bytes.word(at: 20)).nonzeroBitCount
    }

    /// Whether the frame belongs to this turn of the log and not to an earlier one.
    private func hasSalt(_ frame: Int) -> Bool { saltDifference(frame) == 0 }

    private func isChecked(_ frame: Int, by sum: Checksum) -> Bool {
        sum.first == word(frame, 16) && sum.second == word(frame, 20)
    }

    private func addFrame(_ frame: Int, to sum: inout Checksum) {
        let start = offset(frame)
        sum.add(bytes, start..<start + 8)
        sum.add(bytes, start + Self.frameHeaderSize..<offset(frame + 1))
    }
}

/// SQLite's checksum of a log: each frame's goes on from the one before it.
private struct Checksum {
    let isBigEndian: Bool
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        var position = range.lowerBound
        while position + 8 <= range.upperBound {
            let words = (
                bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self),
                bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
            )
            first = first &+ (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
            second = second &+ (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
            position += 8
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The big-endian number there.
    fileprivate func word(at position: Int) -> UInt32 {
        loadUnaligned(fromByteOffset: position, as: UInt32.self).bigEndian
    }
}

extension LogScan {
    /// Throws when the log of that database is damaged: opening it would lose commits.
    static func refuseDamage(besides database: String) throws(StoreError) {
        guard case .damaged(let what) = try verdict(ofLogAt: database + "-wal") else { return }
        throw StoreError(.corrupt, "\(what) Keep the files, then restore a backup.")
    }
}

/// One file in three states: what programs read, what a power cut leaves, and what is on its way from one to the other.
struct SimulatedFile {
    enum Write {
        case bytes([UInt8], at: Int)
        case length(Int)
    }

    /// What every program reads: the disk with what the operating system still holds in memory.
    private(set) var seen: [UInt8] = []
    /// What is on the disk for certain.
    private(set) var durable: [UInt8] = []
    /// Written, and not synced.
    private(set) var pending: [Write] = []
    /// Whether the file itself is on the disk.
    private(set) var isDurable = false

    mutating func write(_ write: Write) {
        Self.apply(write, to: &seen)
        pending.append(write)
    }

    mutating func sync() {
        for write in pending { Self.apply(write, to: &durable) }
        pending = []
        isDurable = true
    }

    /// A sync that fails. As on Linux, what it should have written counts as written from then on: programs still read
    /// it, later syncs succeed without it, and each part of it may or may not have reached the disk.
    mutating func failSync(_ random: inout SeededRandom) {
        for write in pending where random.chance(50) { Self.apply(write, to: &durable) }
        pending = []
    }

    /// The file after a power cut: every write that was not synced is there, or torn, or not. Nil when there is no file.
    func afterPowerCut(_ random: inout SeededRandom) -> SimulatedFile? {
        var file = SimulatedFile()
        file.seen = durable
        let survival = random.one(of: [0, 50, 90], or: 0)
        var exists = isDurable
        for write in pending where random.chance(survival) {
            exists = true
            switch write {
            case .bytes(let bytes, let offset) where random.chance(20):
                let sectors = Int(random.number(in: 0...Int64(bytes.count / 512)))
                Self.apply(.bytes(Array(bytes.prefix(sectors * 512)), at: offset), to: &file.seen)
            case .bytes, .length: Self.apply(write, to: &file.seen)
            }
        }
        file.durable = file.seen
        file.isDurable = true
        return exists ? file : nil
    }

    private static func apply(_ write: Write, to content: inout [UInt8]) {
        switch write {
        case .bytes(let bytes, let offset):
            if content.count < offset { content += [UInt8](repeating: 0, count: offset - content.count) }
            let covered = min(bytes.count, content.count - offset)
            bytes.withUnsafeBytes { bytes in
                content.withUnsafeMutableBytes { content in
                    let target = UnsafeMutableRawBufferPointer(rebasing: content[offset..<(offset + covered)])
                    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<covered]))
                }
            }
            if covered < bytes.count { content += covered == 0 ? bytes : Array(bytes[covered...]) }
        case .length(let length):
            if length < content.count { content.removeLast(content.count - length) }
            if length > content.count { content += [UInt8](repeating: 0, count: length - content.count) }
        }
    }
}

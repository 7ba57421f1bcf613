/// Memory for what a rule makes: handed out by moving a pointer, taken back all at once, kept for the next evaluation.
struct Arena {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var current = 0
    private var used = 0
    /// What one evaluation may still take.
    private var remaining = 0
    /// Rules can double a text again and again; nothing sensible needs more.
    private static let largestTotal = 1 << 20
    private static let chunkSize = 4_096

    /// Takes everything back.
    @inline(__always)
    mutating func reset() {
        current = 0
        used = 0
        remaining = Self.largestTotal
    }

    /// Memory aligned to eight bytes; nil when the evaluation has had its share.
    mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count >= 0, count <= remaining else { return nil }
        let size = (count + 7) & ~7
        remaining -= size
        while current < chunks.count {
            if used + size <= chunks[current].count, let base = chunks[current].baseAddress {
                defer { used += size }
                return base + used
            }
            current += 1
            used = 0
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, Self.chunkSize), alignment: 16)
        chunks.append(chunk)
        used = size
        return chunk.baseAddress
    }

    /// Memory for nodes.
    mutating func allocateNodes(_ count: Int) -> UnsafeMutablePointer<TapeNode>? {
        let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<TapeNode>.stride)
        return overflow ? nil : allocate(size)?.bindMemory(to: TapeNode.self, capacity: count)
    }

    func deallocate() {
        for chunk in chunks { chunk.deallocate() }
    }
}

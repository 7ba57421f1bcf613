/// Where a flag set's compiled parts lie: addresses only, to be passed about freely while the owner lives.
struct ProgramTables {
    var code: UnsafeMutablePointer<Instruction>
    var constants: UnsafeMutablePointer<Value>
    var splits: UnsafeMutablePointer<Split>
    var shares: UnsafeMutablePointer<Share>
    var versions: UnsafeMutablePointer<SemanticVersion>
    var lists: UnsafeMutablePointer<MemberList>
    var members: UnsafeMutablePointer<Value>
    /// The path of each slot.
    var paths: UnsafeMutablePointer<Value>
    var slotCount: Int
    /// Open addressing by name, for the slots whose path is one name at the root of the context.
    var names: UnsafeMutablePointer<SlotEntry>
    var nameMask: Int
    /// What the largest program needs.
    var stackDepth: Int
    var loopDepth: Int
}

/// The compiled rules of a flag set, and everything that they point to.
///
/// `@unchecked Sendable` because nothing is written after `init`, the document of the constants included.
final class Program: @unchecked Sendable {
    /// No rules at all: what a machine has before its first.
    static let empty = Program(RuleCompiler(evaluators: JSONObject()))

    let tables: ProgramTables
    /// Holds what the constants point to.
    private let constants: JSONDocument

    init(_ compiler: RuleCompiler) {
        constants = JSONDocument(trusted: .array(compiler.constants))
        let root = constants.record(constants.root)
        var values = root.pointee.kind == .array ? root.elements.map { Value($0) } : []
        // Only if the constants could not be read back, which their writer rules out.
        while values.count < compiler.constants.count { values.append(.null) }
        let paths = compiler.slots.map { values[Int($0)] }
        var lists: [MemberList] = []
        var members: [Value] = []
        for list in compiler.memberLists {
            let places = Self.places(of: list.map { values[Int($0)] })
            lists.append(
                MemberList(
                    first: Int32(truncatingIfNeeded: members.count), count: Int32(truncatingIfNeeded: places.count)))
            members += places
        }
        let (names, mask) = Self.names(of: paths)
        tables = ProgramTables(
            code: Self.copy(compiler.code), constants: Self.copy(values), splits: Self.copy(compiler.splits),
            shares: Self.copy(compiler.shares),
            versions: Self.copy(compiler.versions.map { SemanticVersion(values[Int($0)].text) ?? SemanticVersion() }),
            lists: Self.copy(lists), members: Self.copy(members), paths: Self.copy(paths), slotCount: paths.count,
            names: Self.copy(names), nameMask: mask, stackDepth: compiler.deepestStack, loopDepth: compiler.deepestLoop)
    }

    deinit {
        tables.code.deallocate()
        tables.constants.deallocate()
        tables.splits.deallocate()
        tables.shares.deallocate()
        tables.versions.deallocate()
        tables.lists.deallocate()
        tables.members.deallocate()
        tables.paths.deallocate()
        tables.names.deallocate()
    }

    /// The elements in memory of their own; none of them needs to be destroyed.
    static func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        elements.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { memory.initialize(from: start, count: source.count) }
        }
        return memory
    }

    /// A short list as it is, a longer one as a hash table; see `MemberList`.
    private static func places(of members: [Value]) -> [Value] {
        guard members.count > MemberList.largestSearched else { return members }
        var size = 16
        while size < members.count * 2 { size *= 2 }
        var places = [Value](repeating: .absent, count: size)
        for member in members {
            var place = Int(member.hash) & (size - 1)
            while places[place].kind != .absent { place = (place + 1) & (size - 1) }
            places[place] = member
        }
        return places
    }

    private static func names(of paths: [Value]) -> ([SlotEntry], mask: Int) {
        var size = 16
        while size < paths.count * 2 { size *= 2 }
        var entries = [SlotEntry](repeating: SlotEntry(fingerprint: 0, slot: -1), count: size)
        for (slot, path) in paths.enumerated() where path.isName {
            let fingerprint = fingerprint(of: path.address, count: Int(path.length))
            var place = Int(fingerprint) & (size - 1)
            while entries[place].slot >= 0 { place = (place + 1) & (size - 1) }
            entries[place] = SlotEntry(fingerprint: fingerprint, slot: Int32(truncatingIfNeeded: slot))
        }
        return (entries, size - 1)
    }
}

extension Value {
    /// Whether a path is one name at the root of the context, and none that the evaluator adds.
    var isName: Bool {
        isString && length > 0 && !text.contains(0x2E) && !text.equals("$flagd")
    }

    /// A hash under which strictly equal scalars are found: numbers by their value, whether whole or not.
    @inline(__always)
    var hash: UInt32 {
        switch kind {
        case .string: return fingerprint(of: address, count: Int(length))
        case .integer, .float:
            let bits = (asDouble == 0 ? 0 : asDouble).bitPattern &* 0x9E37_79B9_7F4A_7C15
            return UInt32(truncatingIfNeeded: bits >> 32)
        default: return UInt32(truncatingIfNeeded: payload)
        }
    }
}

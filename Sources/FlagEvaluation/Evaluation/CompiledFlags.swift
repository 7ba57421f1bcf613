#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is known of a flag when it is evaluated.
struct CompiledFlag {
    enum Mode: UInt8 {
        case disabled, broken
        /// There is no targeting.
        case constant
        case targeting
    }

    var mode: Mode
    var readsClock: Bool
    var bucketing: Bucketing
    var variantCount: Int32
    /// Where the program begins.
    var entry: Int32
    /// The default variant, or -1.
    var defaultVariant: Int32
    /// Where the names of the variants begin.
    var firstVariant: Int32
    var key: Value

    /// The answer when targeting does not decide: without a default, whatever the reason was to be, DEFAULT.
    @inline(__always)
    func fallback(_ reason: Reason) -> EvaluationOutcome {
        defaultVariant >= 0 ? EvaluationOutcome(Int(defaultVariant), reason) : EvaluationOutcome(nil, .default)
    }
}

/// A flag set's content.
///
/// `@unchecked Sendable` because nothing is written after `init`.
final class CompiledFlags: @unchecked Sendable {
    /// In the order of the keys' UTF-8.
    let definitions: [FlagDefinition]
    let faults: [FlagError?]
    let metadata: JSONObject
    /// The cohorts as they are written, for explanations.
    let evaluators: JSONObject
    let program: Program
    let flags: UnsafeMutablePointer<CompiledFlag>
    let flagCount: Int
    let readsClock: Bool
    private let names: UnsafeMutablePointer<Value>
    /// Open addressing: indices of flags, or -1; a power of two, at most half full.
    private let table: UnsafeMutablePointer<Int32>
    private let tableMask: Int
    /// What the next revision begins with.
    private let compiler: RuleCompiler
    private let parts: [Part]
    /// What the compiler held when everything was last compiled.
    private let baseline: (code: Int, constants: Int)

    /// What is known of a flag besides its record, for the next revision.
    private struct Part {
        let key: Int32
        let names: [Int32]
        /// With what it was compiled: the cohorts that it names.
        let cohorts: Set<String>
    }

    /// Compiles flags, but takes those over that a set before has compiled already from the same definition.
    init(
        _ flags: [FlagDefinition], _ evaluators: JSONObject, _ metadata: JSONObject, updating last: CompiledFlags?
    ) {
        definitions = Self.ordered(flags)
        self.metadata = metadata
        self.evaluators = evaluators
        flagCount = definitions.count

        let previous = last.flatMap { $0.isWorthKeeping ? $0 : nil }
        var compiler = previous?.compiler ?? RuleCompiler(evaluators: evaluators)
        compiler.evaluators = evaluators
        var compiled: [CompiledFlag] = []
        var parts: [Part] = []
        var faults: [FlagError?] = []
        compiled.reserveCapacity(flagCount)
        var nameCount: Int32 = 0
        var hint = 0
        for flag in definitions {
            if let previous, let index = previous.index(of: flag, near: &hint, with: evaluators) {
                var record = previous.flags[index]
                record.firstVariant = nameCount
                compiled.append(record)
                faults.append(previous.faults[index])
                parts.append(previous.parts[index])
            } else {
                let (record, fault) = Self.compile(flag, firstVariant: nameCount, &compiler)
                compiled.append(record)
                faults.append(fault)
                let isRule = flag.targeting != nil
                parts.append(
                    Part(
                        key: compiler.constant(.string(flag.key)),
                        names: flag.variants.map { compiler.constant(.string($0.name)) },
                        cohorts: isRule ? compiler.usedCohorts : []))
            }
            nameCount += Int32(truncatingIfNeeded: flag.variants.count)
        }
        self.faults = faults
        self.parts = parts
        self.compiler = compiler
        baseline = previous?.baseline ?? (compiler.code.count, compiler.constants.count)
        program = Program(compiler)
        let values = program.tables.constants
        for index in compiled.indices { compiled[index].key = values[Int(parts[index].key)] }
        names = Program.copy(parts.flatMap { $0.names.map { values[Int($0)] } })
        readsClock = compiled.contains { $0.readsClock }
        self.flags = Program.copy(compiled)
        (table, tableMask) = Self.table(of: compiled)
    }

    /// The flags in the order of their keys' UTF-8, of two with one key the later. Most come in that order.
    private static func ordered(_ flags: [FlagDefinition]) -> [FlagDefinition] {
        let pairs = zip(flags, flags.dropFirst())
        if pairs.allSatisfy({ order(of: $0.key, $1.key) < 0 }) { return flags }
        let keys = flags.map(\.key)
        let places = flags.indices.sorted { left, right in
            let order = order(of: keys[left], keys[right])
            return order == 0 ? left < right : order < 0
        }
        return places.indices.compactMap { index in
            let next = index + 1
            let isReplaced = next < places.count && order(of: keys[places[index]], keys[places[next]]) == 0
            return isReplaced ? nil : flags[places[index]]
        }
    }

    /// Negative when the first key comes first, 0 when both are the same bytes.
    private static func order(of left: String, _ right: String) -> Int {
        let order = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right -> Int in
                guard let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count - right.count
                }
                let difference = memcmp(first, second, min(left.count, right.count))
                return difference == 0 ? left.count - right.count : Int(difference)
            }
        }
        if let order = order ?? nil { return order }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : left.utf8.elementsEqual(right.utf8) ? 0 : 1
    }

    /// Whether the compiler holds not too much that nobody uses any more.
    private var isWorthKeeping: Bool {
        compiler.code.count <= baseline.code * 2 + 1_024 && compiler.constants.count <= baseline.constants * 2 + 1_024
    }

    /// Where the same flag stands, if it would be compiled alike with those cohorts.
    private func index(of flag: FlagDefinition, near hint: inout Int, with evaluators: JSONObject) -> Int? {
        guard let index = index(of: flag, near: &hint),
            parts[index].cohorts.allSatisfy({ evaluators[$0] == compiler.evaluators[$0] })
        else { return nil }
        return index
    }

    /// Where the same definition stands. The hint is where the one before it stood, and is moved on: sets that follow
    /// one another are almost the same, and the places lie side by side.
    func index(of flag: FlagDefinition, near hint: inout Int) -> Int? {
        for place in hint..<min(hint + 2, definitions.count) where definitions[place].isCopy(of: flag) {
            hint = place + 1
            return place
        }
        var key = flag.key
        guard let index = key.withUTF8({ index(ofKey: UnsafeRawBufferPointer($0)) }) else { return nil }
        hint = index + 1
        return definitions[index] == flag ? index : nil
    }

    deinit {
        flags.deallocate()
        names.deallocate()
        table.deallocate()
    }

    private static func compile(
        _ flag: FlagDefinition, firstVariant: Int32, _ compiler: inout RuleCompiler
    ) -> (CompiledFlag, FlagError?) {
        var record = CompiledFlag(
            mode: .constant, readsClock: false, bucketing: flag.bucketing,
            variantCount: Int32(truncatingIfNeeded: flag.variants.count), entry: 0,
            defaultVariant: flag.defaultVariant.map { Int32(truncatingIfNeeded: $0) } ?? -1,
            firstVariant: firstVariant, key: .null)
        if let fault = flag.fault {
            record.mode = .broken
            return (record, fault)
        }
        guard flag.isEnabled else {
            record.mode = .disabled
            return (record, nil)
        }
        guard let targeting = flag.targeting else { return (record, nil) }
        var variants: [String: Int32] = [:]
        for (index, variant) in flag.variants.enumerated() { variants[variant.name] = Int32(index) }
        do throws(FlagError) {
            record.entry = try compiler.compile(targeting, variants: variants)
            record.mode = .targeting
            record.readsClock = compiler.readsClock
            return (record, nil)
        } catch {
            record.mode = .broken
            return (record, error)
        }
    }

    private static func table(of flags: [CompiledFlag]) -> (UnsafeMutablePointer<Int32>, mask: Int) {
        var size = 8
        while size < flags.count * 2 { size *= 2 }
        let table = UnsafeMutablePointer<Int32>.allocate(capacity: size)
        table.initialize(repeating: -1, count: size)
        for (index, flag) in flags.enumerated() {
            var place = Int(fingerprint(of: flag.key.address, count: Int(flag.key.length))) & (size - 1)
            while table[place] >= 0 { place = (place + 1) & (size - 1) }
            table[place] = Int32(truncatingIfNeeded: index)
        }
        return (table, size - 1)
    }

    func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        let key = Value(text: key)
        var place = Int(fingerprint(of: key.address, count: Int(key.length))) & tableMask
        while table[place] >= 0 {
            let index = Int(table[place])
            if flags[index].key.isSameText(as: key) { return index }
            place = (place + 1) & tableMask
        }
        return nil
    }

    /// What a value that targeting gave means: a variant's name, or a boolean that names one.
    func outcome(of flag: CompiledFlag, _ value: Value) -> EvaluationOutcome {
        let name: Value
        switch value.kind {
        case .null, .absent: return flag.fallback(.default)
        // Not a number is what operators make of arguments that are no numbers: it counts as null.
        case .float where value.float.isNaN: return flag.fallback(.default)
        case .string: name = value
        case .bool: name = Value(literal: value.payload != 0 ? "true" : "false")
        default: return .failed(.general)
        }
        for index in 0..<Int(flag.variantCount) where names[Int(flag.firstVariant) + index].isSameText(as: name) {
            return EvaluationOutcome(index, .targetingMatch)
        }
        return .failed(.general)
    }
}

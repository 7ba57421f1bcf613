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
    func fallback(_ reason: Reason) -> Outcome {
        defaultVariant >= 0 ? Outcome(Int(defaultVariant), reason) : Outcome(nil, .default)
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
    let program: Program
    let flags: UnsafeMutablePointer<CompiledFlag>
    let flagCount: Int
    let readsClock: Bool
    private let names: UnsafeMutablePointer<Value>
    /// Open addressing: indices of flags, or -1; a power of two, at most half full.
    private let table: UnsafeMutablePointer<Int32>
    private let tableMask: Int

    init(_ flags: [FlagDefinition], _ evaluators: JSONObject, _ metadata: JSONObject) {
        var latest: [[UInt8]: FlagDefinition] = [:]
        for flag in flags { latest[Array(flag.key.utf8)] = flag }
        definitions = latest.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        self.metadata = metadata
        flagCount = definitions.count

        var compiler = RuleCompiler(evaluators: evaluators)
        var compiled: [CompiledFlag] = []
        var constants: [(key: Int32, names: [Int32])] = []
        var faults: [FlagError?] = []
        var nameCount: Int32 = 0
        for flag in definitions {
            let (record, fault) = Self.compile(flag, firstVariant: nameCount, &compiler)
            compiled.append(record)
            faults.append(fault)
            constants.append(
                (compiler.constant(.string(flag.key)), flag.variants.map { compiler.constant(.string($0.name)) }))
            nameCount += record.variantCount
        }
        self.faults = faults
        program = Program(compiler)
        let values = program.tables.constants
        for index in compiled.indices { compiled[index].key = values[Int(constants[index].key)] }
        names = Program.copy(constants.flatMap { $0.names.map { values[Int($0)] } })
        readsClock = compiled.contains { $0.readsClock }
        self.flags = Program.copy(compiled)
        (table, tableMask) = Self.table(of: compiled)
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
            mode: .constant, readsClock: false, variantCount: Int32(truncatingIfNeeded: flag.variants.count), entry: 0,
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
    func outcome(of flag: CompiledFlag, _ value: Value) -> Outcome {
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
            return Outcome(index, .targetingMatch)
        }
        return .failed(.general)
    }
}

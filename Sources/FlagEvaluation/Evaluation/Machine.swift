/// Runs compiled rules. Holds the storage that an evaluation needs and keeps it for the next.
struct Machine {
    /// A loop that is running.
    struct Loop {
        var cursor: UnsafeMutablePointer<TapeNode>
        var remaining: UInt32
        /// Where `map` and `filter` write; the first node is the array's own.
        var output: UnsafeMutablePointer<TapeNode>?
        var written: Int
        var accumulator: Value
        /// The element of the loop around this one.
        var outer: Value
        /// Containers that rules made, within one another, in what has been written.
        var depth: UInt32
    }

    var stack = UnsafeMutablePointer<Value>.allocate(capacity: 16)
    private var stackCapacity = 16
    var loops = UnsafeMutablePointer<Loop>.allocate(capacity: 2)
    private var loopCapacity = 2
    /// What lies at the paths of the flag set in the current context, as far as a rule has asked.
    private var slots = UnsafeMutablePointer<Value>.allocate(capacity: 16)
    /// The context for which a slot was filled; another number means that it was not.
    private var stamps = UnsafeMutablePointer<UInt32>.allocate(capacity: 16)
    private var slotCapacity = 16
    private var context: UInt32 = 0

    var tables: ProgramTables
    var arena = Arena()
    var root = Value.null
    /// What a loop is working on.
    var element = Value.null
    /// The steps that this evaluation may still take.
    var steps = 0
    /// The value of a program that ended with `Ending.value`.
    var result = Value.null

    /// Enough for every sensible rule, and over in a few milliseconds even so.
    private static let mostSteps = 200_000

    init(tables: ProgramTables) {
        self.tables = tables
        stamps.initialize(repeating: 0, count: slotCapacity)
    }

    /// Makes ready for a flag set and a context. What the slots held is forgotten.
    mutating func begin(_ tables: ProgramTables, root: Value) {
        self.tables = tables
        self.root = root
        if tables.stackDepth + 1 > stackCapacity {
            stackCapacity = tables.stackDepth + 1
            stack.deallocate()
            stack = .allocate(capacity: stackCapacity)
        }
        if tables.loopDepth > loopCapacity {
            loopCapacity = tables.loopDepth
            loops.deallocate()
            loops = .allocate(capacity: loopCapacity)
        }
        context &+= 1
        if tables.slotCount > slotCapacity || context == 0 {
            slotCapacity = max(slotCapacity, tables.slotCount)
            slots.deallocate()
            stamps.deallocate()
            slots = .allocate(capacity: slotCapacity)
            stamps = .allocate(capacity: slotCapacity)
            stamps.initialize(repeating: 0, count: slotCapacity)
            context = 1
        }
        if root.kind == .object { fillSlots() }
    }

    /// Fills the slots of all names at the root of the context that rules ask for: one pass over the members costs less
    /// than a search for each.
    private mutating func fillSlots() {
        guard let node = root.node else { return }
        var key = node + 1
        for _ in 0..<node.pointee.length {
            let record = key.pointee
            let value = key + 1
            var place = Int(record.span) & tables.nameMask
            while case let entry = tables.names[place], entry.slot >= 0 {
                let slot = Int(entry.slot)
                if entry.fingerprint == record.span, record.length == tables.paths[slot].length,
                    sameBytes(record.address, tables.paths[slot].address, Int(record.length))
                {
                    slots[slot] = Value(value)
                    stamps[slot] = context
                    break
                }
                place = (place &+ 1) & tables.nameMask
            }
            key = value + Int(value.pointee.span)
        }
    }

    /// Makes ready for one flag.
    @inline(__always)
    mutating func prepare(flagKey: Value, now: Int64) {
        let key = Int(RuleCompiler.Slot.flagKey)
        let time = Int(RuleCompiler.Slot.timestamp)
        slots[key] = flagKey
        slots[time] = Value(now)
        stamps[key] = context
        stamps[time] = context
        arena.reset()
        steps = Self.mostSteps
    }

    var flagKey: Value { slots[Int(RuleCompiler.Slot.flagKey)] }
    var now: Value { slots[Int(RuleCompiler.Slot.timestamp)] }

    /// What lies at a path of the context; absent when there is nothing.
    @inline(__always)
    mutating func slot(_ index: Int32) -> Value {
        let index = Int(index)
        return stamps[index] == context ? slots[index] : fillSlot(index)
    }

    @inline(never)
    private mutating func fillSlot(_ index: Int) -> Value {
        let path = tables.paths[index]
        let isMissing = root.kind == .object && path.isName
        let value = isMissing ? .absent : rootValue(at: path.text)
        slots[index] = value
        // The object `$flagd` differs from flag to flag; everything else holds for the whole context.
        if !Self.isInjected(path.text) { stamps[index] = context }
        return value
    }

    func deallocate() {
        stack.deallocate()
        loops.deallocate()
        slots.deallocate()
        stamps.deallocate()
        arena.deallocate()
    }
}

/// What an evaluation needs besides flags and context. Kept by its user from one evaluation to the next, one a thread.
public final class EvaluationScratch {
    let machine: UnsafeMutablePointer<Machine>
    /// What the machine points to; held so that no other object can take its address meanwhile.
    private var program: Program?
    private var document: JSONDocument?
    private var parses: UInt64 = 0
    private var root = JSONDocument.Node.null

    public init() {
        machine = .allocate(capacity: 1)
        machine.initialize(to: Machine(tables: Program(RuleCompiler(evaluators: JSONObject())).tables))
    }

    deinit {
        machine.pointee.deallocate()
        machine.deinitialize(count: 1)
        machine.deallocate()
    }

    /// Makes the machine ready, unless it is: evaluating all flags for one context looks each attribute up once.
    @inline(__always)
    func prepare(_ program: Program, _ context: borrowing EvaluationContext) {
        if self.program === program, document === context.document, parses == context.document.parses,
            root == context.root
        {
            return
        }
        begin(program, context)
    }

    @inline(never)
    private func begin(_ program: Program, _ context: borrowing EvaluationContext) {
        if self.program !== program { self.program = program }
        if document !== context.document { document = context.document }
        parses = context.document.parses
        root = context.root
        machine.pointee.begin(program.tables, root: Value(context.document.record(context.root)))
    }
}

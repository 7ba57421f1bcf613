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
    /// What counts instead of members of the root.
    private(set) var replacements: (targetingKey: Value, name: Value, attribute: Value)?
    /// How splits of the current flag bucket.
    var bucketing = Bucketing.v2
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
    mutating func begin(_ tables: ProgramTables, root: Value, _ replacements: Replacements, in document: JSONDocument) {
        self.tables = tables
        self.root = root
        self.replacements = nil
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
        if !replacements.isEmpty {
            let attribute = Value(document.record(replacements.attribute))
            let unit = Value(document.record(replacements.targetingKey))
            self.replacements = (unit, Value(literal: replacements.name), attribute)
            fillSlot(of: Value(literal: replacements.name), with: attribute)
            fillSlot(of: Value(literal: Replacements.targetingKey), with: unit)
        }
    }

    /// Fills the slots of all names at the root of the context that rules ask for: one pass over the members costs less
    /// than a search for each.
    private mutating func fillSlots() {
        guard let node = root.node else { return }
        var key = node + 1
        for _ in 0..<node.pointee.length {
            let value = key + 1
            let slot = slot(ofName: key.pointee.address, Int(key.pointee.length), fingerprint: key.pointee.span)
            if slot >= 0 {
                slots[slot] = Value(value)
                stamps[slot] = context
            }
            key = value + Int(value.pointee.span)
        }
    }

    private mutating func fillSlot(of name: Value, with value: Value) {
        let count = Int(name.length)
        let slot = slot(ofName: name.address, count, fingerprint: fingerprint(of: name.address, count: count))
        guard slot >= 0 else { return }
        slots[slot] = value
        stamps[slot] = context
    }

    /// The slot of a name at the root of the context; -1 when no rule asks for it.
    @inline(__always)
    private func slot(ofName name: UnsafeRawPointer, _ count: Int, fingerprint: UInt32) -> Int {
        var place = Int(fingerprint) & tables.nameMask
        while case let entry = tables.names[place], entry.slot >= 0 {
            let slot = Int(entry.slot)
            if entry.fingerprint == fingerprint, count == Int(tables.paths[slot].length),
                sameBytes(name, tables.paths[slot].address, count)
            {
                return slot
            }
            place = (place &+ 1) & tables.nameMask
        }
        return -1
    }

    /// Makes ready for one flag.
    @inline(__always)
    mutating func prepare(flagKey: Value, bucketing: Bucketing, now: Int64) {
        self.bucketing = bucketing
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
    var targetingKey: Value { mutating get { slot(RuleCompiler.Slot.targetingKey) } }
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
        // What is made in the arena lives for one flag: the object `$flagd`, and the root with what was replaced in it.
        // Everything else holds for the whole context.
        let isMade = Self.isInjected(path.text) || (path.length == 0 && replacements != nil)
        if !isMade { stamps[index] = context }
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
    private var replacements = Replacements()

    /// Storage for another flag set that is evaluated for the same context in turns with the first: with one storage for
    /// both, each turn would look every attribute up again.
    public private(set) lazy var companion = EvaluationScratch()

    /// Storage for ordinary rules; it grows with what flag sets need.
    public init() {
        machine = .allocate(capacity: 1)
        machine.initialize(to: Machine(tables: Program.empty.tables))
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
            root == context.root, replacements.isSame(as: context.replacements)
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
        replacements = context.replacements
        machine.pointee.begin(
            program.tables, root: Value(context.document.record(context.root)), context.replacements,
            in: context.document)
    }
}

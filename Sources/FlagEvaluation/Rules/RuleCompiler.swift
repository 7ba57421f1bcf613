/// Turns rules into instructions over slots; one for all rules of a flag set, so that they share constants and slots.
///
/// Its recursion is bounded: a rule with its cohorts may nest `deepest` levels, whatever is stored.
struct RuleCompiler {
    /// Slots with a meaning of their own.
    enum Slot {
        static let flagKey: Int32 = 0
        static let timestamp: Int32 = 1
        /// What splits bucket by when they do not say.
        static let targetingKey: Int32 = 2
    }

    /// The cohorts by their keys.
    var evaluators: JSONObject
    var code: [Instruction] = []
    private(set) var constants: [JSONValue] = []
    private(set) var splits: [Split] = []
    private(set) var shares: [Share] = []
    /// The members of each list that attributes are looked up in.
    private(set) var memberLists: [[Int32]] = []
    private var memberListIndices: [[Int32]: Int32] = [:]
    /// The constants that are versions to compare with.
    private(set) var versions: [Int32] = []
    /// The path constant of each slot.
    private(set) var slots: [Int32] = []
    /// What the largest program needs.
    private(set) var deepestStack = 0
    private(set) var deepestLoop = 0
    /// Whether the current rule asks for the time.
    private(set) var readsClock = false
    /// The cohorts that the current rule names, itself or through others.
    private(set) var usedCohorts: Set<String> = []

    private var constantIndices: [[UInt8]: Int32] = [:]
    private var slotIndices: [Int32: Int32] = [:]
    /// How the names of the current flag's variants end a program; nil for a rule that is no flag's.
    var variants: [String: Int32]?
    /// The cohorts that are being compiled within one another.
    private var expanding: [String] = []
    private var level = 0
    private var work = 0
    private(set) var stack = 0
    private var loops = 0
    private static let deepest = 64
    /// Each part of a rule counts, and the parts of its cohorts wherever they are named.
    private static let largest = 65_536

    init(evaluators: JSONObject) {
        self.evaluators = evaluators
        slots = [constant("$flagd.flagKey"), constant("$flagd.timestamp"), constant("targetingKey")]
        for (index, path) in slots.enumerated() { slotIndices[path] = Int32(index) }
    }

    /// Compiles one rule and gives where it begins. After an error nothing of it is left but constants.
    mutating func compile(_ rule: JSONValue, variants: [String: Int32]?) throws(FlagError) -> Int32 {
        let start = code.count
        self.variants = variants
        (level, work, stack, loops, readsClock) = (0, 0, 0, 0, false)
        expanding = []
        usedCohorts = []
        do throws(FlagError) {
            try compileEnd(rule)
        } catch {
            code.removeSubrange(start...)
            throw error
        }
        return Int32(start)
    }

    // MARK: What the parts of the compiler share

    /// Counts a level while its parts are compiled.
    mutating func enter() throws(FlagError) {
        level += 1
        work += 1
        guard level <= Self.deepest else {
            throw FlagError(
                .tooDeep, at: "/targeting", "The rule and its cohorts nest in more than \(Self.deepest) levels.")
        }
        guard work <= Self.largest else {
            throw FlagError(
                .tooLarge, at: "/targeting", "The rule and its cohorts have more than \(Self.largest) parts.")
        }
    }

    mutating func leave() { level -= 1 }

    /// Compiles what a reference names, in its place.
    mutating func expand<Result>(
        _ arguments: [JSONValue], _ body: (inout RuleCompiler, JSONValue) throws(FlagError) -> Result
    ) throws(FlagError) -> Result {
        if let name = arguments.first?.string { usedCohorts.insert(name) }
        guard let name = arguments.first?.string, let rule = evaluators[name] else {
            throw FlagError(.unresolvedReference, at: "/targeting", "The rule names a cohort that does not exist.")
        }
        guard !expanding.contains(name) else {
            throw FlagError(.cohortCycle, at: "/targeting", "The cohort \"\(name)\" names itself.")
        }
        expanding.append(name)
        let result = try body(&self, rule)
        expanding.removeLast()
        return result
    }

    /// Adds an instruction that leaves so many more values on the stack than it found.
    @discardableResult
    mutating func emit(_ instruction: Instruction, leaves change: Int) -> Int {
        code.append(instruction)
        stack += change
        deepestStack = max(deepestStack, stack)
        return code.count - 1
    }

    /// Lets jumps lead to what comes next.
    mutating func land(_ jumps: [Int]) {
        for jump in jumps { code[jump].target = Int32(code.count) }
    }

    /// Says that what comes next is reached with so many values on the stack.
    mutating func resume(with depth: Int) { stack = depth }

    mutating func enterLoop() {
        loops += 1
        deepestLoop = max(deepestLoop, loops)
    }

    mutating func leaveLoop() { loops -= 1 }

    /// Whether paths begin at the element of a loop.
    var isInLoop: Bool { loops > 0 }

    mutating func constant(_ value: JSONValue) -> Int32 {
        var key: [UInt8] = []
        value.write(to: &key)
        if let index = constantIndices[key] { return index }
        constants.append(value)
        let index = Int32(constants.count - 1)
        constantIndices[key] = index
        return index
    }

    mutating func slot(_ path: String) -> Int32 {
        let constant = constant(.string(path))
        let index = slotIndices[constant] ?? Int32(slots.count)
        if index == slots.count {
            slots.append(constant)
            slotIndices[constant] = index
        }
        if index == Slot.timestamp || path == "$flagd" { readsClock = true }
        return index
    }

    /// Notes that what a path leads to is only known when it runs: it may be the time.
    mutating func noteAnyPath() { readsClock = true }

    mutating func memberList(_ members: [JSONValue]) -> Int32 {
        let members = members.map { constant($0) }
        if let index = memberListIndices[members] { return index }
        memberLists.append(members)
        let index = Int32(memberLists.count - 1)
        memberListIndices[members] = index
        return index
    }

    mutating func version(_ constant: Int32) -> Int32 {
        versions.append(constant)
        return Int32(versions.count - 1)
    }

    mutating func split(_ entries: [(end: UInt32, constant: Int32, ending: Int32)]) -> Int32 {
        splits.append(
            Split(total: entries.last?.end ?? 0, first: Int32(shares.count), count: Int32(entries.count)))
        shares += entries.map { Share(end: $0.end, constant: $0.constant, ending: $0.ending) }
        return Int32(splits.count - 1)
    }
}

/// One step of a compiled rule.
struct Instruction {
    var operation: Operation
    /// What is tested of two values.
    var test = Test.equal
    /// What a loop makes of its elements.
    var loop = LoopKind.map
    /// The truth that makes a jump, or another choice of two.
    var flag = false
    var a: Int32 = 0
    var b: Int32 = 0
    /// Where a jump leads.
    var target: Int32 = 0

    enum Operation {
        /// Push constant a.
        case constant
        /// Push slot a; `slotOrElse` leaves for the target if the slot holds something, and else (for null too, as flagd
        /// has it) pushes nothing.
        case slot, slotOrElse
        /// The same for path constant a within the element that is being worked on.
        case element, elementOrElse
        /// Pop a fallback and a path, push what lies there. Flag: within the element.
        case path
        /// Pop a values, push an array of them.
        case array
        case jump
        /// Pop; leave for the target if its truth is the flag.
        case jumpIf
        /// Leave for the target, keeping the top, if its truth is the flag; else pop.
        case keepIf
        /// Leave for the target if the truth of slot a is the flag.
        case testTruth
        /// Leave for the target if the test of slot a against constant b has the flag's truth. The first two know that
        /// the constant is a text (and ask whether it is the same) or a whole number.
        case testText, testInteger, test
        /// The same against the members of list b.
        case testMember
        /// The same against version b.
        case testVersion
        /// Pop two, push whether the test holds.
        case compare
        /// Pop three, push whether the test holds between the first two and between the last two.
        case between
        case not, truth
        /// Pop a numbers, push the result.
        case add, multiply, subtract, divide, remainder, minimum, maximum
        /// Pop a values.
        case concatenate, substring, merge, missing, missingSome, semanticVersion
        /// Pop an array (and below it an initial value for `reduce`) and begin with its first element, or push what an
        /// empty one gives and leave for the target.
        case loop
        /// Pop what the body gave and go on with the next element at the target, or push the result.
        case next
        /// Pop a pairs of variant and weight, and with the flag what to bucket by below them; push the variant.
        case fractional
        /// Push the variant of split a. Flag: what to bucket by is popped; but if that is an array and there is a target,
        /// leave for it.
        case split
        /// The same, and end with that variant.
        case splitAndEnd
        /// End with variant a, or with one of `Ending`.
        case endWithVariant
        /// Pop and end with that value.
        case endWithValue
    }
}

/// How a program ends other than with a variant.
enum Ending {
    /// Null: the default applies.
    static let null: Int32 = -1
    /// Something that names no variant.
    static let general: Int32 = -2
    /// A value that is still to be looked at.
    static let value: Int32 = -3
    /// The rule took more steps or memory than an evaluation may.
    static let exhausted: Int32 = -4
}

/// What can be tested of two values.
enum Test {
    case equal, strictlyEqual, notEqual, strictlyNotEqual, less, lessOrEqual, greater, greaterOrEqual
    case contains, startsWith, endsWith
    /// `sem_ver`.
    case versionEqual, versionNotEqual, versionGreater, versionLess, versionGreaterOrEqual, versionLessOrEqual
    case versionSameMinor, versionSameMajor

    init?(_ known: Operator) {
        switch known {
        case .equal: self = .equal
        case .strictlyEqual: self = .strictlyEqual
        case .notEqual: self = .notEqual
        case .strictlyNotEqual: self = .strictlyNotEqual
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        case .contains: self = .contains
        case .startsWith: self = .startsWith
        case .endsWith: self = .endsWith
        default: return nil
        }
    }

    /// The test that gives the same with the sides exchanged.
    var mirrored: Test? {
        switch self {
        case .equal, .strictlyEqual, .notEqual, .strictlyNotEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}

/// What a loop makes of its elements.
enum LoopKind {
    case map, filter, reduce, all, none, some
}

/// A list of literals that attributes are looked up in.
struct MemberList {
    /// Where its members stand in the table.
    let first: Int32
    /// How many places it has there. Up to `largestSearched` are searched one by one; more are a hash table whose size
    /// is a power of two, with absent values in the free places.
    let count: Int32
    static let largestSearched: Int32 = 8
}

/// Where a name at the root of the context is looked up: the slot of that path.
struct SlotEntry {
    let fingerprint: UInt32
    /// -1 in a free place.
    let slot: Int32
}

/// A split whose variants and weights are all known.
struct Split {
    /// The sum of the weights.
    let total: UInt32
    /// Where its shares stand in the table.
    let first: Int32
    let count: Int32
}

/// One share of a split.
struct Share {
    /// The sum of the weights up to and including this one.
    let end: UInt32
    /// The constant, and the variant or ending, that it gives.
    let constant: Int32
    let ending: Int32
}

import FlagEvaluation

/// What two recordings need not agree in, written down with who answers for it.
public struct ParityRules: Hashable, Sendable {
    /// A member of events whose value differs from run to run. It must still be there, with the same JSON type.
    public struct Volatile: Hashable, Sendable {
        /// The event's name; nil for every event.
        public let event: String?
        /// The member's name.
        public let prop: String
    }

    /// A difference that is meant. It is listed in every result, and counts until the end of its last day.
    public struct Allowed: Hashable, Sendable {
        /// What the difference is in.
        public let dimension: ParityDimension
        /// Of which kind it is.
        public let difference: ParityFinding.Difference
        /// Exactly the subject that the finding names.
        public let subject: String
        /// Why it is meant.
        public let reason: String
        /// Who answers for it.
        public let owner: String
        /// The last day, `YYYY-MM-DD`.
        public let expires: String

        /// The allowance as it stands in a file.
        public var json: JSONObject {
            [
                "dimension": .string(dimension.rawValue), "difference": .string(difference.rawValue),
                "subject": .string(subject), "reason": .string(reason), "owner": .string(owner),
                "expires": .string(expires),
            ]
        }
    }

    /// Members of events that are not compared by value.
    public private(set) var volatile: [Volatile] = []
    /// Differences that are meant.
    public private(set) var allowed: [Allowed] = []
    /// By how much a metric may be worse, as a part of the old: 0.1 is a tenth.
    public private(set) var performanceTolerance = 0.1

    /// No difference is allowed, and performance may be worse by a tenth.
    public init() {}

    /// Rules as they stand in a file: `{"volatile": […], "allowed": […], "performanceTolerance": 0.1}`.
    public init(_ value: JSONValue) throws(ParityError) {
        do throws(LineFault) {
            guard let object = value.object else { throw LineFault("must be a JSON object") }
            _ = try LineReader(object, members: ["volatile", "allowed", "performanceTolerance"])
            volatile = try Self.list("volatile", of: object) { line throws(LineFault) in
                Volatile(event: try line.optionalName("event"), prop: try line.name("prop"))
            }
            allowed = try Self.list("allowed", of: object, Self.allowed)
            switch object["performanceTolerance"] {
            case nil: break
            case .integer(let number) where (0...10).contains(number): performanceTolerance = Double(number)
            case .float(let number) where (0...10).contains(number): performanceTolerance = number
            default: throw LineFault("must have a performanceTolerance from 0 to 10")
            }
        } catch {
            throw ParityError(.invalidRules, "The rules \(error.reason).")
        }
    }

    private static func allowed(_ line: LineReader) throws(LineFault) -> Allowed {
        let expires = try line.name("expires")
        guard expires.isDay else { throw LineFault("has an expiry that is not a day, YYYY-MM-DD") }
        let dimension: ParityDimension = try line.word("dimension")
        guard dimension != .recording else { throw LineFault("allows for an incomplete recording; nothing can") }
        return Allowed(
            dimension: dimension, difference: try line.word("difference"), subject: try line.name("subject"),
            reason: try line.name("reason"), owner: try line.name("owner"), expires: expires)
    }

    private static func list<Element>(
        _ name: String, of object: JSONObject, _ read: (LineReader) throws(LineFault) -> Element
    ) throws(LineFault) -> [Element] {
        guard let value = object[name] else { return [] }
        guard let array = value.array, array.count <= ParityLimits.rules else {
            throw LineFault("must have a list \(name) of at most \(ParityLimits.rules)")
        }
        var elements: [Element] = []
        for (index, element) in array.enumerated() {
            do throws(LineFault) {
                guard let members = element.object else { throw LineFault("is not an object") }
                let known: Set<String> =
                    name == "volatile"
                    ? ["event", "prop"] : ["dimension", "difference", "subject", "reason", "owner", "expires"]
                elements.append(try read(try LineReader(members, members: known)))
            } catch {
                throw LineFault("are wrong: /\(name)/\(index) \(error.reason)")
            }
        }
        return elements
    }
}

extension String {
    /// Whether this is `YYYY-MM-DD`. Such texts are ordered as their days are.
    var isDay: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let month = Int(parts[1]), let day = Int(parts[2])
        else { return false }
        return (1...12).contains(month) && (1...31).contains(day)
    }
}

/// The members of a JSON object in the order in which they came; equality and hashing ignore that order.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// The members, in order. Keys are unique.
    public private(set) var entries: [(key: String, value: JSONValue)]
    /// Where a key stands in `entries`; kept only for objects too large to search.
    private var positions: [String: Int]?
    private static let largestSearched = 12

    /// An object without members.
    public init() { entries = [] }

    /// An object of those members; of two with one key the later wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init()
        for (key, value) in members { self[key] = value }
    }

    /// An object of those members, or nil when two of them have one key.
    init?(unique members: some Sequence<(String, JSONValue)>) {
        self.init()
        for (key, value) in members {
            if position(of: key) != nil { return nil }
            self[key] = value
        }
    }

    /// An object of those members; of two with one key the later wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// The keys, in order.
    public var keys: [String] { entries.map(\.key) }
    /// How many members there are.
    public var count: Int { entries.count }
    /// Whether there is no member.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a member; setting nil removes the member, setting a new key appends it.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { entries[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil):
                entries.remove(at: index)
                reindex()
            case (nil, let value?):
                entries.append((key, value))
                if positions != nil {
                    positions?[key] = entries.count - 1
                } else if entries.count > Self.largestSearched {
                    reindex()
                }
            case (nil, nil): break
            }
        }
    }

    private func position(of key: String) -> Int? {
        if let positions { return positions[key] }
        return entries.firstIndex { $0.key == key }
    }

    private mutating func reindex() {
        guard entries.count > Self.largestSearched else {
            positions = nil
            return
        }
        positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
    }
}

extension JSONObject: Hashable {
    /// The same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        // Values are compared between revisions, and most are then copies that still share their storage.
        let isShared = left.entries.withUnsafeBufferPointer { left in
            right.entries.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
        }
        return isShared || left.entries.allSatisfy { right[$0.key] == $0.value }
    }

    /// Does not depend on the order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in entries {
            var member = Hasher()
            member.combine(key)
            member.combine(value)
            sum ^= member.finalize()
        }
        hasher.combine(sum)
    }
}

import FlagEvaluation
import RouteContract

extension ProgrammeStatus {
    /// `{"routes", "stages", "statuses", "kinds", "needs", "more"}`: numbers of routes, numbers of needs, and of those so
    /// many at the most, with how many there are beyond.
    package func json(mostNeeds most: Int) -> JSONObject {
        let kinds = Dictionary(needs.map { ($0.kind, 1) }, uniquingKeysWith: +)
        let listed = needs.prefix(max(0, most))
        return [
            "routes": .integer(Int64(statuses.values.reduce(0, +))), "stages": .object(Self.json(of: stages)),
            "statuses": .object(Self.json(of: statuses)), "kinds": .object(Self.json(of: kinds)),
            "needs": .objects(listed.map(\.json)), "more": .integer(Int64(needs.count - listed.count)),
        ]
    }

    /// Every word with its number, in the order of the words.
    private static func json<Word>(of counts: [Word: Int]) -> JSONObject
    where Word: CaseIterable & RawRepresentable<String> {
        JSONObject(Word.allCases.map { ($0.rawValue, .integer(Int64(counts[$0] ?? 0))) })
    }
}

extension Need {
    fileprivate var json: JSONObject {
        [
            "kind": .string(kind.rawValue), "urgency": .integer(Int64(kind.urgency)), "route": .string(route),
            "owner": .text(owner), "since": .number(since), "why": .string(why), "remedy": .string(remedy),
        ]
    }
}

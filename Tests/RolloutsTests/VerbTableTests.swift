import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

/// Where each verb leads from each stage, status and step of a ladder of two steps. `·` is refused, `=` leaves all as it is.
private let table = """
    from                    advance                 retreat           hold              resume            rollback                island
    notStarted-active-0     compatible-active-0     ·                 ·                 ·                 ·                       notStarted-island-0
    notStarted-held-0       ·                       ·                 =                 notStarted-active-0 ·                     ·
    notStarted-rolledBack-0 ·                       ·                 ·                 ·                 ·                       ·
    notStarted-island-0     ·                       ·                 ·                 compatible-active-0 ·                     notStarted-island-0
    compatible-active-0     partialRollout-active-1 notStarted-active-0 ·               =                 compatible-rolledBack-0 compatible-island-0
    compatible-held-0       ·                       ·                 =                 compatible-active-0 compatible-rolledBack-0 ·
    compatible-rolledBack-0 ·                       ·                 ·                 compatible-active-0 =                     compatible-island-0
    compatible-island-0     ·                       ·                 ·                 compatible-active-0 compatible-rolledBack-0 compatible-island-0
    partialRollout-active-0 partialRollout-active-1 compatible-active-0 partialRollout-held-0 =           partialRollout-rolledBack-0 ·
    partialRollout-active-1 partialRollout-active-2 compatible-active-0 partialRollout-held-1 =           partialRollout-rolledBack-0 ·
    partialRollout-active-2 defaultNew-active-0     compatible-active-0 partialRollout-held-2 =           partialRollout-rolledBack-0 ·
    partialRollout-held-1   ·                       ·                 =                 partialRollout-active-1 partialRollout-rolledBack-0 ·
    partialRollout-held-2   ·                       ·                 =                 partialRollout-active-2 partialRollout-rolledBack-0 ·
    partialRollout-rolledBack-0 ·                   ·                 ·                 partialRollout-active-1 =                 partialRollout-island-0
    partialRollout-island-0 ·                       ·                 ·                 compatible-active-0 partialRollout-rolledBack-0 partialRollout-island-0
    defaultNew-active-0     oldDisabled-active-0    partialRollout-active-2 defaultNew-held-0 =           partialRollout-rolledBack-0 ·
    defaultNew-held-0       ·                       ·                 =                 defaultNew-active-0 partialRollout-rolledBack-0 ·
    defaultNew-rolledBack-0 ·                       ·                 ·                 ·                 partialRollout-rolledBack-0 ·
    defaultNew-island-0     ·                       ·                 ·                 ·                 partialRollout-rolledBack-0 defaultNew-island-0
    oldDisabled-active-0    oldDeleted-active-0     defaultNew-active-0 ·               ·                 partialRollout-rolledBack-0 ·
    oldDisabled-held-0      ·                       ·                 =                 oldDisabled-active-0 partialRollout-rolledBack-0 ·
    oldDisabled-rolledBack-0 ·                      ·                 ·                 ·                 partialRollout-rolledBack-0 ·
    oldDisabled-island-0    ·                       ·                 ·                 ·                 partialRollout-rolledBack-0 oldDisabled-island-0
    oldDeleted-active-0     ·                       oldDisabled-active-0 ·              ·                 ·                       ·
    oldDeleted-held-0       ·                       ·                 =                 oldDeleted-active-0 ·                     ·
    oldDeleted-rolledBack-0 ·                       ·                 ·                 ·                 ·                       ·
    oldDeleted-island-0     ·                       ·                 ·                 ·                 ·                       oldDeleted-island-0
    """

private struct Row: CustomTestStringConvertible, Sendable {
    let from: String
    /// One for each of `verbs`.
    let cells: [String]
    var testDescription: String { from }

    static let all = table.split(separator: "\n").dropFirst().map { line in
        let words = line.split(separator: " ").map(String.init)
        return Row(from: words[0], cells: Array(words.dropFirst()))
    }
}

private let verbs: [Verb] = [
    .advance(isForced: false), .retreat, .hold, .resume(cause: "fixed", step: nil), .rollback,
    .island(owner: "ana", reviewDate: "2031-01-31"),
]

private func route(_ place: String) throws -> RouteRollout {
    let parts = place.split(separator: "-").map(String.init)
    var route = RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)
    route.plan = RolloutPlan(steps: [.init(cohort: nil, share: 1_000), .init(cohort: nil, share: 100_000)])
    route.stage = try #require(Stage(rawValue: parts[0]))
    route.status = try #require(RouteStatus(rawValue: parts[1]))
    route.step = try #require(Int(parts[2]))
    if route.status == .island { route.island = Island(owner: "ana", reason: "rare", reviewDate: "2029-01-31") }
    return route
}

private func place(_ route: RouteRollout) -> String { "\(route.stage)-\(route.status)-\(route.step)" }

@Suite struct `The table of moves` {
    @Test func `covers every stage with every status`() {
        let places = Set(Row.all.map { $0.from.split(separator: "-").prefix(2).joined(separator: "-") })
        #expect(places.count == Stage.allCases.count * RouteStatus.allCases.count)
        #expect(Row.all.allSatisfy { $0.cells.count == verbs.count })
    }

    @Test(arguments: Row.all) private func `leads each verb where it says`(row: Row) throws {
        let before = try route(row.from)
        for (verb, cell) in zip(verbs, row.cells) {
            var after = before
            do throws(RolloutError) {
                try after.apply(verb, because: "rare", at: noon + day)
                #expect(cell == (after == before ? "=" : place(after)), "\(verb.name) from \(row.from)")
            } catch {
                #expect(error.code == .illegalMove && cell == "·", "\(verb.name) from \(row.from)")
                #expect(after == before)
            }
        }
    }

    @Test(arguments: Row.all) private func `names the verbs that are legal in each refusal`(row: Row) throws {
        let legal = zip(verbs, row.cells).filter { $0.1 != "·" && $0.1 != "=" }.map(\.0.name)
        let before = try route(row.from)
        #expect(before.legalVerbs == legal)
        for (verb, cell) in zip(verbs, row.cells) where cell == "·" {
            var after = before
            let error = #expect(throws: RolloutError.self) { try after.apply(verb, because: "rare", at: noon) }
            #expect(error?.details["legal"] == .strings(legal))
        }
    }
}

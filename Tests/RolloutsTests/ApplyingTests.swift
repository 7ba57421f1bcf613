import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A command` {
    @Test(arguments: ["", " ", "\n\t"]) func `needs a reason`(reason: String) throws {
        let configuration = try Configuration.example
        let error = #expect(throws: RolloutError.self) {
            try configuration.applying(.removeFlag(key: "new-search"), by: ana, reason: reason, at: noon)
        }
        #expect(error?.code == .reasonRequired)
    }

    @Test func `takes a reason of at most 500 characters`() throws {
        let configuration = try Configuration.example
        for (length, isAccepted) in [(500, true), (501, false)] {
            let reason = String(repeating: "a", count: length)
            let applied = Result {
                try configuration.applying(.removeFlag(key: "new-search"), by: ana, reason: reason, at: noon)
            }
            #expect(((try? applied.get()) != nil) == isAccepted)
        }
    }

    @Test func `moves the revision by one and stores what its rows say`() throws {
        let before = try Configuration.example
        let commands: [Command] = [
            .editFlow(key: "trips", owner: "new", journeyLifetimeSeconds: nil), .removeFlag(key: "new-search"),
            .putBuild(.app(731, [:])), .createKey(.admin("k1", fill: "a")),
            .move(.advance(isForced: false), .flow("trips")),
            .putCohort(key: "beta", rule: ["==": [1, 2]], isStrict: false),
        ]
        for command in commands {
            let applied = try before.applying(command, by: ana, reason: "a test", at: noon)
            var rebuilt = before
            for row in applied.rows { rebuilt.store(row) }
            rebuilt.revision += 1
            #expect(rebuilt == applied.configuration)
            #expect(applied.audit != nil)
        }
    }

    @Test func `is refused when revisions are used up`() throws {
        var configuration = try Configuration.example
        configuration.revision = .max
        #expect(configuration.refusal(of: .removeFlag(key: "new-search"))?.code == .revisionExhausted)
    }

    @Test func `has error codes that are spelt alike`() {
        for code in RolloutError.Code.allCases {
            #expect(code.rawValue.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
        }
    }
}

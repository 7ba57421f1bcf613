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

    @Test(
        arguments: [(40, nil, true), (40, 1, true), (39, nil, false), (41, 1, false), (40, 2, false)]
            as [(Int64, Int64?, Bool)])
    func `that is meant for a revision is refused at any other`(
        revision: Int64, epoch: Int64?, isAccepted: Bool
    ) throws {
        let configuration = try Configuration.example
        let expected = ExpectedRevision(revision: revision, epoch: epoch)
        let commands: [Command] = [
            .removeFlag(key: "new-search"), .setFlagState(key: "new-search", isEnabled: true),
            .move(.advance(isForced: true), .route("trips.edit")),
        ]
        for command in commands {
            do throws(RolloutError) {
                _ = try configuration.applying(
                    command, by: ana, reason: "a test", expecting: expected, facts: .example, at: noon)
                #expect(isAccepted)
            } catch {
                #expect(!isAccepted && error.code == .revisionChanged)
                #expect(error.details == ["revision": 40, "epoch": 1])
            }
        }
    }

    @Test(
        arguments: [
            .move(.rollback, .route("trips.edit")), .move(.rollback, .all), .move(.hold, .flow("trips")),
            .move(.rollBack(level: nil, scope: RollbackScope(app: "app")), .route("trips.edit")),
            .setFlagState(key: "new-search", isEnabled: false), .revokeKey(id: "k2"),
        ] as [Command])
    func `that stops something is carried out whatever others have changed`(command: Command) throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 1)
            .after(.createKey(.admin("k1", fill: "a"))).after(.createKey(.admin("k2", fill: "b")))
        let applied = try configuration.applying(
            command, by: ana, reason: "a test", expecting: ExpectedRevision(revision: 1), facts: .example, at: noon)
        #expect(applied.audit != nil)
    }

    @Test func `has error codes that are spelt alike`() {
        for code in RolloutError.Code.allCases {
            #expect(code.rawValue.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
        }
    }
}

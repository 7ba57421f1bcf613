import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

/// Builds, claims, moves, starts, children, what devices decided and resumes, all at random.
@Suite struct `Whatever a journey is answered` {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `is in the build that asks, and in what that says it has`(seed: UInt64) async throws {
        var random = Seeded(state: seed)
        let service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
        let sets: [[Renderer]] = [[.legacy], [.migrated], [.legacy, .migrated], []]
        var manifests: [String: [Renderer]] = [
            "app:720": [.legacy], "app:730": [.legacy, .migrated], "app:999": [.legacy],
        ]
        for (number, set) in sets.prefix(3).enumerated() {
            try await service.register("app:\(740 + number)", set)
            manifests["app:\(740 + number)"] = set
        }
        let builds = manifests.keys.sorted()
        let moves: [(String, JSONObject)] = [
            ("rollback", [:]), ("rollback", ["level": "repin-on-resume"]), ("resume", ["cause": "fixed"]),
            ("hold", [:]),
            ("rollback", ["level": "abort"]), ("resume", ["cause": "fixed"]),
        ]
        for step in 1...250 as ClosedRange<UInt64> {
            if random.next(10) == 0 {
                var (verb, body) = moves[random.next(moves.count)]
                body["reason"] = "test"
                verb = "/v1/routes/trips.edit/\(verb)"
                _ = try await service.ask(.post, verb, .object(body))
            }
            let build = builds[random.next(builds.count)]
            let claim: [Renderer]? = random.next(2) == 0 ? nil : sets[random.next(sets.count)]
            var more: JSONObject = [
                "build": .string(build), "lastProcessDied": .bool(random.next(3) == 0), "unit": "u-1",
            ]
            if let claim {
                let list = JSONValue.strings(claim.map(\.rawValue))
                more["has"] = ["trips.edit": list, "trips.detail": list]
            }
            let isResume = step > 10 && random.next(2) == 0
            let answer: Answer
            if isResume {
                answer = try await service.resume(UInt64(random.next(Int(step))), attempt: step, more)
            } else {
                more["lastProcessDied"] = nil
                if random.next(2) == 0 { more["parent"] = .string(service.journeyID(UInt64(random.next(Int(step))))) }
                if random.next(3) == 0 { more["decided"] = Self.told(&random) }
                answer = try await service.start(step, more)
                // A line of parents that is too long.
                if answer.status == 409 { continue }
            }
            // A resume of nothing, or of a journey that has ended, opens nothing.
            guard answer.status <= 201, answer.json["outcome"] == .null else { continue }
            let possible = Set(manifests[build] ?? []).intersection(claim ?? Renderer.allCases)
            for (route, choice) in answer.json["choices"]?.object?.entries ?? [] {
                let renderer = try #require(choice["renderer"]?.string.flatMap { Renderer(rawValue: $0) })
                #expect(
                    possible.contains(renderer), "seed \(seed), step \(step): \(build) \(route) \(answer.json.jsonText)"
                )
            }
        }
    }

    private static func told(_ random: inout Seeded) -> JSONValue {
        let reasons = ChoiceReason.allCases
        let choices = ["trips.edit", "trips.detail"].map { route -> (String, JSONValue) in
            let renderer: Renderer = random.next(2) == 0 ? .legacy : .migrated
            let reason = reasons[random.next(reasons.count)]
            return (route, ["renderer": .string(renderer.rawValue), "reason": .string(reason.rawValue)])
        }
        return [
            "epoch": 1, "revision": .integer(Int64(random.next(30))), "choices": .object(JSONObject(choices)),
        ]
    }

    /// SplitMix64.
    private struct Seeded {
        var state: UInt64
        mutating func next(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((word ^ word >> 31) % UInt64(max(bound, 1)))
        }
    }
}

import FlagEvaluation
import HTTPServer
import Rollouts
import Synchronization
import Testing

@testable import SignalboxServer

@Suite struct `A request while flags come and go` {
    private static let definition: JSONValue = [
        "state": "ENABLED", "variants": ["mine": "mine"], "defaultVariant": "mine",
        "targeting": ["if": [["==": [["var": "x"], 1]], "mine", "mine"]],
    ]

    /// Puts and deletes a flag that stands before all others, so that each revision has every flag at another index.
    private static func change(_ service: TestService, times: Int) async throws {
        let other: JSONValue = ["state": "ENABLED", "variants": ["other": "other"], "defaultVariant": "other"]
        for _ in 0..<times {
            let put = try await service.ask(.put, "/v1/flags/a", ["definition": other, "reason": "test"])
            let removed = try await service.ask(.delete, "/v1/flags/a?reason=test")
            #expect((put.status, removed.status) == (201, 200))
        }
    }

    @Test func `keeps to one revision, over OFREP for one key and for all`() async throws {
        let service = try TestService()
        for key in ["b", "c"] {
            _ = try await service.ask(.put, "/v1/flags/\(key)", ["definition": Self.definition, "reason": "test"])
        }
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Self.change(service, times: 150)
                isDone.set()
            }
            group.addTask {
                while !isDone.isSet {
                    let one = try await service.ask(.post, "/ofrep/v1/evaluate/flags/b")
                    #expect((one.json["key"], one.json["value"]) == ("b", "mine"))
                    let all = try await service.ask(.post, "/ofrep/v1/evaluate/flags").json["flags"]?.array ?? []
                    for item in all { #expect((item["key"] == "a") == (item["value"] == "other"), "\(item)") }
                    #expect(all.map { $0["key"]?.string }.suffix(2) == ["b", "c"])
                }
            }
            try await group.waitForAll()
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

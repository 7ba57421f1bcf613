import FlagEvaluation
import Foundation
import HTTPServer
import Storage
import Synchronization

@testable import SignalboxServer

/// The environment in which every run begins: two flows, three builds, a cohort, a flag.
enum Sample {
    /// 29 November 2026, 12:00 UTC.
    static let noon: Int64 = 1_796_040_000_000
    static let day: Int64 = 86_400_000
    static let flows = ["trips", "orders"]
    static let routes = ["trips.detail", "trips.edit", "orders.list"]
    static let builds = ["app:720", "app:730", "app:740", "app:999"]

    static func routes(of flow: String) -> [String] { routes.filter { $0.hasPrefix(flow) } }

    /// A disk with the environment on it and the key that administers it; made once.
    static let prepared: Task<(disk: SimulatedDisk, key: String), any Error> = Task { try await prepare() }

    private static func prepare() async throws -> (disk: SimulatedDisk, key: String) {
        let disk = SimulatedDisk(seed: 0)
        let folder = try DatabasePath()
        let process = try ServiceProcess(on: disk, at: folder.path, clock: { noon }, random: SeededRandom(seed: 0))
        var key = ""
        _ = try process.service.makeFirstKey { key = $0 }
        func ask(_ method: Method, _ target: String, _ body: JSONObject) async throws {
            var body = body
            body["reason"] = "sample"
            let answer = await process.send(method, target, .object(body), key: key).received()
            if answer.status > 201 { throw Unprepared(target: target, answer: answer.json) }
        }
        for flow in flows { try await ask(.post, "/v1/flows", ["key": .string(flow), "owner": "Team"]) }
        try await ask(.put, "/v1/cohorts/internal", ["rule": ["ends_with": [["var": "email"], "@example.com"]]])
        for flow in flows {
            for key in routes(of: flow) {
                try await ask(.post, "/v1/routes", route(key, in: flow))
                for metric in ["crash", "hang", "completion"] {
                    try await ask(.put, "/v1/routes/\(key)/conditions/\(metric)", condition(metric))
                }
                try await ask(.post, "/v1/routes/\(key)/conditions/freeze", [:])
                try await ask(
                    .post, "/v1/routes/\(key)/waivers",
                    ["gate": "stopConditions", "move": "defaultNew", "expiresAt": .integer(noon + 90 * day)])
            }
        }
        let manifests: [(build: String, renderers: [String])] = [
            ("app:720", ["legacy"]), ("app:730", ["legacy", "migrated"]),
        ]
        for (build, renderers) in manifests {
            try await ask(.put, "/v1/builds/\(build)", manifest(build, renderers))
        }
        try await ask(.put, "/v1/flags/search", ["definition": flag(share: 30)])
        process.close()
        SimulatedFileSystem.mount(nil, at: folder.path)
        return (disk.afterCrash(.kill), key)
    }

    private static func route(_ key: String, in flow: String) -> JSONObject {
        [
            "key": .string(key), "flow": .string(flow), "owner": "Team", "purpose": "a new screen",
            "contract": ["schemaVersion": 1, "payload": ["id": "string"], "outcomes": ["saved"]],
            "entryPoints": [["kind": "deepLink", "source": "app://screen"]], "plan": plan([20_000, 60_000]),
            "deletion": ["date": "2027-12-31", "owner": "Team"],
        ]
    }

    /// A ladder of the cohort `internal` at half, and of these shares of everybody.
    static func plan(_ shares: [Int64]) -> JSONValue {
        var steps: [JSONValue] = [["cohort": "internal", "share": 50_000]]
        for share in shares { steps.append(["cohort": nil, "share": .integer(share)]) }
        return ["steps": .array(steps)]
    }

    private static func condition(_ metric: String) -> JSONObject {
        var body: JSONObject = [
            "metric": .string(metric), "margin": 2, "alphaShare": 0.01, "action": "rollback",
        ]
        if metric == "completion" {
            body["margin"] = 0.01
            body["method"] = ["test": "confidenceSequence", "plannedUnits": 20_000]
        }
        return body
    }

    static func manifest(_ build: String, _ renderers: [String]) -> JSONObject {
        let list = JSONValue.array(renderers.map { .string($0) })
        return [
            "version": .string(build), "releasedAt": .integer(noon),
            "renderers": .object(JSONObject(routes.map { ($0, list) })),
        ]
    }

    static func flag(share: Int64) -> JSONValue {
        [
            "state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "off",
            "targeting": ["fractional": [["on", .integer(share)], ["off", .integer(100 - share)]]],
        ]
    }
}

/// Why there is no sample to begin with.
struct Unprepared: Error {
    let target: String
    let answer: JSONValue
}

/// A path for a database that no disk but a simulated one holds; the folder is for the lock file beside it.
final class DatabasePath: Sendable {
    private let folder: String
    var path: String { folder + "/signalbox.db" }

    init() throws {
        folder = NSTemporaryDirectory() + "simulation-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        SimulatedFileSystem.mount(nil, at: path)
        try? FileManager.default.removeItem(atPath: folder)
    }
}

import FlagEvaluation
import Foundation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Synchronization
import Testing

@testable import SignalboxServer

/// A service over a store in a directory of its own, asked without a socket, at a time that stands still.
final class TestService: Sendable {
    static let noon: Int64 = 1_800_000_000_000

    let service: Service
    let adminKey: String
    private let router: Router
    private let directory: URL
    private let time: TestTime
    private let reported = Reported()

    /// `recentJourneys` is how many the store answers without a look into the database.
    convenience init(at now: Int64 = noon, rateLimits: RateLimits = RateLimits(), recentJourneys: Int = 8_192) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "signalbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try self.init(
            in: directory, at: now, rateLimits: rateLimits, recentJourneys: recentJourneys, adminKey: nil)
    }

    /// The service again over what another, which was closed, has stored.
    convenience init(reopening other: TestService) throws {
        try self.init(
            in: other.directory, at: other.now, rateLimits: RateLimits(), recentJourneys: 8_192,
            adminKey: other.adminKey)
    }

    private init(
        in directory: URL, at now: Int64, rateLimits: RateLimits, recentJourneys: Int, adminKey: String?
    ) throws {
        self.directory = directory
        let time = TestTime(now)
        self.time = time
        var options = Service.Options()
        options.now = { time.now }
        options.report = { [reported] in reported.add($0) }
        options.rateLimits = rateLimits
        var storeOptions = Store.Options()
        storeOptions.recentJourneys = recentJourneys
        service = try Service(
            storeAt: directory.appending(path: "signalbox.db").path, options: options, storeOptions: storeOptions)
        var secret = ""
        _ = try service.makeFirstKey { secret = $0 }
        self.adminKey = adminKey ?? secret
        router = service.router()
    }

    deinit {
        service.close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// What was told to whoever runs the service.
    var lines: [String] { reported.lines }

    /// Another program's connection to the database.
    func otherConnection() throws -> Connection {
        try Connection(path: directory.appending(path: "signalbox.db").path, for: .writing)
    }

    /// Lets time pass.
    func pass(milliseconds: Int64) { time.pass(milliseconds) }

    /// From now on each look at the clock takes time.
    func hurry(milliseconds: Int64) { time.hurry(milliseconds) }

    var now: Int64 { time.now }

    /// Asks with a key, the first admin's unless another is given; nil sends none.
    func ask(
        _ method: Method, _ target: String, _ body: JSONValue? = nil, key: String?? = .none,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await ask(method, target, text: body?.jsonText ?? "", key: key, headers: headers)
    }

    /// The same with a body that need not be JSON.
    func ask(
        _ method: Method, _ target: String, text: String, key: String?? = .none,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        let key = key ?? adminKey
        let authorization = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        return Answer(await router.handle(method, target, headers: authorization + headers, body: text))
    }

    /// Makes a key of that kind and gives its secret.
    func key(_ kind: AccessKey.Kind, _ role: AccessKey.Role? = nil) async throws -> String {
        var body: JSONObject = ["kind": .string(kind.rawValue), "holder": "tester", "reason": "test"]
        if let role { body["role"] = .string(role.rawValue) }
        let answer = try await ask(.post, "/v1/keys", .object(body))
        return try #require(answer.json["secret"]?.string)
    }
}

/// One value that a test may set where its properties cannot change.
final class Box<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result>(_ use: (inout sending Value) -> sending Result) -> sending Result { self.value.withLock(use) }
}

/// A clock that moves only when it is told to.
final class TestTime: Sendable {
    private let milliseconds: Mutex<(now: Int64, step: Int64)>
    init(_ now: Int64) { milliseconds = Mutex((now, 0)) }
    var now: Int64 {
        milliseconds.withLock { time in
            time.now += time.step
            return time.now
        }
    }
    func pass(_ duration: Int64) { milliseconds.withLock { $0.now += duration } }
    func hurry(_ step: Int64) { milliseconds.withLock { $0.step = step } }
}

/// Lines that the service reports.
private final class Reported: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
}

/// An answer with its body read.
struct Answer {
    let status: Int
    let response: Response
    let json: JSONValue

    init(_ response: Response) {
        status = response.status
        self.response = response
        json = (try? response.body.withUnsafeBytes { try JSONValue(parsing: $0) }) ?? .null
    }

    /// The stable code of an error.
    var code: String? { json["error"]?["code"]?.string }
    /// What a program needs to react to the error.
    var details: JSONValue { json["error"]?["details"] ?? .null }
}

extension TestService {
    /// Registers a flow with two routes and two builds: app:730 has both renderers of both, app:720 legacy only.
    func registerTrips() async throws {
        _ = try await ask(.post, "/v1/flows", ["key": "trips", "owner": "Trips team", "reason": "test"])
        _ = try await ask(
            .put, "/v1/cohorts/internal",
            ["rule": ["ends_with": [["var": "email"], "@example.com"]], "reason": "test"])
        for route in ["trips.detail", "trips.edit"] {
            let answer = try await ask(.post, "/v1/routes", .object(Self.route(route)))
            #expect(answer.status == 201, "\(answer.json)")
        }
        let both: JSONValue = ["legacy", "migrated"]
        for (build, renderers) in [("app:730", both), ("app:720", ["legacy"])] {
            let answer = try await ask(
                .put, "/v1/builds/\(build)",
                [
                    "version": .string(build), "releasedAt": .integer(now), "reason": "test",
                    "renderers": ["trips.detail": renderers, "trips.edit": renderers],
                ])
            #expect(answer.status == 201, "\(answer.json)")
        }
        for route in ["trips.detail", "trips.edit"] { try await freezeConditions(of: route) }
    }

    /// Writes and freezes what a route must be watched by, and waives what nothing judges here: with force it may advance.
    func freezeConditions(of route: String) async throws {
        for metric in [StopCondition.Metric.crash, .hang, .completion] {
            var members: JSONObject = [
                "metric": .string(metric.rawValue), "margin": 2, "alphaShare": 0.01, "action": "rollback",
            ]
            if metric == .completion {
                members["margin"] = 0.01
                members["method"] = ["test": "confidenceSequence", "plannedUnits": 20_000]
            }
            let definition = try StopCondition.Definition(json: members)
            try await change(.putCondition(route: route, key: metric.rawValue, definition))
        }
        try await change(.freezeConditions(route: route, key: nil))
        let waiver = Waiver.ID(route: route, gate: "stopConditions", move: "defaultNew")
        try await change(.grantWaiver(waiver, expiresAt: now + 90 * 86_400_000))
    }

    /// Changes the configuration without a request, which the limits of a test would count.
    private func change(_ command: Command) async throws {
        let (actor, now) = (Actor(name: "tester", role: .admin, keyID: "k"), now)
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            service.store.change(judging: { configuration, evidence in
                try configuration.applying(
                    command, by: actor, reason: "test", facts: Facts(evidence: evidence), at: now)
            }) { outcome in
                switch outcome {
                case .committed: done.resume()
                case .rejected(let error): done.resume(throwing: error)
                case .unknown(let error): done.resume(throwing: error)
                }
            }
        }
    }

    static func route(_ key: String) -> JSONObject {
        [
            "key": .string(key), "flow": "trips", "owner": "Trips team", "purpose": "SwiftUI", "reason": "test",
            "contract": ["schemaVersion": 1, "payload": ["id": "string"], "outcomes": ["saved", "cancelled"]],
            "entryPoints": [["kind": "deepLink", "source": "app://trips"]],
            "plan": ["steps": [["cohort": "internal", "share": 50_000], ["cohort": nil, "share": 100_000]]],
            "deletion": ["date": "2027-12-31", "owner": "Trips team"],
        ]
    }

    /// Moves a route with a verb, past soft gates unless `force` says otherwise; the answer must be 200.
    func move(_ route: String, _ verb: String, _ more: JSONObject = [:]) async throws -> Answer {
        var body = more
        body["reason"] = "test"
        if verb == "advance", body["force"] == nil { body["force"] = true }
        let answer = try await ask(.post, "/v1/routes/\(route)/\(verb)", .object(body))
        #expect(answer.status == 200, "\(answer.json)")
        return answer
    }

    /// Brings a route to the first step of its ladder.
    func startRollout(of route: String) async throws {
        _ = try await move(route, "advance")
        _ = try await move(route, "advance")
    }

    /// An id of this service's now; `number` tells ids apart.
    func journeyID(_ number: UInt64, after milliseconds: Int64 = 0) -> String {
        JourneyID(milliseconds: now + milliseconds, randomA: 0, randomB: number).description
    }

    /// Starts a journey of flow trips; the members given replace those of an ordinary start.
    func start(_ number: UInt64, _ more: JSONObject = [:], key: String?? = .none) async throws -> Answer {
        try await ask(.post, "/v1/journeys", startBody(number, more), key: key)
    }

    /// What such a start sends.
    func startBody(_ number: UInt64, _ more: JSONObject = [:]) -> JSONValue {
        var body: JSONObject = [
            "id": .string(journeyID(number)), "flow": "trips", "unit": .string("u-\(number)"), "build": "app:730",
            "context": ["email": "mia@example.com"],
        ]
        for (name, value) in more.entries { body[name] = value }
        return .object(body)
    }
}

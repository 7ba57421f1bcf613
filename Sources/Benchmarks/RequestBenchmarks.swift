import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import SignalboxServer
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a request costs from the callback to the bytes of the answer, in process: route, key, limits, evaluation,
/// metrics. And how that and a commit grow with what is registered.
func requestBenchmarks() {
    do {
        let few = try RequestSetting(flags: 10, routes: 10)
        let small = few.single(few.flag)
        print("request: OFREP single, 10-rule flag \(nanoseconds(small)) (target 1 500 or less)")
        let smallRoute = few.single("route.0")
        print("request: OFREP single, route on its ladder \(nanoseconds(smallRoute))")
        few.close()
        let routes = try RequestSetting(flags: 0, routes: 300)
        print("request: OFREP bulk, 300 routes \(microseconds(routes.bulk())) (target 60 or less)")
        routes.close()
        let flags = try RequestSetting(flags: 1_000, routes: 0)
        print("request: OFREP bulk, 1 000 flags \(microseconds(flags.bulk())) (target 120 or less)")
        flags.close()
        let many = try RequestSetting(flags: 10_000, routes: 0)
        print("growth: 10 000 flags, single \(ratio(many.single(many.flag), small)) (target 1.2 or less)")
        print("growth: 10 000 flags, commit \(many.commit()) (target 50 or less)")
        many.close()
        let wide = try RequestSetting(flags: 0, routes: 3_000)
        print("growth: 3 000 routes, single \(ratio(wide.single("route.0"), smallRoute)) (target 1.2 or less)")
        print("growth: 3 000 routes, commit \(wide.commit()) (target 50 or less)")
        wide.close()
    } catch {
        print("request: \(error)")
    }
}

private func nanoseconds(_ time: Double) -> String { "\(Int(time)) ns" }
private func microseconds(_ time: Double) -> String { "\((time / 100).rounded() / 10) µs" }
private func ratio(_ large: Double, _ small: Double) -> String {
    "\(Int(large)) ns, \((large / small * 100).rounded() / 100) ×"
}

/// A service with a key, and so many flags and routes.
private final class RequestSetting {
    let flag = "flag.0"
    private let service: Service
    private let router: Router
    private let directory: String
    private var key = ""
    private var edits = 0

    init(flags: Int, routes: Int) throws {
        guard let folder = temporaryFolder() else { throw BenchmarkError("no temporary directory") }
        directory = folder
        try Self.fill(directory + "/signalbox.db", flags: flags, routes: routes)
        service = try Service(storeAt: directory + "/signalbox.db")
        router = service.router()
        var secret = ""
        _ = try service.makeFirstKey { secret = $0 }
        key = secret
    }

    func close() {
        service.close()
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(directory + "/signalbox.db" + suffix) }
        rmdir(directory)
    }

    /// Stores everything as one change, which no endpoint could.
    private static func fill(_ path: String, flags: Int, routes: Int) throws {
        let definition = try definition(limit: 10)
        let rule = try JSONValue(parsing: #"{"ends_with":[{"var":"email"},"@example.org"]}"#)
        let cohort = Cohort(key: "internal", rule: rule)
        let flow = Flow(id: "0190163d-8694-739b-aea5-966c26f8ad91", key: "trips", owner: "bench")
        let build = Build(
            id: BuildID(app: "app", number: 730), version: "7.30",
            renderers: Dictionary(
                uniqueKeysWithValues: (0..<routes).map { ("route.\($0)", [.legacy, .migrated]) }))
        var rows: [ConfigurationRow] = [.cohort(cohort), .flow(flow), .build(build)]
        for number in 0..<flags { rows.append(.flag(StoredFlag(key: "flag.\(number)", definition: definition))) }
        for number in 0..<routes {
            var route = RouteRollout(key: "route.\(number)", flow: "trips", createdAt: 0)
            route.stage = .partialRollout
            route.step = 2
            route.plan = RolloutPlan(steps: [
                .init(cohort: "internal", share: 50_000), .init(cohort: nil, share: 5_000),
            ])
            rows.append(.route(route))
        }
        let store = try Store.open(at: path, options: Store.Options())
        defer { store.close() }
        store.keep(rows)
    }

    private static func definition(limit: Int) throws -> JSONObject {
        let text = """
            {"state":"ENABLED","variants":{"on":true,"off":false},"defaultVariant":"off","targeting":{"if":[
            {"and":[{"==":[{"var":"platform"},"ios"]},{">=":[{"var":"tier"},\(limit)]},{"<":[{"var":"tier"},5000]},
            {"in":[{"var":"country"},["AT","CH","DE","FR"]]},{"!=":[{"var":"plan"},"free"]},
            {"starts_with":[{"var":"locale"},"de"]},{"sem_ver":[{"var":"osVersion"},">=","17.0.0"]},
            {"!":{"var":"internal"}},{"ends_with":[{"var":"email"},"@example.org"]},{">":[{"var":"sessions"},10]}]},
            "on","off"]}}
            """
        return try JSONValue(parsing: text).object ?? JSONObject()
    }

    private static let body = """
        {"context":{"targetingKey":"u-7f3c9a1b2d4e5f60","country":"DE","platform":"ios","build":"app:730",\
        "osVersion":"18.2.1","locale":"de-DE","plan":"plus","internal":false,"device":"iPhone17,1",\
        "email":"mira@example.org","groups":["beta","testflight"],"sessions":42,"age":31.5,"tier":4217}}
        """

    private func caller(_ path: String) -> MemoryCaller {
        MemoryCaller(
            router, .post, "/ofrep/v1/evaluate/flags" + path,
            headers: [
                ("Host", "127.0.0.1:8080"), ("Content-Type", "application/json"), ("Authorization", "Bearer \(key)"),
            ], body: Self.body)
    }

    /// Nanoseconds of one flag or route.
    func single(_ name: String) -> Double { time(caller("/" + name), calls: 100_000) }

    /// Nanoseconds of everything.
    func bulk() -> Double { time(caller(""), calls: 1_000) }

    private func time(_ caller: MemoryCaller, calls: Int) -> Double {
        guard let answer = caller.call(), answer.status == 200, !answer.body.isEmpty else {
            print(
                "request: an evaluation fails: \(caller.call().map { String(decoding: $0.body, as: UTF8.self) } ?? "")")
            return .nan
        }
        let times = (0..<9).map { _ in
            let start = processorNanoseconds()
            for _ in 0..<calls { _ = caller.call() }
            return Double(processorNanoseconds() - start) / Double(calls)
        }
        return times.sorted()[4]
    }

    /// Milliseconds of a change to one flag, from the request to the answer, with its place on disk; the median.
    func commit() -> String {
        let times = (0..<15).map { _ -> Double in
            edits += 1
            let definition = (try? Self.definition(limit: edits)) ?? [:]
            let body: JSONValue = ["definition": .object(definition), "reason": "bench"]
            let start = pinNanoseconds()
            let answer = RouterCaller(router: router, key: key).ask(.put, "/v1/flags/edited", body.jsonText)
            return answer.status < 300 ? Double(pinNanoseconds() - start) / 1e6 : .nan
        }.sorted()
        return "\((times[7] * 10).rounded() / 10) ms (slowest \((times[14] * 10).rounded() / 10))"
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

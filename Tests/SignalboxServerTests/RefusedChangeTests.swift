import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `A change that is asked for wrongly` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
    }

    @Test(
        arguments: [
            (.post, "/v1/keys", ["kind": "app", "holder": "x"]), (.post, "/v1/flows", ["key": "f", "owner": "x"]),
            (.post, "/v1/routes", ["key": "r", "flow": "trips"]), (.patch, "/v1/flows/trips", ["owner": "x"]),
            (.put, "/v1/builds/app:740", ["version": "1", "renderers": [:]]),
        ] as [(Method, String, JSONObject)])
    func `cannot be tried where nothing says what it would do`(
        method: Method, path: String, body: JSONObject
    ) async throws {
        let before = service.service.snapshot.configuration
        var body = body
        body["reason"] = "test"
        body["dryRun"] = true
        let answer = try await service.ask(method, path, .object(body))
        #expect((answer.status, answer.code) == (400, "unknown_field"), "\(answer.json)")
        #expect(service.service.snapshot.configuration == before)
    }

    private typealias Refused = (method: Method, path: String, body: String, status: Int, code: String)
    private static let refused: [Refused] = [
        (.post, "/v1/routes/trips.edit/advance", #"{}"#, 400, "reason_required"),
        (.post, "/v1/routes/trips.edit/advance", #"{"reason": "  "}"#, 400, "reason_required"),
        (.post, "/v1/routes/trips.edit/advance", #"{"reason": 5}"#, 400, "invalid_field"),
        (.post, "/v1/routes/trips.edit/advance", #"{"reason": "x", "speed": 1}"#, 400, "unknown_field"),
        (.post, "/v1/routes/trips.edit/advance", #""#, 400, "body_required"),
        (.post, "/v1/routes/trips.edit/advance", #"{"reason": "x", "reason": "y"}"#, 400, "invalid_json"),
        (.post, "/v1/routes/trips.edit/hold", #"{"reason": "x"}"#, 409, "illegal_move"),
        (.post, "/v1/routes/trips.edit/resume", #"{"reason": "x", "step": -1}"#, 400, "invalid_field"),
        (.post, "/v1/routes/nowhere/advance", #"{"reason": "x"}"#, 404, "route_not_found"),
        (.post, "/v1/flows/nowhere/advance", #"{"reason": "x"}"#, 404, "flow_not_found"),
        (.post, "/v1/flows", #"{"key": "trips", "owner": "Somebody", "reason": "x"}"#, 409, "flow_exists"),
        (.post, "/v1/flows", #"{"key": "-", "owner": "Somebody", "reason": "x"}"#, 400, "invalid_key"),
        (
            .post, "/v1/flows",
            #"{"key": "f", "owner": "S", "journeyLifetimeSeconds": 59, "reason": "x"}"#, 400, "invalid_lifetime"
        ),
        (.post, "/v1/routes", #"{"key": "r", "flow": "nowhere", "reason": "x"}"#, 404, "flow_not_found"),
        (
            .patch, "/v1/routes/trips.edit",
            #"{"plan": {"steps": [{"cohort": "nobody", "share": 1}]}, "reason": "x"}"#, 404, "cohort_not_found"
        ),
        (
            .patch, "/v1/routes/trips.edit",
            #"{"plan": {"steps": [{"share": 100001}]}, "reason": "x"}"#, 400, "invalid_share"
        ),
        (.patch, "/v1/routes/trips.edit", #"{"plan": {"steps": []}, "reason": "x"}"#, 400, "invalid_plan"),
        (
            .patch, "/v1/routes/trips.edit",
            #"{"plan": {"steps": [{"share": 9}, {"share": 8}]}, "reason": "x"}"#, 409, "plan_shrinks"
        ),
        (
            .put, "/v1/flags/trips.edit",
            #"{"definition": {"state": "ENABLED", "variants": {"a": 1}, "defaultVariant": "a"}, "reason": "x"}"#, 409,
            "key_taken"
        ),
        (.put, "/v1/flags/f", #"{"definition": {"state": "ON"}, "reason": "x"}"#, 400, "invalid_flag"),
        (.put, "/v1/flags/f", #"{"definition": 5, "reason": "x"}"#, 400, "invalid_flag"),
        (.put, "/v1/flags/f", #"{"reason": "x"}"#, 400, "invalid_field"),
        (.post, "/v1/flags/nothing/disable", #"{"reason": "x"}"#, 404, "flag_not_found"),
        (.delete, "/v1/flags/nothing?reason=x", #""#, 404, "flag_not_found"),
        (.delete, "/v1/cohorts/internal", #""#, 400, "reason_required"),
        (.delete, "/v1/cohorts/internal?reason=x", #""#, 409, "cohort_in_use"),
        (.put, "/v1/cohorts/self", #"{"rule": {"$ref": "self"}, "reason": "x"}"#, 400, "cohort_cycle"),
        (.put, "/v1/builds/app", #"{"version": "1", "renderers": {}, "reason": "x"}"#, 400, "invalid_build"),
        (
            .put, "/v1/builds/app:731",
            #"{"version": "1", "renderers": {"nowhere": ["legacy"]}, "reason": "x"}"#, 404, "route_not_found"
        ),
        (.put, "/v1/builds/app:730", #"{"version": "other", "renderers": {}, "reason": "x"}"#, 409, "build_exists"),
        (.post, "/v1/keys", #"{"kind": "root", "holder": "x", "reason": "x"}"#, 400, "invalid_field"),
        (.post, "/v1/keys/none/revoke", #"{"reason": "x"}"#, 404, "key_not_found"),
        (.get, "/v1/audit?limit=0", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?after=x", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?last=0", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?last=1001", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?last=5&after=1", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?last=5&limit=1", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?limt=5", #""#, 400, "invalid_query"),
        (.get, "/v1/audit?limit=5&limit=6", #""#, 400, "invalid_query"),
        (.get, "/v1/routes?reason=x", #""#, 400, "invalid_query"),
        (.get, "/v1/flags/export?routes=yes", #""#, 400, "invalid_query"),
        (.delete, "/v1/overrides?route=trips.edit&all=yes&reason=x", #""#, 400, "invalid_query"),
        (.post, "/v1/rollback?dryRun=true", #"{"reason": "x"}"#, 400, "invalid_query"),
        (.post, "/v1/routes/trips.edit/advance?dryRun=true", #"{"reason": "x"}"#, 400, "invalid_query"),
        (.delete, "/v1/cohorts/internal?reason=x&ifrevision=1", #""#, 400, "invalid_query"),
        (.get, "/v1/nothing", #""#, 404, "path_not_found"),
        (.delete, "/v1/flows", #""#, 405, "method_not_allowed"),
    ]

    @Test func `is refused with its code and stores nothing`() async throws {
        let before = service.service.snapshot.configuration
        for row in Self.refused {
            let answer = try await service.ask(row.method, row.path, text: row.body)
            #expect((answer.status, answer.code) == (row.status, row.code), "\(row.path) \(row.body)")
            #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
        }
        #expect(service.service.snapshot.configuration == before)
    }
}

import FlagEvaluation
import Foundation
import Synchronization
import Testing

@testable import signalbox

@Suite struct `The sample` {
    @Test func `is registered once, routes before the builds that name them`() throws {
        let stored = Mutex<Set<String>>([])
        let service = try CannedService { asked in
            if asked.method == "GET" {
                return stored.withLock { $0.contains(asked.target) }
                    ? (200, "{}") : (404, #"{"error":{"code":"not_found","message":"m"}}"#)
            }
            let key = (try? JSONValue(parsing: asked.body))?["key"]?.string
            stored.withLock { _ = $0.insert(asked.target + (key.map { "/\($0)" } ?? "")) }
            return (201, #"{"epoch":1,"revision":1,"changed":true}"#)
        }
        defer { service.stop() }
        let environment = ["SIGNALBOX_URL": service.url, "SIGNALBOX_KEY": "sb_test", "SIGNALBOX_KEY_FILE": ""]
        let script = checkout.appendingPathComponent("deploy/sample").path

        let first = try start(script, [builtProgram], environment: environment)
        #expect(first.status == 0, "\(first.errors)")
        let changes = service.requests.filter { $0.method != "GET" }
        #expect(changes.count == 1 + 2 + 6 + 6 * 4 + 2 + 1)
        let lastRoute = try #require(changes.lastIndex { $0.target == "/v1/routes" })
        let firstBuild = try #require(changes.firstIndex { $0.target.hasPrefix("/v1/builds/") })
        #expect(lastRoute < firstBuild)
        for change in changes where change.target == "/v1/routes" {
            let body = try JSONValue(parsing: change.body)
            for field in ["owner", "purpose", "contract", "entryPoints", "plan", "deletion"] {
                #expect(body[field] != nil, "\(body.shown("key")) has no \(field)")
            }
            if body["key"] == "trips.edit" { #expect(body["legacySymbols"] == ["TripEditController"]) }
        }

        let second = try start(script, [builtProgram], environment: environment)
        #expect(second.status == 0)
        #expect(service.requests.filter { $0.method != "GET" }.count == changes.count)
    }

    @Test func `stops at once when there is no service`() throws {
        let url = "http://127.0.0.1:\(try CannedService.unusedPort())"
        let environment = ["SIGNALBOX_URL": url, "SIGNALBOX_KEY": "sb_test", "SIGNALBOX_KEY_FILE": ""]
        let run = try start(
            checkout.appendingPathComponent("deploy/sample").path, [builtProgram], environment: environment)
        #expect(run.status == 69)
        #expect(run.errors.contains("service_unreachable"))
    }
}

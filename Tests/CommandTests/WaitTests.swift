import Foundation
import Synchronization
import Testing

@testable import signalbox

/// A service that answers each time with the next of these, and then with the last of them.
private func answering(_ answers: [(status: Int, body: String)]) throws -> CannedService {
    let left = Mutex(answers)
    return try CannedService { _ in
        left.withLock { answers in answers.count > 1 ? answers.removeFirst() : answers[0] }
    }
}

/// The gates of a route with one gate.
private func gate(_ verdict: String, blocks: Bool = false) -> (status: Int, body: String) {
    (
        200,
        #"{"route":"a","status":"active","move":"step 2","gates":[{"name":"parity","isHard":false,"verdict":"\#(verdict)","blocks":\#(blocks),"reason":"r","remedy":"m"}]}"#
    )
}

@Suite struct `Waiting for a route` {
    @Test(
        arguments: [
            ([gate("fail"), gate("pass")], .done), ([gate("fail")], .refused), ([gate("unknown")], .inconclusive),
            ([gate("waived")], .done), ([(503, "{}"), gate("pass")], .done), ([(503, "{}")], .inconclusive),
            ([gate("unknown", blocks: true)], .refused),
        ] as [([(status: Int, body: String)], ExitCode)])
    func `ends as its gate does by then`(answers: [(status: Int, body: String)], expected: ExitCode) throws {
        let service = try answering(answers)
        defer { service.stop() }
        let run = Run("route wait a --gate parity --for 30s", at: service)
        #expect(run.status == expected, "\(run.output) \(run.errors)")
    }

    @Test func `looks now, again and again, and once more when the time is over`() throws {
        let service = try answering([gate("fail")])
        defer { service.stop() }
        let run = Run("route wait a --gate parity --for 25s --every 10", at: service)
        #expect(run.pauses == [10_000, 10_000, 5_000])
        #expect(service.requests.count == 4)
    }

    @Test func `prints with --json what the service answered last`() throws {
        let service = try answering([gate("fail"), gate("pass")])
        defer { service.stop() }
        let run = Run("route wait a --gate parity --json", at: service)
        #expect(run.output == gate("pass").body + "\n")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [("{\"error\":{}}", "{\"error\":{}}\n"), ("", "")])
    func `prints with --json no words of its own`(answer: String, output: String) throws {
        let service = try answering([gate("fail"), (503, answer)])
        defer { service.stop() }
        let run = Run("route wait a --gate parity --json", at: service)
        #expect(run.status == .inconclusive)
        #expect(run.output == output)
        #expect(run.errors == "The service could not be asked: the service answered with status 503\n")
    }

    @Test(
        arguments: [
            ("partialRollout", "active", .done), ("defaultNew", "active", .done),
            ("compatible", "active", .inconclusive),
            ("partialRollout", "rolledBack", .refused), ("partialRollout", "held", .done),
        ] as [(String, String, ExitCode)])
    func `for a stage takes a later one too, but not one that was rolled back`(
        stage: String, status: String, expected: ExitCode
    ) throws {
        let service = try CannedService(
            200, #"{"key":"a","stage":"\#(stage)","status":"\#(status)","step":1,"plan":null}"#)
        defer { service.stop() }
        #expect(Run("route wait a --stage partialRollout", at: service).status == expected)
    }

    @Test func `is for one thing that there is`() throws {
        let service = try answering([gate("pass")])
        defer { service.stop() }
        #expect(Run("route wait a", at: service).status == .usage)
        #expect(Run("route wait a --gate x --stage compatible", at: service).status == .usage)
        #expect(Run("route wait a --gate nothing", at: service).status == .inconclusive)
    }
}

@Suite struct `A forced move on the command line` {
    @Test func `stands in a box of its own`() throws {
        let route =
            #"{"key":"a","stage":"partialRollout","status":"active","step":1,"plan":{"steps":[{"cohort":null,"share":5000}]},"#
            + #""forcedMove":{"move":"partialRollout","gates":["parity","rehearsal"],"actor":"ana","reason":"a demo","at":0}}"#
        let service = try CannedService(
            200, #"{"epoch":1,"revision":2,"changed":true,"route":\#(route),"gates":[],"move":"x"}"#)
        defer { service.stop() }
        let output = Run("route advance a --force --reason r", at: service).output
        #expect(output.contains("| FORCED: a to partialRollout by ana"))
        #expect(output.contains("| passed by: parity, rehearsal"))
        #expect(output.components(separatedBy: "+---").count == 3)
    }
}

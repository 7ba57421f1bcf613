import Testing

@testable import signalbox

@Suite struct `The exit status` {
    @Test(arguments: [
        (200, ExitCode.done), (201, .done), (400, .refused), (404, .refused), (409, .refused), (413, .refused),
        (403, .notAllowed), (408, .unavailable), (429, .unavailable), (500, .unavailable),
        (503, .unavailable), (301, .unavailable),
    ])
    func `says whose turn it is`(status: Int, expected: ExitCode) throws {
        let body = status < 300 ? #"{"flows":[]}"# : #"{"error":{"code":"some_code","message":"Some words"}}"#
        let service = try CannedService(status, body)
        defer { service.stop() }
        let run = Run("flow list", at: service)
        #expect(run.status == expected)
        #expect(run.errors == (status < 300 ? "" : "signalbox: some_code: Some words\n"))
        #expect(run.output.isEmpty == (status >= 300))
    }

    @Test func `is 69 when nobody listens`() throws {
        let run = Run(["flow", "list", "--url", "http://127.0.0.1:\(try CannedService.unusedPort())"])
        #expect(run.status == .unavailable)
        #expect(run.errors.hasPrefix("signalbox: service_unreachable: http://127.0.0.1:"))
        #expect(
            run.errors.hasSuffix(
                "\n  start it with 'make run' or 'signalbox serve', or set SIGNALBOX_URL to where it is\n"))
        #expect(run.output.isEmpty)
    }

    @Test(arguments: ["", "<html>", "{", "{\"flows\":[]} x"])
    func `is 69 when the answer is not JSON`(body: String) throws {
        let service = try CannedService(200, body)
        defer { service.stop() }
        #expect(Run("flow list", at: service).status == .unavailable)
    }

    @Test(arguments: ["ftp://x", "127.0.0.1:8080", "http://a b", "file:///etc/passwd"])
    func `is 64 for an address that is none`(url: String) {
        #expect(Run(["flow", "list", "--url", url]).status == .usage)
    }

    @Test(arguments: [
        (["pass", "pass"], ExitCode.done), (["pass", "unknown"], .inconclusive), (["unknown", "fail"], .refused),
        (["unknown that blocks", "pass"], .refused), (["waived"], .done), ([], .done),
    ])
    func `of required gates tells what blocks from what is unknown`(verdicts: [String], expected: ExitCode) throws {
        let gates = verdicts.map { verdict in
            let blocks = verdict == "fail" || verdict.hasSuffix("blocks")
            return #"{"name":"g","verdict":"\#(verdict.prefix { $0 != " " })","blocks":\#(blocks)}"#
        }
        let body = #"{"route":"a","move":"compatible","gates":[\#(gates.joined(separator: ","))]}"#
        let service = try CannedService(200, body)
        defer { service.stop() }
        #expect(Run("route gates a --require", at: service).status == expected)
        #expect(Run("route gates a --require --json", at: service).status == expected)
        #expect(Run("route gates a", at: service).status == .done)
    }

    @Test(arguments: [(true, ExitCode.done), (false, .inconclusive)])
    func `of a journey tells whether it is pinned`(isPinned: Bool, expected: ExitCode) throws {
        let service = try CannedService(isPinned ? 201 : 200, #"{"id":"j","pinned":\#(isPinned),"choices":{}}"#)
        defer { service.stop() }
        #expect(Run("journey start trips --unit u --build app:730", at: service).status == expected)
        #expect(Run("journey start trips --unit u --build app:730 --json", at: service).status == expected)
    }

    @Test(arguments: [
        ("journey start trips --unit u --build app:730 --id", "--id"),
        (
            "journey resume 019b76da-a800-7000-8000-000000000001 --flow f --unit u --build app:730 --attempt",
            "--attempt"
        ),
    ])
    func `69 of a journey brings the id with which to ask again`(line: String, option: String) throws {
        let service = try CannedService(503, #"{"error":{"code":"store_busy","message":"Busy"}}"#)
        defer { service.stop() }
        let id = "01234567-89ab-7fff-bfff-ffffffffffff"
        let run = Run("\(line) \(id)", at: service)
        #expect(run.status == .unavailable)
        #expect(run.errors.hasSuffix("\n  To ask again: \(option) \(id)\n"))
    }
}

@Suite struct `With --json` {
    @Test(arguments: ["{\"b\": 1,\n \"a\":[1.0, 1e2 ]}", "{\"a\":1}\n"])
    func `the answer is printed as it came`(body: String) throws {
        let service = try CannedService(200, body)
        defer { service.stop() }
        for line in ["flow list", "route show a", "status", "audit list", "flag show a", "route advance a --reason r"] {
            let run = Run(line + " --json", at: service)
            #expect(run.output == (body.hasSuffix("\n") ? body : body + "\n"))
        }
    }

    @Test func `a refusal is printed as it came, too`() throws {
        let body = #"{"error":{"code":"gate_not_met","message":"m","details":{"gates":[]}}}"#
        let service = try CannedService(409, body)
        defer { service.stop() }
        let run = Run("route advance a --reason r --json", at: service)
        #expect(run.status == .refused)
        #expect(run.output == body + "\n")
        #expect(run.errors == "signalbox: gate_not_met: m\n")
    }
}

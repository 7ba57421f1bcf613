import FlagEvaluation
import Foundation
import Parity
import RouteContract
import Testing

@testable import signalbox

@Suite struct `Comparing recordings` {
    /// A recording with one element.
    func recording(_ renderer: Renderer, run: Int64 = 1, actions: [String] = ["activate"]) -> [UInt8] {
        var recorder = ParityRecorder(
            ParityHeader(
                flow: "trips", scenario: "rename", renderer: renderer, run: run, contract: "c", app: "app",
                build: "730", os: "17", device: "d", locale: "en", contentSize: "default", recorder: "r", seed: 0))
        recorder.element("save", label: "Save", actions: actions)
        return recorder.recording
    }

    func compare(new: [UInt8], rules: String? = nil, _ options: [String] = []) throws -> Run {
        try withFolder { folder in
            let files = try [
                ("old", recording(.legacy)), ("new", new), ("second", recording(.legacy, run: 2)),
            ].map { name, bytes in
                let file = folder.appendingPathComponent(name)
                try Data(bytes).write(to: file)
                return file.path
            }
            var words = ["parity", "compare", files[0], files[1], "--aa", files[2], "--today", "2026-11-30"] + options
            if let rules {
                let file = folder.appendingPathComponent("rules")
                try Data(rules.utf8).write(to: file)
                words += ["--rules", file.path]
            }
            return Run(words, environment: [:])
        }
    }

    @Test func `ends with 0 when they agree`() throws {
        let run = try compare(new: recording(.migrated))
        #expect(run.status == .done)
        #expect(run.output.hasPrefix("verdict                pass\nlegacy against legacy  pass\n"))
    }

    @Test func `ends with 1 when they do not, and names what and where`() throws {
        let run = try compare(new: recording(.migrated, actions: []))
        #expect(run.status == .refused)
        #expect(
            run.output.contains("2    2    fails   accessibility lostAction  save     save can no longer: activate"))
    }

    @Test func `ends with 2 when that cannot be told`() throws {
        #expect(try compare(new: Array(recording(.migrated).dropLast(5))).status == .inconclusive)
        #expect(try compare(new: recording(.migrated), ["--require", "events"]).status == .inconclusive)
    }

    @Test func `prints the comparison as JSON`() throws {
        let run = try compare(new: recording(.migrated, actions: []), ["--json"])
        #expect(run.status == .refused)
        let answer = try JSONValue(parsing: run.output)
        #expect(answer["findings"]?.array?.count == 1)
    }

    @Test func `lists what is allowed, with who answers for it`() throws {
        let rules = """
            {"allowed": [{"dimension": "accessibility", "difference": "lostAction", "subject": "save",
            "reason": "it is a label now", "owner": "mia", "expires": "2026-12-31"}]}
            """
        let run = try compare(new: recording(.migrated, actions: []), rules: rules)
        #expect(run.status == .done)
        #expect(
            run.output.contains(
                "allowed until 2026-12-31 by mia: accessibility lostAction save, used 1 ×: it is a label now"))
    }

    @Test func `ends with 64 when a file is missing or the rules are none`() throws {
        #expect(try compare(new: recording(.migrated), rules: "[]").status == .usage)
        #expect(Run(["parity", "compare", "/nowhere", "/nowhere"], environment: [:]).status == .usage)
    }
}

import Foundation
import Testing

@testable import signalbox

@Suite struct `The completion script` {
    @Test(arguments: ["bash", "zsh"])
    func `is valid in its shell`(shell: String) throws {
        guard try start("sh", ["-c", "command -v \(shell)"]).status == 0 else {
            print("skipped: there is no \(shell) here")
            return
        }
        try withFolder { folder in
            let file = folder.appendingPathComponent("_signalbox")
            try write(Run(["completion", shell]).output, to: file, mode: 0o600)
            let check = try start(shell, ["-n", file.path])
            #expect(check.status == 0, "\(check.errors)")
        }
    }

    @Test(arguments: [
        ("signalbox ro", "rollback route"),
        ("signalbox route ad", "advance"),
        (
            "signalbox route advance trips.edit --",
            "--dry-run --force --help --if-revision --json --reason --timeout --url"
        ),
        ("signalbox journey finish --status c", "cancelled completed crashed"),
        ("signalbox journey finish --status = c", "cancelled completed crashed"),
        ("signalbox journey finish --status =", "abandoned cancelled completed crashed failed interrupted"),
        ("signalbox completion ", "--help bash zsh"),
        ("signalbox journey finish --name ", ""),
    ])
    func `of bash offers what may follow`(line: String, offered: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let script = """
            \(Run(["completion", "bash"]).output)
            COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
            _signalbox
            printf '%s\\n' "${COMPREPLY[@]}" | sort | tr '\\n' ' '
            """
        let output = try start("bash", ["-c", script], environment: ["LC_ALL": "C"]).output
        #expect(output.split(separator: " ").joined(separator: " ") == offered)
    }

    @Test(arguments: [
        ("route advance tr", "trips.detail trips.edit"), ("route advance -", "-"), ("route show x", ""),
        ("journey start trips.e", "trips.edit"), ("build show app", "app:720 app:730"), ("build show app :", "720 730"),
        ("build show app : 73", "730"), ("journey start f --build app : 72", "720"),
        ("journey start f --build = app : 72", "720"), ("route register a --requires trips.d", "trips.detail"),
    ])
    func `of bash offers the keys that the service has`(line: String, offered: String) throws {
        let service = try CannedService { asked in
            let keys = ["trips.detail", "trips.edit", "$(touch\u{20}x)", "app:720"].map { #"{"key":"\#($0)"}"# }
            let builds = ["app:720", "app:730"].map { #"{"build":"\#($0)"}"# }
            let list = asked.target == "/v1/builds" ? builds : keys
            return (200, #"{"\#(asked.target.dropFirst(4))":[\#(list.joined(separator: ","))]}"#)
        }
        defer { service.stop() }
        let words = ([builtProgram] + line.split(separator: " ").map(String.init)).map { "'\($0)'" }
        let script = """
            \(Run(["completion", "bash"]).output)
            COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
            _signalbox
            printf '%s\\n' "${COMPREPLY[@]}" | grep -v -e '^-' | sort | tr '\\n' ' '
            """
        let environment = [
            "LC_ALL": "C", "SIGNALBOX_URL": service.url, "SIGNALBOX_KEY": "sb_test", "SIGNALBOX_KEY_FILE": "",
        ]
        try withFolder { folder in
            let output = try start("bash", ["-c", script], environment: environment, in: folder).output
            #expect(output.split(separator: " ").joined(separator: " ") == (offered == "-" ? "" : offered))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, "a key was run")
        }
    }

    @Test func `is known for two shells and no other`() {
        let run = Run(["completion", "fish"])
        #expect(run.status == .usage)
        #expect(run.errors.contains("bash, zsh"))
    }
}

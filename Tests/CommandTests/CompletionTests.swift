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
        ("signalbox route advance trips.edit --", "--dry-run --force --help --json --reason --timeout --url"),
        ("signalbox journey finish --status c", "cancelled completed crashed"),
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

    @Test func `is known for two shells and no other`() {
        let run = Run(["completion", "fish"])
        #expect(run.status == .usage)
        #expect(run.errors.contains("bash|zsh"))
    }
}

import Foundation

@testable import signalbox

/// What a command line did.
struct Run {
    let status: ExitCode
    let output: String
    let errors: String
    /// The milliseconds of each pause that it made; they pass at once.
    let pauses: [Int64]
    /// When each run begins: 2026-06-01T00:00:00Z.
    static let beginning = Timestamp(milliseconds: 1_780_272_000_000)

    /// Runs one command line in this process.
    init(
        _ words: [String], root: CommandGroup = signalboxCommands,
        environment: [String: String] = ["SIGNALBOX_KEY": "sb_test"]
    ) {
        let (output, errors, pauses) = (Bytes(), Bytes(), Pauses())
        let terminal = Terminal(
            output: { output.bytes += $0 }, errors: { errors.bytes += $0 }, isColoured: false,
            variable: { environment[$0] },
            now: { Timestamp(milliseconds: Self.beginning.milliseconds + pauses.all.reduce(0, +)) },
            pause: { pauses.all.append($0) })
        status = Program(root: root).run(words, on: terminal)
        self.output = output.text
        self.errors = errors.text
        self.pauses = pauses.all
    }

    /// Runs one command line, written with blanks between its words, against a canned service.
    init(_ line: String, at service: CannedService) {
        self.init(line.split(separator: " ").map(String.init) + ["--url", service.url])
    }
}

private final class Bytes {
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

private final class Pauses {
    var all: [Int64] = []
}

/// Runs another program to its end.
func start(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    // Below a git hook or rebase, GIT_DIR would lead a test's own git into the repository of the sources.
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    process.environment = inherited.merging(environment) { $1 }
    process.currentDirectoryURL = folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let outputText = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let errorText = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, outputText, errorText)
}

/// The program that was built together with these tests.
var builtProgram: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("signalbox").path
}

/// The top folder of the sources.
let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// Makes a folder for one test, and takes it away afterwards.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Makes a file with a mode.
func write(_ text: String, to file: URL, mode: Int) throws {
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
}

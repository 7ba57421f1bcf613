import Foundation
import Testing

@testable import signalbox

/// `deploy/run` in a folder of its own, with what it would build already there and nothing to build with.
private func run(in folder: URL, sample: String, port: UInt16) throws -> (status: Int32, output: String, errors: String)
{
    let files = FileManager.default
    for path in ["deploy", "bin", ".build/release"] {
        try files.createDirectory(at: folder.appendingPathComponent(path), withIntermediateDirectories: true)
    }
    let script = folder.appendingPathComponent("deploy/run")
    if !files.fileExists(atPath: script.path) {
        try files.copyItem(at: checkout.appendingPathComponent("deploy/run"), to: script)
        try files.createSymbolicLink(
            at: folder.appendingPathComponent(".build/release/signalbox"),
            withDestinationURL: URL(fileURLWithPath: builtProgram))
    }
    try write("#!/bin/sh\n\(sample)\n", to: folder.appendingPathComponent("deploy/sample"), mode: 0o755)
    try write("#!/bin/sh\n", to: folder.appendingPathComponent("bin/swift"), mode: 0o755)
    let path = folder.appendingPathComponent("bin").path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    // Not into pipes: a server that outlived the script would hold them open, and the test would wait for it.
    let done = try start(
        "sh", ["-c", "exec deploy/run >output 2>errors"],
        environment: ["PATH": path, "SIGNALBOX_LISTEN": "127.0.0.1:\(port)"], in: folder)
    func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
    return (done.status, try text("output"), try text("errors"))
}

@Suite struct `deploy/run` {
    @Test func `ends the server when the sample fails, with the sample's status`() throws {
        try withFolder { folder in
            let port = try CannedService.unusedPort()
            let done = try run(in: folder, sample: "exit 3", port: port)
            #expect(done.status == 3)
            #expect(done.output.contains("listening on http://127.0.0.1:\(port)"))
            #expect(Run(["status", "--url", "http://127.0.0.1:\(port)"]).status == .unavailable)
        }
    }

    @Test func `says why the server cannot start`() throws {
        try withFolder { folder in
            let other = try CannedService(200, "{}")
            defer { other.stop() }
            let done = try run(in: folder, sample: "exit 3", port: other.port)
            #expect(done.status == 69)
            #expect((done.output + done.errors).contains("address_in_use"))
        }
    }

    @Test func `ends the server when it is told to stop`() throws {
        try withFolder { folder in
            let port = try CannedService.unusedPort()
            let done = try run(in: folder, sample: ".build/release/signalbox status\nkill -TERM $PPID", port: port)
            #expect(done.status == 143, "\(done.errors)")
            #expect(done.output.contains("There are no routes."))
            #expect(Run(["status", "--url", "http://127.0.0.1:\(port)"]).status == .unavailable)
        }
    }
}

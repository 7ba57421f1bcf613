import Foundation
import Testing

@testable import signalbox

@Suite struct `The key` {
    @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o644, false), (0o620, false)])
    func `is taken from a file only if nobody else may read or write it`(mode: Int, isTaken: Bool) throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write("sb_secret\n", to: file, mode: mode)
            let run = Run(["flow", "list", "--url", service.url], environment: ["SIGNALBOX_KEY_FILE": file.path])
            #expect(run.status == (isTaken ? .done : .notAllowed))
            #expect(service.requests.map { $0.headers["authorization"] } == (isTaken ? ["Bearer sb_secret"] : []))
            #expect(run.errors.contains("chmod 600 \(file.path)") != isTaken)
        }
    }

    @Test func `that is not known is named by where it came from`() throws {
        let service = try CannedService(401, #"{"error":{"code":"unauthorized","message":"No such key."}}"#)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write("sb_old", to: file, mode: 0o600)
            let run = Run(["flow", "list", "--url", service.url], environment: ["SIGNALBOX_KEY_FILE": file.path])
            #expect(run.status == .notAllowed)
            #expect(run.errors == "signalbox: unauthorized: No such key.\n  the key came from \(file.path)\n")
            #expect(Run("flow list", at: service).errors.hasSuffix("  the key came from SIGNALBOX_KEY\n"))
        }
    }

    @Test func `of a file goes before the one of the environment`() throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write("sb_file", to: file, mode: 0o600)
            let both = ["SIGNALBOX_KEY_FILE": file.path, "SIGNALBOX_KEY": "sb_environment"]
            _ = Run(["flow", "list", "--url", service.url], environment: both)
            _ = Run(["flow", "list", "--url", service.url], environment: ["SIGNALBOX_KEY": " sb_environment\n"])
            #expect(
                service.requests.map { $0.headers["authorization"] } == ["Bearer sb_file", "Bearer sb_environment"])
        }
    }

    @Test(arguments: ["", " \n", "sb_a\r\nX-Other: 1", "sb_ä"])
    func `is refused when it holds what no key does`(text: String) throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write(text, to: file, mode: 0o600)
            let run = Run(["flow", "list", "--url", service.url], environment: ["SIGNALBOX_KEY_FILE": file.path])
            #expect(run.status == .notAllowed)
            #expect(service.requests.isEmpty)
        }
    }

    @Test func `that is missing, or is a folder, is said to be`() throws {
        try withFolder { folder in
            let folderRun = Run(["flow", "list"], environment: ["SIGNALBOX_KEY_FILE": folder.path])
            #expect(folderRun.errors == "signalbox: key_unusable: \(folder.path) is not a file\n")
            let missing = folder.appendingPathComponent("no").path
            let missingRun = Run(["flow", "list"], environment: ["SIGNALBOX_KEY_FILE": missing])
            #expect(missingRun.status == .notAllowed)
            #expect(missingRun.errors == "signalbox: key_unusable: \(missing): No such file or directory\n")
        }
    }

    @Test func `of this machine's own service is found without a word`() throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        defer { service.stop() }
        try withFolder { folder in
            let environment = ["SIGNALBOX_KEY": "", "SIGNALBOX_KEY_FILE": ""]
            let arguments = ["flow", "list", "--url", service.url]
            let none = try start(builtProgram, arguments, environment: environment, in: folder)
            #expect(none.status == 77)
            #expect(none.errors.contains("SIGNALBOX_KEY_FILE"))

            let home = folder.appendingPathComponent("var/signalbox")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try write("sb_own\n", to: home.appendingPathComponent("admin.key"), mode: 0o600)
            #expect(try start(builtProgram, arguments, environment: environment, in: folder).status == 0)
            #expect(service.requests.map { $0.headers["authorization"] } == ["Bearer sb_own"])
        }
    }
}

@Suite struct `A proxy` {
    @Test func `is not told the key of a service on this machine`() throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        let proxy = try CannedService(200, #"{"flows":[]}"#)
        defer {
            service.stop()
            proxy.stop()
        }
        let environment = ["SIGNALBOX_KEY": "sb_test", "SIGNALBOX_KEY_FILE": "", "http_proxy": proxy.url]
        let run = try start(builtProgram, ["flow", "list", "--url", service.url], environment: environment)
        #expect(run.status == 0)
        #expect(service.requests.count == 1)
        #expect(proxy.requests.isEmpty)
    }
}

@Suite struct `The secret of a new key` {
    private let made = #"{"epoch":1,"revision":4,"key":{"id":"k-1","holder":"CI"},"secret":"sb_new"}"#
    private let line = ["key", "create", "--kind", "server", "--holder", "CI", "--reason", "r"]

    @Test func `goes to a file of mode 0600 and nowhere else`() throws {
        let service = try CannedService(201, made)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("ci.key")
            let run = Run(line + ["--url", service.url, "--out", file.path])
            #expect(run.status == .done)
            #expect(!run.output.contains("sb_new"))
            #expect(try String(contentsOf: file, encoding: .utf8) == "sb_new\n")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `is not asked for when the file is there already`() throws {
        let service = try CannedService(201, made)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("ci.key")
            try write("old", to: file, mode: 0o600)
            #expect(Run(line + ["--url", service.url, "--out", file.path]).status == .usage)
            #expect(service.requests.isEmpty)
            #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        }
    }

    @Test func `is not in a file and in the JSON at once`() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("ci.key")
            let run = Run(line + ["--json", "--out", file.path])
            #expect(run.status == .usage)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `leaves no file behind when there is no key`() throws {
        let service = try CannedService(403, #"{"error":{"code":"forbidden","message":"no"}}"#)
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("ci.key")
            #expect(Run(line + ["--url", service.url, "--out", file.path]).status == .notAllowed)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `is printed when there is no file`() throws {
        let service = try CannedService(201, made)
        defer { service.stop() }
        #expect(Run(line + ["--url", service.url]).output.contains("sb_new"))
    }
}

import FlagEvaluation
import Foundation
import Testing

@testable import signalbox

@Suite struct `A matcher of many names` {
    func found(_ text: String, _ patterns: [(String, Bool)], isText: Bool = true) -> [String] {
        let matcher = SymbolMatcher(patterns.map { .init(text: $0.0, isKey: $0.1) })
        return Array(text.utf8).withUnsafeBufferPointer { matcher.matches(in: $0, isText: isText) }
            .map { "\(matcher.patterns[$0.pattern].text)@\($0.offset)" }
    }

    @Test(
        arguments: [
            ("TripEditor()", ["TripEditor@0"]), ("LegacyTripEditor", []), ("TripEditors", []), ("TripEditor_2", []),
            ("éTripEditor", []), ("x.TripEditor.y", ["TripEditor@2"]), ("TripEditor", ["TripEditor@0"]), ("", []),
            ("Trip", ["Trip@0"]), ("TripTripEditor", []), ("Trip TripEditor", ["Trip@0", "TripEditor@5"]),
            ("TripEdit TripEditor", ["TripEdit@0", "TripEditor@9"]),
        ] as [(String, [String])])
    func `finds names that stand alone`(_ row: (text: String, found: [String])) {
        #expect(found(row.text, [("TripEditor", false), ("Trip", false), ("TripEdit", false)]) == row.found)
    }

    @Test func `finds every name that ends in one place`() {
        #expect(
            found("[self openTrip:animated:]", [("openTrip:animated:", false), ("animated:", false)])
                == ["openTrip:animated:@6", "animated:@15"])
    }

    @Test(arguments: [
        (#"flag("trips.edit")"#, 1), ("<string>trips.edit</string>", 1), ("'trips.edit'", 1), ("trips.edit", 0),
        (#""trips.edit.more""#, 0), (#""a/trips.edit""#, 0), (#"“trips.edit""#, 0),
    ])
    func `finds keys only in quotes`(_ row: (text: String, count: Int)) {
        #expect(found(row.text, [("trips.edit", true)]).count == row.count)
    }

    @Test func `finds what a plain search finds, in any text`() {
        var seed: UInt64 = 7
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        for _ in 0..<300 {
            let text = (0..<60).map { _ in ["a", "b", "c"][next(3)] }.joined()
            let names = Set((0..<6).map { _ in (0...next(4)).map { _ in ["a", "b", "c"][next(3)] }.joined() })
            let patterns = names.sorted().map { ($0, false) }
            let plain = patterns.flatMap { name, _ in
                text.indices.filter { text[$0...].hasPrefix(name) }
                    .map { "\(name)@\(text.distance(from: text.startIndex, to: $0))" }
            }
            #expect(found(text, patterns, isText: false).sorted() == plain.sorted())
        }
    }
}

@Suite struct `A scan for references` {
    /// Scans a tree of those files for `TripEditor` and the key `trips.edit`.
    func scan(_ files: [String: String], prepare: (URL) throws -> Void = { _ in }) throws -> ReferenceScan {
        try withFolder { folder in
            for (path, text) in files {
                let file = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
            try prepare(folder)
            return ReferenceScan(
                of: folder.path,
                for: [.init(text: "TripEditor", isKey: false), .init(text: "trips.edit", isKey: true)])
        }
    }

    @Test func `names file, line and kind in every kind of file`() throws {
        let scan = try scan([
            "App/Trip.swift": "import UIKit\n\nlet editor = TripEditor()\nflag(\"trips.edit\")\n",
            "App/Trip.m": "[TripEditor new];", "App/Main.storyboard": "<a customClass=\"TripEditor\"/>",
            "Info.plist": "<string>trips.edit</string>", "A.xcodeproj/project.pbxproj": "/x TripEditor.m x/",
            "android/Trip.kt": "val t = TripEditor()", "README.md": "TripEditor",
        ])
        #expect(
            scan.references.map { "\($0.path):\($0.line) \($0.symbol) \($0.kind)" } == [
                "Info.plist:1 trips.edit propertyList", "A.xcodeproj/project.pbxproj:1 TripEditor project",
                "App/Main.storyboard:1 TripEditor interface", "App/Trip.m:1 TripEditor code",
                "App/Trip.swift:3 TripEditor code", "App/Trip.swift:4 trips.edit code",
                "android/Trip.kt:1 TripEditor code",
            ])
        #expect(scan.verdict == .refused)
        #expect(scan.total == 7)
    }

    @Test(arguments: [
        ("// TripEditor\n", true), ("/* a\nTripEditor */", true), ("let a = \"// \" + TripEditor", false),
        ("let a = \"TripEditor\"", false), ("/* a */ TripEditor", false), ("'\"' TripEditor\n", false),
        ("let a = \"\"\"\n // TripEditor\n\"\"\"", false), ("/* TripEditor", false), ("\"\\\" // \" TripEditor", false),
        ("/* /* */ TripEditor */", false),
    ])
    func `tells comments from code, and takes the doubtful for code`(_ row: (text: String, isComment: Bool)) throws {
        let scan = try scan(["a.swift": row.text])
        #expect(scan.references.map(\.isComment) == [row.isComment])
        #expect(scan.verdict == (row.isComment ? .done : .refused))
    }

    @Test func `tells comments in XML`() throws {
        let scan = try scan(["a.xib": "<!-- TripEditor\n --><b c=\"TripEditor\"/>"])
        #expect(scan.references.map(\.isComment) == [true, false])
        #expect(scan.references.map(\.line) == [1, 2])
    }

    @Test func `passes over what is built, hidden history and links, and says which folders`() throws {
        let scan = try scan([
            ".git/a.swift": "TripEditor", "x/build/a.swift": "TripEditor", "DerivedData/a.swift": "TripEditor",
            "ok.swift": "nothing",
        ]) { folder in
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("loop"), withDestinationURL: folder)
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("gone.swift"), withDestinationURL: URL(fileURLWithPath: "/nowhere"))
        }
        #expect(scan.verdict == .done)
        #expect(scan.files == 1)
        #expect(scan.skipped == [".git", "DerivedData", "x/build"])
    }

    @Test func `is inconclusive when a file cannot be read`() throws {
        let scan = try scan(["ok.swift": "nothing"]) { folder in
            #expect(mkfifo(folder.appendingPathComponent("pipe.swift").path, 0o600) == 0)
            let huge = folder.appendingPathComponent("huge.m").path
            #expect(FileManager.default.createFile(atPath: huge, contents: nil) && truncate(huge, 65 << 20) == 0)
        }
        #expect(scan.verdict == .inconclusive)
        #expect(scan.unreadable.map(\.path) == ["huge.m", "pipe.swift"])
    }

    @Test func `finds names in UTF-16 and in binary lists`() throws {
        let scan = try scan([:]) { folder in
            let text = try #require("a\nTripEditor".data(using: .utf16))
            try text.write(to: folder.appendingPathComponent("a.strings"))
            let list = try PropertyListSerialization.data(
                fromPropertyList: ["class": "TripEditor", "other": "a longer text"], format: .binary, options: 0)
            try list.write(to: folder.appendingPathComponent("b.plist"))
        }
        #expect(scan.references.map(\.path) == ["a.strings", "b.plist"])
        #expect(scan.references.first?.line == 2)
    }

    @Test func `names the commit, and says when the tree differs from it`() throws {
        try withFolder { folder in
            #expect(SourceCommit(of: folder.path) == nil)
            try Data("nothing".utf8).write(to: folder.appendingPathComponent("a.swift"))
            let commands =
                "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm a && git rev-parse HEAD"
            let made = try start("sh", ["-c", commands], in: folder)
            let commit = try #require(SourceCommit(of: folder.path))
            #expect(commit.id + "\n" == made.output)
            #expect(commit.isDirty == false)
            try Data("more".utf8).write(to: folder.appendingPathComponent("b.swift"))
            #expect(SourceCommit(of: folder.path)?.isDirty == true)
            let run = Run(["refs", "scan", folder.path, "--symbol", "TripEditor", "--json"], environment: [:])
            #expect(run.status == .done)
            let artefact = try JSONValue(parsing: run.output)
            #expect(artefact["commit"]?.string == commit.id)
            #expect(artefact["dirty"] == true)
            #expect(artefact["verdict"] == "pass")
            // In a hook of git's these name another repository than the folder's.
            let inHook = try start(
                builtProgram, ["refs", "scan", folder.path, "--symbol", "TripEditor", "--json"],
                environment: ["GIT_DIR": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere"])
            #expect(try JSONValue(parsing: inHook.output)["commit"]?.string == commit.id)
        }
    }

    @Test func `looks for what the service knows of a route`() throws {
        let service = try CannedService(200, #"{"key":"trips.edit","legacySymbols":["TripEditor"]}"#)
        defer { service.stop() }
        try withFolder { folder in
            try Data("TripEditor(\"trips.edit\")".utf8).write(to: folder.appendingPathComponent("a.swift"))
            let run = Run("refs scan \(folder.path) --route trips.edit", at: service)
            #expect(run.status == .refused)
            #expect(run.output.contains("a.swift:1  TripEditor  code\na.swift:1  trips.edit  code"))
            #expect(run.output.contains("[ ] 2 in code: delete the code, or the call"))
        }
    }

    @Test func `shows nothing for a route that names no symbols`() throws {
        let service = try CannedService(200, #"{"key":"trips.edit"}"#)
        defer { service.stop() }
        let run = Run("refs scan . --route trips.edit", at: service)
        #expect(run.status == .inconclusive)
        #expect(run.errors.contains("no_legacy_symbols"))
    }

    @Test(arguments: [
        "refs scan .", "refs scan /nowhere --symbol abc", "refs scan . --symbol ab",
        "refs scan . --symbols /nowhere",
    ])
    func `ends with 64 when it does not know what to look for, or where`(_ line: String) {
        #expect(Run(line.split(separator: " ").map(String.init), environment: [:]).status == .usage)
    }
}

import Foundation
import Testing

@testable import signalbox

@Suite struct `Every command` {
    private static let commands = signalboxCommands.allCommands

    @Test func `is called by words that no other has`() {
        let paths = Self.commands.map { $0.path.joined(separator: " ") }
        #expect(paths.count > 45)
        #expect(Set(paths).count == paths.count)
    }

    @Test(arguments: commands.map(\.path))
    func `prints help with an example and every option, without a key or a service`(path: [String]) throws {
        let invocation = try #require(find(path))
        let words = Array(path.dropFirst())
        let help = Run(words + ["--help"], environment: [:])
        #expect(help.status == .done)
        #expect(help.errors.isEmpty)
        #expect(help.output == Run(["help"] + words, environment: [:]).output)
        #expect(help.output.contains("\nEXAMPLE"))
        for parameter in invocation.parameters {
            #expect(help.output.contains(parameter.signature))
            #expect(
                parameter.help.count > 5 && parameter.help.hasSuffix("."), "\(parameter.spelling): \(parameter.help)")
        }
        for value in invocation.parameters.compactMap(\.defaultText) {
            #expect(!value.contains("("), "a default is shown as it is typed")
        }
        for line in help.output.split(separator: "\n") where !line.contains("  signalbox ") {
            #expect(line.count <= 100, "\(line)")
        }
    }

    @Test(arguments: commands.map(\.path))
    func `has examples that it would run`(path: [String]) throws {
        let invocation = try #require(find(path))
        let examples = type(of: invocation.command).examples
        #expect(!examples.isEmpty)
        for example in examples where example.hasPrefix("signalbox ") {
            let line = example.components(separatedBy: " > ")[0]
            let printed = try start("bash", ["-c", #"signalbox() { printf '%s\0' "$@"; }; "# + line]).output
            let words = printed.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
            #expect(Array(words.prefix(path.count - 1)) == Array(path.dropFirst()), "\(example)")
            #expect(throws: Never.self, "\(example)") { try invocation.bind(Array(words.dropFirst(path.count - 1))) }
        }
    }

    @Test(arguments: commands.map(\.path))
    func `is described by one sentence`(path: [String]) throws {
        let abstract = type(of: try #require(find(path)).command).abstract
        #expect(abstract.hasSuffix(".") && abstract.first?.isUppercase == true && abstract.count <= 100)
    }

    private func find(_ path: [String]) -> Invocation? {
        Self.commands.first { $0.path == path }.map { Invocation($0.command, path: path) }
    }
}

@Suite struct `Help` {
    @Test(arguments: signalboxCommands.allGroups.map(\.path))
    func `of a group names its commands and has an example`(path: [String]) {
        let help = Run(path.dropFirst() + ["--help"])
        #expect(help.status == .done)
        #expect(help.output == Run(["help"] + path.dropFirst()).output)
        #expect(help.output.contains("\nEXAMPLE\n  signalbox "))
        let group = signalboxCommands.allGroups.first { $0.path == path }?.group
        for member in group?.visibleMembers ?? [] { #expect(help.output.contains("\n  \(member.name) ")) }
    }

    @Test func `of the program tells the exit statuses and leaves out what is hidden`() {
        let help = Run([]).output
        for status in ExitCode.allCases { #expect(help.contains("\n  \(status.rawValue) ")) }
        #expect(!help.contains("reference"))
    }

    @Test func `has the version beside it`() {
        #expect(Run(["--version"]).output == "signalbox \(version)\n")
    }
}

@Suite struct `The page of commands` {
    @Test func `is what the declarations say`() throws {
        let page = try String(contentsOf: checkout.appendingPathComponent("docs/commands.md"), encoding: .utf8)
        #expect(page == Run(["reference"]).output, "run: signalbox reference > docs/commands.md")
    }
}

import Testing

@testable import signalbox

/// A command that takes one parameter of every shape.
private struct Greet: LocalCommand {
    static let name = "greet"
    static let abstract = "Greets."
    static let examples = ["program greet Ann --language en"]

    enum Language: String, CaseIterable, SingleValue { case en, fr }

    @Argument("Who is greeted.") var person: String
    @Argument("How often.") var times: Int?
    @Option("In which language.") var language: Language
    @Option("Titles before the name.") var title: [String] = []
    @Option("Louder.") var isLoud: Bool
    @Option("What stands at the end.") var ending: String = "."

    func run(_ terminal: Terminal) throws -> ExitCode {
        terminal.say("\(title) \(person) \(times ?? 1) \(language) \(isLoud) \(ending)")
        return .done
    }
}

private let program = CommandGroup("program", "Tests.", members: [.command(Greet.self)])

@Suite struct `A command line` {
    @Test(arguments: [
        ("greet Ann --language en", "[] Ann 1 en false ."),
        ("greet --language=fr Ann 2", "[] Ann 2 fr false ."),
        ("greet Ann --title Dr --language en --title Prof", #"["Dr", "Prof"] Ann 1 en false ."#),
        ("greet Ann --is-loud --language en --ending !", "[] Ann 1 en true !"),
        ("greet Ann --language en --ending=--", "[] Ann 1 en false --"),
        ("greet --language en -- --help", "[] --help 1 en false ."),
        ("greet - --language en", "[] - 1 en false ."),
    ])
    func `gives the properties of a command their values`(line: String, printed: String) {
        let run = Run(words(line), root: program)
        #expect(run.status == .done)
        #expect(run.output == printed + "\n")
    }

    @Test(arguments: [
        ("greet --language en", "PERSON is needed"),
        ("greet Ann", "--language en|fr is needed"),
        ("greet Ann --language", "--language needs a value: --language en|fr"),
        ("greet Ann --ending --language en", "--ending needs a value: --ending TEXT"),
        ("greet Ann --language eng", "--language is 'eng'; did you mean 'en'?"),
        ("greet Ann --language swahili", "--language is 'swahili'; it is one of en, fr"),
        ("greet Ann --langauge en", "unknown option '--langauge'; did you mean '--language'?"),
        ("greet Ann -l en", "unknown option '-l'"),
        ("greet Ann --language en --language fr", "--language is given 2 times"),
        ("greet Ann --language en --is-loud=yes", "--is-loud takes no value"),
        ("greet Ann two --language en", "TIMES is 'two', not a whole number"),
        ("greet Ann 99999999999999999999 --language en", "TIMES is '99999999999999999999', not a whole number"),
        ("greet Ann 2 3 --language en", "'3' is one argument too many"),
        ("greet Ann --language en --ending=", "--ending is empty"),
        ("gret Ann", "unknown command 'gret'; did you mean 'greet'?"),
        ("dance", "unknown command 'dance'"),
        ("--language en greet Ann", "'--language' must follow the command that it belongs to"),
        ("help gret", "unknown command 'gret'; did you mean 'greet'?"),
    ])
    func `that is wrong is refused with what is wrong`(line: String, message: String) {
        let run = Run(words(line), root: program)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("program: usage: \(message)\nSee 'program"))
    }

    @Test func `may have the options of the connection before the command`() throws {
        let service = try CannedService(200, #"{"flows":[]}"#)
        defer { service.stop() }
        #expect(Run(["--url", service.url, "--json", "flow", "list"]).output == "{\"flows\":[]}\n")
    }

    @Test func `of a group alone does not pass as done`() {
        let run = Run(["route"])
        #expect(run.status == .usage)
        #expect(run.errors.contains("COMMANDS"))
    }

    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}

@Suite struct `A word that is not known` {
    private let candidates = ["advance", "retreat", "hold", "resume", "rollback", "--reason", "--dry-run"]

    @Test(arguments: [
        ("advnace", "advance"), ("advanc", "advance"), ("rolback", "rollback"), ("holdd", "hold"),
        ("roll", "rollback"),
        ("--reson", "--reason"), ("--dryrun", "--dry-run"), ("reason", "--reason"), ("x", nil), ("", nil),
        ("deploy", nil),
    ])
    func `brings the one that is near, if there is one`(word: String, meant: String?) {
        #expect(Suggestion.nearest(to: word, among: candidates) == meant)
    }

    @Test(arguments: [("", "", 0), ("", "abc", 3), ("abc", "acb", 1), ("abc", "abd", 1), ("kitten", "sitting", 3)])
    func `is as far as letters must change`(left: String, right: String, distance: Int) {
        #expect(Suggestion.distance(left, right) == distance)
        #expect(Suggestion.distance(right, left) == distance)
    }
}

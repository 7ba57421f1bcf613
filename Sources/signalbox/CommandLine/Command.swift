/// Something that a person or a program can ask for: one struct, in a file of `Commands/`.
///
/// Its `@Argument` and `@Option` properties are all there is to declare. Parsing, help, completion and
/// `docs/commands.md` are derived from them. A new command is listed once, in the `CommandGroup` that it belongs to.
protocol Command: SendableMetatype {
    /// The word that is typed.
    static var name: String { get }
    /// One sentence.
    static var abstract: String { get }
    /// What more there is to know, in sentences; empty when the abstract says it all.
    static var discussion: String { get }
    /// Whole lines that work as they stand; at least one.
    static var examples: [String] { get }
    /// Whether help, completion and the reference leave it out.
    static var isHidden: Bool { get }

    init()
}

extension Command {
    static var discussion: String { "" }
    static var isHidden: Bool { false }
}

/// A command that needs no service.
protocol LocalCommand: Command {
    func run(_ terminal: Terminal) throws -> ExitCode
}

/// A command that asks the service. It also takes the options of `ConnectionOptions`.
protocol ServiceCommand: Command {
    func run(_ service: Service) throws -> ExitCode
}

/// A noun, and the commands that it offers.
struct CommandGroup: Sendable {
    enum Member: Sendable {
        case command(any Command.Type)
        case group(CommandGroup)
    }

    let name: String
    /// One sentence.
    let abstract: String
    let members: [Member]

    init(_ name: String, _ abstract: String, _ commands: [any Command.Type]) {
        self.init(name, abstract, members: commands.map { .command($0) })
    }

    init(_ name: String, _ abstract: String, members: [Member]) {
        self.name = name
        self.abstract = abstract
        self.members = members
    }

    /// The member that is called so.
    func member(named name: String) -> Member? { members.first { $0.name == name } }

    /// The members that are shown.
    var visibleMembers: [Member] { members.filter { !$0.isHidden } }

    /// Every command below this group with the words that lead to it, the group's own name first.
    var allCommands: [(path: [String], command: any Command.Type)] {
        members.flatMap { member in
            switch member {
            case .command(let command): [([name, command.name], command)]
            case .group(let group): group.allCommands.map { ([name] + $0.path, $0.command) }
            }
        }
    }

    /// This group and every group below it with the words that lead to it.
    var allGroups: [(path: [String], group: CommandGroup)] {
        [([name], self)]
            + members.flatMap { member -> [(path: [String], group: CommandGroup)] in
                guard case .group(let group) = member else { return [] }
                return group.allGroups.map { ([name] + $0.path, $0.group) }
            }
    }
}

extension CommandGroup.Member {
    var name: String {
        switch self {
        case .command(let command): command.name
        case .group(let group): group.name
        }
    }

    var abstract: String {
        switch self {
        case .command(let command): command.abstract
        case .group(let group): group.abstract
        }
    }

    var isHidden: Bool {
        switch self {
        case .command(let command): command.isHidden
        case .group: false
        }
    }
}

import FlagEvaluation

let cohortCommands = CommandGroup(
    "cohort", "Reads and changes cohorts, the named targeting rules.",
    [ListCohorts.self, ShowCohort.self, SetCohort.self, DeleteCohort.self])

/// All cohorts in a table.
struct ListCohorts: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all cohorts with their rules."
    static let examples = ["signalbox cohort list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("cohorts")) { answer in
            var table = Table("COHORT", "RULE")
            for cohort in answer.list("cohorts") { table.add(cohort.shown("key"), cohort.shown("rule")) }
            return service.tell(table, ifEmpty: "There are no cohorts.")
        }
    }
}

/// One cohort's rule.
struct ShowCohort: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows the rule of a cohort, and what is doubtful about it."
    static let examples = ["signalbox cohort show internal"]

    @Argument("The key of the cohort.") var cohort: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("cohorts", cohort)) { cohort in
            ([(cohort["rule"] ?? .null).prettyJSONText] + cohort.warningLines).joined(separator: "\n")
        }
    }
}

/// Writes a cohort.
struct SetCohort: ServiceCommand {
    static let name = "set"
    static let abstract = "Makes a cohort, or replaces its rule."
    static let examples = [
        """
        signalbox cohort set internal --rule '{"ends_with":[{"var":"email"},"@example.com"]}' --reason 'Colleagues'
        """,
        "signalbox cohort set beta --file beta.json --strict --reason 'Testers of spring'",
    ]

    @Argument("The key of the cohort.") var cohort: String
    @Option("A file with the rule, in JsonLogic; - is standard input.") var file: FilePath?
    @Option("The rule itself.") var rule: JSONText?
    @Option("Refuses a rule that is doubtful.") var strict: Bool
    @Option("Changes it although it decides in a ladder now; only the role admin may.") var force: Bool
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        switch (file, rule) {
        case (let file?, nil): body["rule"] = try file.json()
        case (nil, let rule?): body["rule"] = rule.value
        default: throw CommandError.usage("give one of --file and --rule")
        }
        if strict { body["strict"] = true }
        if force { body["force"] = true }
        return try service.show(.put("cohorts", cohort, body: body)) { answer in
            let line = "\(cohort.printable) is set. \(service.revision(of: answer))"
            return ([line] + (answer["cohort"] ?? .null).warningLines).joined(separator: "\n")
        }
    }
}

/// Removes a cohort.
struct DeleteCohort: ServiceCommand {
    static let name = "delete"
    static let abstract = "Deletes a cohort that nothing uses."
    static let examples = ["signalbox cohort delete beta --reason 'Beta is over'"]

    @Argument("The key of the cohort.") var cohort: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        let request = Request.delete("cohorts", cohort, query: change.query)
        return try service.change(request, said: "\(cohort.printable) is deleted.")
    }
}

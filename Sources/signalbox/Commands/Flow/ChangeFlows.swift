import FlagEvaluation

/// Makes a flow.
struct CreateFlow: ServiceCommand {
    static let name = "create"
    static let abstract = "Makes a flow, the unit of migration and of rollback."
    static let examples = ["signalbox flow create trips --owner trips-team --reason 'Trips move in spring'"]

    @Argument("The key that the flow will have.") var flow: String
    @Option("Who answers for the flow.") var owner: String
    @Option("How long a journey lives, such as 30m, 24h or 7d; 24h unless it is given.") var journeyLifetime: Lifetime?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("key", flow)
        body.set("owner", owner)
        body.set("journeyLifetimeSeconds", journeyLifetime?.seconds)
        return try service.show(.post("flows", body: body)) { answer in
            "\(answer["flow"]?.shown("key") ?? flow) is a flow. \(service.revision(of: answer))"
        }
    }
}

/// Changes a flow.
struct EditFlow: ServiceCommand {
    static let name = "edit"
    static let abstract = "Changes the owner of a flow, or how long its journeys live."
    static let examples = ["signalbox flow edit trips --journey-lifetime 48h --reason 'Long drafts'"]

    @Argument("The key of the flow.") var flow: String
    @Option("Who answers for the flow.") var owner: String?
    @Option("How long a journey lives, such as 30m, 24h or 7d.") var journeyLifetime: Lifetime?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        guard owner != nil || journeyLifetime != nil else {
            throw CommandError.usage("name at least one of --owner and --journey-lifetime")
        }
        var body = change.body
        body.set("owner", owner)
        body.set("journeyLifetimeSeconds", journeyLifetime?.seconds)
        return try service.show(.patch("flows", flow, body: body)) { answer in
            "\(answer["flow"]?.shown("key") ?? flow) is changed. \(service.revision(of: answer))"
        }
    }
}

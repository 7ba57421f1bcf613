/// All routes in a table.
struct ListRoutes: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all routes with their stage and status."
    static let examples = ["signalbox route list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("routes")) { service.table(ofRoutes: $0.list("routes")) }
    }
}

import FlagEvaluation
import Rollouts
import RouteContract

/// Makes a build known.
struct RegisterBuild: ServiceCommand {
    static let name = "register"
    static let abstract = "Registers a build: which renderers it has compiled, for which routes."
    static let discussion =
        "The routes must be registered before. What a build has is never guessed, and never changed: a build that is "
        + "registered stays as it is, except for --released-at. Correct a mistake under a new number."
    static let examples = [
        "signalbox build register app:730 --version 7.30 --released-at now --route trips.edit=legacy,migrated --reason CI",
        "signalbox build register app:731 --version 7.31 --renderers renderers.json --reason CI",
    ]

    @Argument("The build, as app and number.") var build: BuildID
    @Option("The version as people see it.") var version: String
    @Option("When it was released: now, a day, or a time such as 2026-03-01T09:30:00Z.") var releasedAt: Timestamp?
    @Option("The oldest system that it runs on.") var minimumOS: String?
    @Option("The commit that it was built from.") var commit: String?
    @Option("A JSON file: {\"trips.edit\": [\"legacy\", \"migrated\"], …}. Needed, unless --route is given.")
    var renderers: FilePath?
    @Option("The renderers of one route.") var route: [RouteRenderers] = []
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("version", version)
        if let releasedAt { body["releasedAt"] = .integer(releasedAt.milliseconds) }
        body.set("minimumOS", minimumOS)
        body.set("commit", commit)
        body["renderers"] = try allRenderers()
        return try service.show(.put("builds", build.text, body: body)) { answer in
            let renderers = answer["build"]?["renderers"]?.object?.entries ?? []
            let routes = service.counted(renderers.count, "route")
            let line = "\(build.text.printable) is registered with \(routes). \(service.revision(of: answer))"
            let migratedOnly = renderers.filter { $0.value == ["migrated"] }.map(\.key.printable)
            guard !migratedOnly.isEmpty else { return line }
            return line + "\nwarning: it has no legacy entry for \(migratedOnly.listed): a rollback does not reach it."
        }
    }

    private func allRenderers() throws -> JSONValue {
        switch (renderers, route.isEmpty) {
        case (let file?, true): return try file.json()
        case (nil, false): return try RouteRenderers.json(route)
        default: throw CommandError.usage("give one of --renderers and --route")
        }
    }
}

/// `trips.edit=legacy,migrated`
struct RouteRenderers: SingleValue {
    static let placeholder = "ROUTE=RENDERERS"
    let route: String
    let renderers: [Renderer]

    init(argument text: String) throws(ValueError) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        let names = parts.last?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        let renderers = names.compactMap { Renderer(rawValue: String($0)) }
        guard parts.count == 2, Key.isValid(parts[0]), !names.isEmpty, renderers.count == names.count,
            Set(renderers).count == names.count
        else { throw ValueError("is '\(text)'; write a route and its renderers, such as trips.edit=legacy,migrated") }
        route = String(parts[0])
        self.renderers = renderers
    }

    /// An object of the renderers by route.
    static func json(_ routes: [RouteRenderers]) throws(CommandError) -> JSONValue {
        var object = JSONObject()
        for item in routes {
            guard object[item.route] == nil else { throw .usage("\(item.route) is given twice") }
            object[item.route] = .array(item.renderers.map { .string($0.rawValue) })
        }
        return .object(object)
    }
}

extension BuildID: SingleValue {
    static var placeholder: String { "APP:NUMBER" }
    init(argument text: String) throws(ValueError) {
        guard let build = BuildID(text), Key.isValid(build.app) else {
            throw ValueError("is '\(text)', not a build such as app:730")
        }
        self = build
    }
}

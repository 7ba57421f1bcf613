import FlagEvaluation
import RouteContract

/// What needs a person now.
struct Status: ServiceCommand {
    static let name = "status"
    static let abstract = "Says on one screen which routes need a person now, and how far all have come."
    static let examples = ["signalbox status"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("routes")) { answer in
            let routes = answer.list("routes")
            return attention(routes, service) + "\n\n" + progress(routes, service)
        }
    }

    private func attention(_ routes: [JSONValue], _ service: Service) -> String {
        let needs = routes.flatMap { Need.needs(of: $0, at: service.terminal.now()) }.sorted { $0.urgency < $1.urgency }
        var table = Table("NEEDS YOU", "ROUTE", "OWNER", "WHY", "TO DO")
        for need in needs.prefix(Need.mostShown) { table.add(need.what, need.route, need.owner, need.why, need.remedy) }
        let text = service.tell(table, ifEmpty: "Nothing needs a person now.")
        let more = needs.count - Need.mostShown
        return more > 0 ? text + "\nand \(more) more: signalbox route list" : text
    }

    private func progress(_ routes: [JSONValue], _ service: Service) -> String {
        guard !routes.isEmpty else { return "There are no routes." }
        var stages: [(name: String, count: Int)] = Stage.allCases.map { ($0.rawValue, 0) }
        for route in routes {
            if let index = stages.firstIndex(where: { $0.name == route.shown("stage") }) { stages[index].count += 1 }
        }
        let counts = stages.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        return "\(service.counted(routes.count, "route")): \(counts.joined(separator: ", "))."
    }
}

/// One reason why a route needs a person.
struct Need: Equatable {
    /// A list longer than this does not fit on a screen.
    static let mostShown = 15
    /// How long a stage between the first and the last may last before somebody should look.
    static let patienceDays: Int64 = 90
    /// How old a step may be at which a route is held before that is overdue. When a hold began is not stored.
    static let heldStepDays: Int64 = 14

    let urgency: Int
    let what: String
    let route: String
    let owner: String
    let why: String
    let remedy: String

    /// Everything about a route that needs a person, most urgent first.
    static func needs(of route: JSONValue, at now: Timestamp) -> [Need] {
        let view = RouteView(route: route)
        let today = CalendarDate(String(now.text.prefix(10)))
        let owner = route.shown("owner")
        var needs: [Need] = []
        func add(_ urgency: Int, _ what: String, _ why: String, _ remedy: String) {
            needs.append(
                Need(urgency: urgency, what: what, route: view.key, owner: owner, why: why, remedy: remedy))
        }
        func isPast(_ date: String?) -> Bool {
            guard let day = date.flatMap({ CalendarDate($0) }), let today else { return false }
            return day < today
        }
        if view.status == "rolledBack" {
            let origin = route.shown("rolledBackFrom")
            let why = origin.isEmpty ? view.stage : "from \(origin)"
            add(0, "rolled back", why, "signalbox route resume \(view.key) --cause … --reason …")
        }
        let exclusions = route.list("exclusions")
        if let first = exclusions.first {
            let more = exclusions.count > 1 ? " and \(exclusions.count - 1) more" : ""
            add(
                1, "rolled back in part", "\(first.shown("id"))\(more): \(first.shown("reason"))",
                "signalbox route resume \(view.key) --scope \(first.shown("id")) --reason …")
        }
        if let stop = route["stop"], !stop.isNull {
            add(
                0, "stopped", "by \(stop.shown("condition"))",
                "signalbox route resume \(view.key) --cause … --reason …")
        }
        if let forced = route["forcedMove"], !forced.isNull {
            add(
                3, "forced", "to \(forced.shown("move")) by \(forced.shown("actor"))",
                "signalbox route gates \(view.key)")
        }
        if view.status == "held" {
            let stepDays = now.milliseconds / 86_400_000 - max(0, route.number("stepSince")) / 86_400_000
            add(1, "held", "\(view.stage) \(view.shortStep)", "signalbox route resume \(view.key) --reason …")
            if route["stepSince"] != nil, stepDays > heldStepDays {
                add(
                    2, "overdue", "held, at a step that began \(stepDays) days ago",
                    "signalbox route resume \(view.key) --reason …")
            }
        }
        if let date = route["deletion"]?["date"]?.string, isPast(date), view.stage != Stage.oldDeleted.rawValue {
            add(2, "overdue", "legacy was to be deleted on \(date.printable)", "signalbox route show \(view.key)")
        }
        if let date = route["island"]?["reviewDate"]?.string, view.status == "island", isPast(date) {
            add(
                2, "overdue", "island was to be reviewed on \(date.printable)",
                "signalbox route island \(view.key) --owner \(owner.isEmpty ? "…" : owner) --review-date … --reason …")
        }
        if let step = view.stepToApprove(at: now) {
            add(2, "to approve", "step \(step)", "signalbox route approve \(view.key) --reason …")
        }
        let stage = Stage(rawValue: view.stage)
        let isUnderWay = stage.map { $0 > .notStarted && $0 < .oldDeleted } ?? false
        if isUnderWay, view.status == "active" {
            if owner.isEmpty { add(3, "no owner", view.stage, "signalbox route edit \(view.key) --owner … --reason …") }
            let since = Timestamp(milliseconds: max(route.number("stageSince"), route.number("stepSince")))
            if now.milliseconds / 86_400_000 - since.milliseconds / 86_400_000 > patienceDays {
                add(4, "stuck", "\(view.stage) for \(since.age(at: now))", "signalbox route gates \(view.key)")
            }
        }
        return needs
    }
}

import FlagEvaluation
import Rollouts
import RouteContract

/// How long the programme takes.
struct MakeForecast: LocalCommand {
    static let name = "forecast"
    static let abstract =
        "Says how many releases it takes until all routes are done, by two models, and how it really went."
    static let discussion = """
        Both models assume that a share of all routes is touched in a release. Linear: only such as are not done yet, so \
        that a release moves as many each time. Random touching: any, done or not, so that the same part of what is left \
        stays each time, and the last routes take longest. What was observed assumes nothing but that it goes on so. \
        Without --routes the service counts routes that are no islands, releases and moves. With it nothing is asked, and \
        --json prints as much as can be told.
        """
    static let examples = [
        "signalbox forecast", "signalbox forecast --share 3% --flow trips --stage oldDeleted --days 180",
        "signalbox forecast --routes 300 --share 5%",
        "signalbox forecast --routes 300 --done 40 --release-days 14 --share 5%",
    ]

    @Option("What a release touches of all routes; 5% unless it is given.") var share: Share?
    @Option("Only the routes of this flow.") var flow: String?
    @Option("The stage at which a route is done; defaultNew unless it is given.") var stage: GoalStage?
    @Option("The days back to which releases and moves are looked at, from 7 to 366; 90 unless they are given.")
    var days: DaysBack?
    @Option("How many routes there are, from 0 to 1000000, to plan without a service.") var routes: RouteCount?
    @Option("How many of them are done.") var done: RouteCount?
    @Option("The days from one release to the next.") var releaseDays: ReleaseDays?
    let connection = ConnectionOptions()

    func run(_ terminal: Terminal) throws -> ExitCode {
        guard let routes else { return try ask(terminal) }
        guard flow == nil, stage == nil, days == nil, connection.url == nil else {
            throw CommandError.usage("--routes asks no service: leave --flow, --stage, --days and --url away")
        }
        let done = done?.number ?? 0
        guard done <= routes.number else { throw CommandError.usage("--done is \(done), more than there are routes") }
        let forecast = Forecast(total: routes.number, done: done, share: share?.units ?? Forecast.usualShare)
        let now = terminal.now().milliseconds
        let json = JSONValue.object(forecast.json(intervalDays: releaseDays.map { Double($0.number) }, at: now))
        if connection.json {
            terminal.emit(Array(json.jsonText.utf8))
        } else {
            terminal.say(ForecastReport(json).text)
        }
        return .done
    }

    private func ask(_ terminal: Terminal) throws -> ExitCode {
        guard done == nil, releaseDays == nil else {
            throw CommandError.usage("--done and --release-days go with --routes; the service knows them itself")
        }
        let query = [
            ("share", share.map { "\($0.units)" }), ("flow", flow), ("stage", stage?.rawValue),
            ("days", days?.description),
        ]
        let service = try Service(connection, on: terminal)
        return try service.show(.get("forecast", query: query)) { ForecastReport($0).text }
    }
}

/// A stage at which a route may be called done.
struct GoalStage: SingleValue, CaseIterable, RawRepresentable {
    static let allCases = Stage.allCases.compactMap { GoalStage(rawValue: $0.rawValue) }
    private let stage: Stage
    var rawValue: String { stage.rawValue }

    init?(rawValue: String) {
        guard let stage = Stage(rawValue: rawValue), stage > .notStarted else { return nil }
        self.stage = stage
    }
}

/// The days that are looked back.
struct DaysBack: NumberInRange {
    static let placeholder = "DAYS"
    static let range = 7...366
    let number: Int
}

/// How many routes there are, or are done.
struct RouteCount: NumberInRange {
    static let range = 0...Forecast.mostRoutes
    let number: Int
}

/// The days from one release to the next.
struct ReleaseDays: NumberInRange {
    static let placeholder = "DAYS"
    static let range = 1...366
    let number: Int
}

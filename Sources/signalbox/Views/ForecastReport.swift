import FlagEvaluation

/// A forecast in words: both models side by side, what each assumes, and what was observed.
struct ForecastReport {
    private let forecast: JSONValue

    /// What `/v1/forecast` answers, or as much of it as can be told without a service.
    init(_ forecast: JSONValue) { self.forecast = forecast }

    var text: String {
        [summary, milestones, assumptions].joined(separator: "\n\n")
    }

    private var summary: String {
        let routes = forecast["routes"] ?? .null
        let isOne = routes.number("done") == 1
        let goal =
            forecast["stage"].map { "\(isOne ? "has" : "have") reached \($0.shown)" }
            ?? (isOne ? "is done" : "are done")
        let flow = forecast["flow"]?.string.map { " of \($0.printable)" } ?? ""
        let islands = routes.number("islands")
        return "\(routes.shown("done")) of \(routes.shown("total")) routes\(flow) \(goal); "
            + "\(routes.shown("left")) \(routes.number("left") == 1 ? "is" : "are") left."
            + (islands > 0 ? " Islands are not counted; there \(islands == 1 ? "is" : "are") \(islands)." : "")
    }

    /// From the start is only told where it is not the same as from now.
    private var milestones: String {
        var table = Table("RELEASES UNTIL DONE", "LINEAR", "RANDOM TOUCHING")
        let isUnderWay = (forecast["routes"]?.number("done") ?? 0) > 0
        for (member, name) in [("fromStart", "from the start"), ("fromNow", "from now")]
        where isUnderWay || member == "fromNow" {
            let columns = ["linear", "randomTouching"].map { forecast[$0]?.list(member) ?? [] }
            for (linear, random) in zip(columns[0], columns[1]) {
                table.add("\(part(linear)) \(name)", releases(linear), releases(random))
            }
        }
        return table.text(coloured: false, ifEmpty: "")
    }

    private func part(_ milestone: JSONValue) -> String {
        switch milestone.number("part") {
        case 50_000: "half"
        case 100_000: "all"
        case let part: Share(units: Int(clamping: part)).text
        }
    }

    /// `13.51 (14: 2027-01-05)`: the number, the release with which it is so, and when that is.
    private func releases(_ milestone: JSONValue) -> String {
        let number = milestone.shown("releases")
        if number.isEmpty { return "never" }
        let whole = milestone.shown("wholeReleases")
        let day = milestone.time("at").prefix(10)
        if day.isEmpty { return whole == number ? number : "\(number) (\(whole))" }
        return "\(number) (\(whole): \(day))"
    }

    private var assumptions: String {
        let share = Share(units: Int(clamping: forecast.number("share"))).text
        let moves = forecast["linear"]?.shown("routesPerRelease") ?? ""
        let stays = Share(units: Int(clamping: forecast["randomTouching"]?.number("leftAfterRelease") ?? 0)).text
        return facts([
            "linear": "each release moves \(moves) \(moves == "1" ? "route" : "routes"), "
                + "\(share) of all, none of them twice",
            "random touching": "each release touches any \(share) of all, done or not: \(stays) of what is left stays",
            "all": "by random touching, when on average at most \(lastPart) is left",
            "a release": pace, "observed": observed,
        ])
    }

    /// As much as counts as nothing.
    private var lastPart: String {
        (forecast["routes"]?.number("total") ?? 0) < 50 ? "a hundredth of all routes" : "half a route"
    }

    private var pace: String {
        guard let releases = forecast["releases"] else { return "" }
        let days = releases.shown("days")
        guard let app = releases["limitingApp"]?.string else { return "no app has a build with these routes" }
        let count = releases["apps"]?.number(app) ?? 0
        let others = releases["apps"]?.object.map { $0.count > 1 ? ", which is released least often," : "" } ?? ""
        let interval = releases.shown("intervalDays")
        let every = interval == "1" ? "every day" : "every \(interval) days"
        return (count == 0 ? "" : "\(every): ")
            + "\(app.printable)\(others) had \(count == 0 ? "none" : "\(count)") in \(days) days"
    }

    private var observed: String {
        guard let observed = forecast["observed"] else { return "" }
        let (reached, fellBack) = (observed.number("reached"), observed.number("fellBack"))
        let moved =
            (reached == 0 ? "no route" : reached == 1 ? "1 route" : "\(reached) routes") + " came that far and "
            + (fellBack == 0 ? "none" : "\(fellBack)") + " fell back since \(observed.time("since").prefix(10))"
        let month = observed.shown("per30Days")
        if month.isEmpty { return "\(moved); that is too short a time to go by" }
        let release = observed.shown("perRelease")
        let rates = (release.isEmpty ? "" : "\(release) a release, ") + "\(month) in 30 days"
        let end = observed.time("at").prefix(10)
        return "\(moved): \(rates); " + (end.isEmpty ? "no end in sight" : "so all by \(end)")
    }
}

import FlagEvaluation

extension Forecast {
    /// As the wire has it: routes, and both models with their milestones; with an interval also when each would be, if
    /// releases go on like that.
    package func json(intervalDays: Double?, at now: Int64) -> JSONObject {
        var (linear, random) = (
            json(of: .linear, intervalDays, at: now), json(of: .randomTouching, intervalDays, at: now)
        )
        linear["routesPerRelease"] = .decimal(routesPerRelease)
        random["leftAfterRelease"] = .integer(Int64(RolloutPlan.wholeShare - share))
        return [
            "share": .integer(Int64(share)),
            "routes": [
                "total": .integer(Int64(total)), "done": .integer(Int64(done)), "left": .integer(Int64(left)),
            ],
            "linear": .object(linear), "randomTouching": .object(random),
        ]
    }

    private func json(of model: Model, _ intervalDays: Double?, at now: Int64) -> JSONObject {
        let later = milestones(by: model).map { milestone in
            var json = milestone.json
            let days = milestone.wholeReleases.flatMap { count in intervalDays.map { Double(count) * $0 } }
            json["at"] = .number(Self.time(after: days, from: now))
            return json
        }
        return [
            "fromStart": .objects(fromStart.milestones(by: model).map(\.json)), "fromNow": .objects(later),
        ]
    }

    /// Milliseconds since 1970; nil for what is not within a hundred years, which is no date to plan with.
    package static func time(after days: Double?, from now: Int64) -> Int64? {
        guard let days, days <= 36_525 else { return nil }
        let (time, overflows) = now.addingReportingOverflow(Int64(days * 86_400_000))
        return overflows ? nil : time
    }
}

extension Forecast.Milestone {
    fileprivate var json: JSONObject {
        [
            "part": .integer(Int64(part)), "releases": .hundredths(releases),
            "wholeReleases": .number(wholeReleases.map(Int64.init)),
        ]
    }
}

extension Throughput {
    /// As the wire has it; with the days between two releases also what a release brings.
    package func json(left: Int, intervalDays: Double?) -> JSONObject {
        [
            "since": .integer(since), "until": .integer(until), "reached": .integer(Int64(reached)),
            "fellBack": .integer(Int64(fellBack)),
            "perRelease": .hundredths(perDay.flatMap { perDay in intervalDays.map { perDay * $0 } }),
            "per30Days": .hundredths(perDay.map { $0 * 30 }),
            "at": .number(Forecast.time(after: days(until: left), from: until)),
        ]
    }
}

extension ReleasePace {
    /// As the wire has it.
    package var json: JSONObject {
        [
            "days": .integer(Int64(days)),
            "apps": .object(
                JSONObject(releases.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) })),
            "limitingApp": .text(limitingApp), "intervalDays": .hundredths(intervalDays),
        ]
    }
}

extension JSONValue {
    /// The number to two places, or null. What is not 0 does not become 0: it is at least a hundredth.
    fileprivate static func hundredths(_ number: Double?) -> JSONValue {
        guard let number, number.isFinite else { return .null }
        let nearest = (number * 100).rounded() / 100
        let rounded = nearest == 0 && number != 0 ? (number < 0 ? -0.01 : 0.01) : nearest
        return .decimal(rounded)
    }
}

import FlagEvaluation
import Rollouts

/// All builds in a table.
struct ListBuilds: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all builds with their age and their share of the app's journeys in the last 7 days."
    static let examples = ["signalbox build list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("builds")) { answer in
            var table = Table("BUILD", "VERSION", "AGE", "SHARE", "LAST SEEN", "BOTH", "LEGACY ONLY", "MIGRATED ONLY")
            let usage = answer.list("usage")
            let now = Timestamp.now
            for build in answer.list("builds") {
                let sets = build["renderers"]?.object?.entries.map { $0.value.array?.map(\.shown) ?? [] } ?? []
                let counts = [["legacy", "migrated"], ["legacy"], ["migrated"]].map { wanted in
                    sets.count { Set($0) == Set(wanted) }
                }
                let used = usage.first { $0["build"] == build["build"] }
                let age = build["releasedAt"]?.integer.map { Timestamp(milliseconds: $0).age(at: now) }
                // The service counts by the hour.
                let seen = used?["lastSeenAt"]?.integer.map { start in
                    now.milliseconds - start < 3_600_000
                        ? "this hour" : "\(Timestamp(milliseconds: start).age(at: now)) ago"
                }
                table.add(
                    build.shown("build"), build.shown("version"), age ?? "not released",
                    used.map { Share(units: Int(clamping: $0.number("share"))).text } ?? "",
                    seen ?? "",
                    "\(counts[0])", "\(counts[1])", "\(counts[2])")
            }
            let others = usage.first { $0["build"]?.isNull == true }?.number("last7d") ?? 0
            let note =
                others == 0
                ? ""
                : "\n\(service.counted(Int(clamping: others), "journey")) in 7 days came from builds that are not registered."
            return service.tell(table, ifEmpty: "There are no builds.") + note
        }
    }
}

/// One build and what it has compiled.
struct ShowBuild: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows a build and the renderers that it has, route by route."
    static let examples = ["signalbox build show app:730"]

    @Argument("The build.") var build: BuildID

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("builds", build.text)) { build in
            var table = Table("ROUTE", "RENDERERS")
            for (route, renderers) in build["renderers"]?.object?.entries ?? [] {
                table.add(route.printable, renderers.array?.map(\.shown).joined(separator: ", ") ?? "")
            }
            return facts([
                "build": build.shown("build"), "version": build.shown("version"), "released": build.time("releasedAt"),
                "minimum OS": build.shown("minimumOS"), "commit": build.shown("commit"),
            ]) + "\n\n" + service.tell(table, ifEmpty: "It has no routes.")
        }
    }
}

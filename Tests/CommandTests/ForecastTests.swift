import Foundation
import Testing

@testable import signalbox

@Suite struct `The forecast` {
    /// What the service answers for 300 routes of which 40 are done.
    private static let answer = #"""
        {"share":5000,"routes":{"total":300,"done":40,"left":260,"islands":2},
        "linear":{"fromStart":[{"part":50000,"releases":10,"wholeReleases":10},
        {"part":100000,"releases":20,"wholeReleases":20}],
        "fromNow":[{"part":50000,"releases":7.33,"wholeReleases":8,"at":1789948800000},
        {"part":100000,"releases":17.33,"wholeReleases":18,"at":1802044800000}],"routesPerRelease":15},
        "randomTouching":{"fromStart":[{"part":50000,"releases":13.51,"wholeReleases":14},
        {"part":100000,"releases":124.71,"wholeReleases":125}],
        "fromNow":[{"part":50000,"releases":10.72,"wholeReleases":11,"at":1793577600000},
        {"part":100000,"releases":121.92,"wholeReleases":122,"at":null}],"leftAfterRelease":95000},
        "flow":null,"stage":"defaultNew",
        "releases":{"days":90,"apps":{"app":6,"pad":9},"limitingApp":"app","intervalDays":15},
        "observed":{"since":1772496000000,"until":1780272000000,"reached":12,"fellBack":1,"perRelease":1.83,
        "per30Days":3.67,"at":1964044800000}}
        """#

    @Test func `shows both models side by side, and what was observed`() throws {
        let service = try CannedService(200, Self.answer)
        defer { service.stop() }
        #expect(
            Run("forecast --share 5% --stage defaultNew --days 90 --flow f", at: service).output == """
                40 of 300 routes have reached defaultNew; 260 are left. Islands are not counted; there are 2.

                RELEASES UNTIL DONE  LINEAR                  RANDOM TOUCHING
                half from the start  10                      13.51 (14)
                all from the start   20                      124.71 (125)
                half from now        7.33 (8: 2026-09-21)    10.72 (11: 2026-11-02)
                all from now         17.33 (18: 2027-02-08)  121.92 (122)

                linear           each release moves 15 routes, 5% of all, none of them twice
                random touching  each release touches any 5% of all, done or not: 95% of what is left stays
                all              by random touching, when on average at most half a route is left
                a release        every 15 days: app, which is released least often, had 6 in 90 days
                observed         12 routes came that far and 1 fell back since 2026-03-03: 1.83 a release, 3.67 in 30 days; so all by 2032-03-28

                """)
        let target = "/v1/forecast?share=5000&flow=f&stage=defaultNew&days=90"
        #expect(service.requests.map(\.target) == [target])
        let json = Run("forecast --json", at: service)
        #expect((json.output, service.requests.last?.target) == (Self.answer + "\n", "/v1/forecast"))
    }

    @Test(arguments: [
        (#"{"days":90,"apps":{},"limitingApp":null}"#, "a release        no app has a build with these routes"),
        (
            #"{"days":30,"apps":{"app":0},"limitingApp":"app","intervalDays":null}"#,
            "a release        app had none in 30 days"
        ),
        (
            #"{"days":30,"apps":{"app":0,"pad":1},"limitingApp":"app","intervalDays":null}"#,
            "a release        app, which is released least often, had none in 30 days"
        ),
        (
            #"{"days":9,"apps":{"app":9},"limitingApp":"app","intervalDays":1}"#,
            "a release        every day: app had 9 in 9 days"
        ),
    ])
    func `says when releases have no pace`(releases: String, line: String) throws {
        let service = try CannedService(200, #"{"releases":\#(releases)}"#)
        defer { service.stop() }
        #expect(Run("forecast", at: service).output.contains(line + "\n"))
    }

    @Test(arguments: [
        (#""per30Days":null,"at":null"#, "; that is too short a time to go by"),
        (#""perRelease":0,"per30Days":0,"at":null"#, ": 0 a release, 0 in 30 days; no end in sight"),
        (#""perRelease":null,"per30Days":-1,"at":null"#, ": -1 in 30 days; no end in sight"),
    ])
    func `says when what was observed leads nowhere`(members: String, end: String) throws {
        let observed = #"{"since":1772496000000,"reached":0,"fellBack":0,\#(members)}"#
        let service = try CannedService(200, #"{"observed":\#(observed)}"#)
        defer { service.stop() }
        #expect(
            Run("forecast", at: service).output
                .contains("observed         no route came that far and none fell back since 2026-03-03\(end)\n"))
    }

    @Test func `counts one as one`() throws {
        let routes = #"{"total":2,"done":1,"left":1,"islands":1}"#
        let service = try CannedService(
            200,
            #"{"stage":"defaultNew","routes":\#(routes),"linear":{"routesPerRelease":1},"observed":{"reached":1}}"#)
        defer { service.stop() }
        let output = Run("forecast", at: service).output
        #expect(
            output.hasPrefix(
                "1 of 2 routes has reached defaultNew; 1 is left. Islands are not counted; there is 1.\n"))
        #expect(output.contains("each release moves 1 route, "))
        #expect(output.contains("1 route came that far and none fell back"))
    }

    @Test func `offers no stage at which every route begins`() {
        let help = Run(["forecast", "--help"], environment: [:]).output
        #expect(help.contains("compatible|partialRollout") && !help.contains("notStarted"))
        #expect(help.contains("from 0 to 1000000"))
    }

    /// With no address and no key: nothing is asked.
    @Test func `plans without a service`() {
        let plan = Run(["forecast", "--routes", "300", "--share", "5%"], environment: [:])
        #expect(
            plan.output == """
                0 of 300 routes are done; 300 are left.

                RELEASES UNTIL DONE  LINEAR     RANDOM TOUCHING
                half from now        10         13.51 (14)
                95% from now         19         58.4 (59)
                99% from now         19.8 (20)  89.78 (90)
                all from now         20         124.71 (125)

                linear           each release moves 15 routes, 5% of all, none of them twice
                random touching  each release touches any 5% of all, done or not: 95% of what is left stays
                all              by random touching, when on average at most half a route is left

                """)
        let dated = Run(
            ["forecast", "--routes", "300", "--done", "150", "--release-days", "14", "--json"], environment: [:])
        #expect(dated.status == .done)
        #expect(dated.output.contains(#"{"part":100000,"releases":10,"wholeReleases":10,"at":1792368000000}"#))
        let nearly = Run(["forecast", "--routes", "199", "--done", "197", "--share", "5%"], environment: [:])
        #expect(nearly.output.contains("\n99% from now         0.01 (1)"))
        let never = Run(["forecast", "--routes", "3", "--share", "0"], environment: [:])
        #expect(never.output.contains("\nall from now         never   never\n"))
        #expect(never.output.contains("at most a hundredth of all routes is left\n"))
    }

    @Test(arguments: [
        "forecast --routes 3 --flow f", "forecast --routes 3 --days 9", "forecast --routes 3 --stage defaultNew",
        "forecast --routes 3 --url http://127.0.0.1:1", "forecast --done 3", "forecast --release-days 9",
        "forecast --routes 3 --done 4", "forecast --routes -1", "forecast --routes 1000001", "forecast --share 5",
        "forecast --routes 3 --release-days 0", "forecast --days x", "forecast --stage later",
        "forecast --stage notStarted", "forecast --days 6", "forecast --days 367",
    ])
    func `is refused for what does not go together`(line: String) {
        #expect(Run(line.split(separator: " ").map(String.init)).status == .usage)
    }
}

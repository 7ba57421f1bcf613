import FlagEvaluation
import Foundation
import Testing

@testable import signalbox

@Suite struct `What is asked of the service` {
    @Test(arguments: [
        ("status", "GET /v1/status", ""),
        ("overdue --owner Ann", "GET /v1/status?overdue=true&owner=Ann&limit=1000", ""),
        ("route list", "GET /v1/routes", ""),
        ("route show trips.edit", "GET /v1/routes/trips.edit", ""),
        ("route show trips.edit --as-flag", "GET /v1/routes/trips.edit/flag", ""),
        ("route show ../keys?x=1#y", "GET /v1/routes/..%2Fkeys%3Fx%3D1%23y", ""),
        ("route show ..", "GET /v1/routes/%2E%2E", ""),
        ("route gates a", "GET /v1/routes/a/gates", ""),
        ("route journeys a", "GET /v1/routes/a/journeys", ""),
        ("route edit a --restore redecide --reason r", "PATCH /v1/routes/a", #"{"reason":"r","restore":"redecide"}"#),
        (
            "journey resume 019b76da-a800-7000-8000-000000000001 --flow f --unit u --build app:7 "
                + "--attempt 019b76da-a800-7000-8000-000000000002 --last-process-died",
            "POST /v1/journeys/019b76da-a800-7000-8000-000000000001/resume",
            #"{"attempt":"019b76da-a800-7000-8000-000000000002","flow":"f","unit":"u","build":"app:7","#
                + #""lastProcessDied":true}"#
        ),
        (
            "journey conflict 019b76da-a800-7000-8000-000000000001 --shown a=legacy --shown b=migrated",
            "POST /v1/journeys/019b76da-a800-7000-8000-000000000001/conflict",
            #"{"choices":{"a":"legacy","b":"migrated"}}"#
        ),
        (
            "journey start f --id 019b76da-a800-7000-8000-000000000001 --unit u --build app:7 "
                + "--parent 019b76da-a800-7000-8000-000000000002", "POST /v1/journeys",
            #"{"id":"019b76da-a800-7000-8000-000000000001","flow":"f","unit":"u","build":"app:7","#
                + #""parent":"019b76da-a800-7000-8000-000000000002"}"#
        ),
        ("route advance a --reason r", "POST /v1/routes/a/advance", #"{"reason":"r"}"#),
        ("condition freeze a --reason r", "POST /v1/routes/a/conditions/freeze", #"{"reason":"r"}"#),
        (
            "condition put a c --metric crash --margin 2 --alpha-share 0.02 --action hold --reason r",
            "PUT /v1/routes/a/conditions/c",
            #"{"reason":"r","metric":"crash","action":"hold","margin":2,"alphaShare":0.02}"#
        ),
        (
            "condition check a c --metric completion --planned-units 9", "PUT /v1/routes/a/conditions/c",
            #"{"reason":"check","dryRun":true,"metric":"completion","method":{"test":"confidenceSequence","plannedUnits":9}}"#
        ),
        ("condition remove a c --reason r", "DELETE /v1/routes/a/conditions/c?reason=r", ""),
        ("condition list a", "GET /v1/routes/a/conditions", ""),
        ("key rotate k --overlap 0 --reason r", "POST /v1/keys/k/rotate", #"{"reason":"r","overlapSeconds":0}"#),
        ("key rotate k --overlap 24h --reason r", "POST /v1/keys/k/rotate", #"{"reason":"r","overlapSeconds":86400}"#),
        ("waiver list --route a", "GET /v1/waivers?route=a", ""),
        (
            "waiver revoke a parity --move defaultNew --reason r",
            "DELETE /v1/routes/a/waivers?gate=parity&reason=r&move=defaultNew", ""
        ),
        ("evidence list --route a --kind parity --limit 5", "GET /v1/evidence?route=a&kind=parity&limit=5", ""),
        ("route gates --all", "GET /v1/gates", ""),
        (
            "route advance a --reason r --force --dry-run", "POST /v1/routes/a/advance",
            #"{"reason":"r","dryRun":true,"force":true}"#
        ),
        (
            "route advance a --reason r --if-revision 41", "POST /v1/routes/a/advance",
            #"{"reason":"r","ifRevision":41}"#
        ),
        ("flag delete f --reason r --if-revision 41", "DELETE /v1/flags/f?reason=r&ifRevision=41", ""),
        ("route retreat a --reason r", "POST /v1/routes/a/retreat", #"{"reason":"r"}"#),
        ("route hold a --reason r", "POST /v1/routes/a/hold", #"{"reason":"r"}"#),
        (
            "route resume a --reason r --cause c --step 2", "POST /v1/routes/a/resume",
            #"{"reason":"r","cause":"c","step":2}"#
        ),
        ("route rollback a --reason r --dry-run", "POST /v1/routes/a/rollback", #"{"reason":"r","dryRun":true}"#),
        (
            "route island a --owner o --review-date 2027-01-15 --reason r", "POST /v1/routes/a/island",
            #"{"reason":"r","owner":"o","reviewDate":"2027-01-15"}"#
        ),
        (
            "route register a --flow f --owner o --purpose p --entry-point deepLink=a/{id} --entry-point inApp=b=c "
                + "--requires x --requires y --step internal=50% --step 5% --deletion-date 2027-03-01 "
                + "--deletion-owner d --reason r",
            "POST /v1/routes",
            #"{"reason":"r","key":"a","flow":"f","owner":"o","purpose":"p","entryPoints":["#
                + #"{"kind":"deepLink","source":"a/{id}"},{"kind":"inApp","source":"b=c"}],"requires":["x","y"],"#
                + #""plan":{"steps":[{"cohort":"internal","share":50000},{"cohort":null,"share":5000}]},"#
                + #""deletion":{"date":"2027-03-01","owner":"d"}}"#
        ),
        ("route edit a --owner o --reason r", "PATCH /v1/routes/a", #"{"reason":"r","owner":"o"}"#),
        ("flow create f --owner o --reason r", "POST /v1/flows", #"{"reason":"r","key":"f","owner":"o"}"#),
        (
            "flow edit f --journey-lifetime 48h --reason r", "PATCH /v1/flows/f",
            #"{"reason":"r","journeyLifetimeSeconds":172800}"#
        ),
        ("flow rollback f --reason r", "POST /v1/flows/f/rollback", #"{"reason":"r"}"#),
        ("rollback --all --reason r", "POST /v1/rollback", #"{"reason":"r"}"#),
        ("rollback --all --reason r --dry-run", "POST /v1/rollback", #"{"reason":"r","dryRun":true}"#),
        ("hold --all --reason r", "POST /v1/hold", #"{"reason":"r"}"#),
        ("flag enable f --reason r", "POST /v1/flags/f/enable", #"{"reason":"r"}"#),
        ("flag disable f --reason r", "POST /v1/flags/f/disable", #"{"reason":"r"}"#),
        ("flag delete f --reason a&b", "DELETE /v1/flags/f?reason=a%26b", ""),
        (
            #"flag set f --definition {"state":"ENABLED","variants":{"a":1.0}} --strict --reason r"#, "PUT /v1/flags/f",
            #"{"reason":"r","definition":{"state":"ENABLED","variants":{"a":1.0}},"strict":true}"#
        ),
        (
            #"cohort set c --rule {"var":"a"} --reason r"#, "PUT /v1/cohorts/c", #"{"reason":"r","rule":{"var":"a"}}"#
        ),
        ("cohort delete c --reason r", "DELETE /v1/cohorts/c?reason=r", ""),
        ("override list --route a", "GET /v1/overrides?route=a", ""),
        (
            "override set a --unit u --renderer migrated --owner o --expires 2027-01-15T08:00:00Z --reason r",
            "POST /v1/overrides",
            #"{"reason":"r","route":"a","unit":"u","renderer":"migrated","owner":"o","expiresAt":1800000000000}"#
        ),
        ("override clear a --unit u/1 --reason r", "DELETE /v1/overrides?route=a&unit=u%2F1&reason=r", ""),
        ("override clear a --all --reason r", "DELETE /v1/overrides?route=a&all=true&reason=r", ""),
        ("environment show", "GET /v1/environment", ""),
        (
            "environment set --unknown-build trust --reason r", "PATCH /v1/environment",
            #"{"reason":"r","unknownBuild":"trust"}"#
        ),
        ("flag export --routes", "GET /v1/flags/export?bucketing=v2&routes=true", ""),
        (
            #"flag preview f --definition {"state":"ENABLED"}"#, "PUT /v1/flags/f",
            #"{"reason":"preview","dryRun":true,"reshuffle":true,"definition":{"state":"ENABLED"}}"#
        ),
        (
            #"flag set f --definition {"a":1} --bucketing v2 --reshuffle --reason r"#, "PUT /v1/flags/f",
            #"{"reason":"r","definition":{"a":1},"bucketing":"v2","reshuffle":true}"#
        ),
        (
            #"eval f --unit u --build app:7 --context {"a":1} --explain"#, "POST /v1/evaluate/f?explain=true",
            #"{"context":{"a":1,"targetingKey":"u","build":"app:7"}}"#
        ),
        (
            #"journey explain 01234567-89ab-7fff-bfff-ffffffffffff --context {"a":1}"#,
            "POST /v1/journeys/01234567-89ab-7fff-bfff-ffffffffffff/explain", #"{"context":{"a":1}}"#
        ),
        ("build show app:730", "GET /v1/builds/app:730", ""),
        (
            "build register app:730 --version 7.30 --released-at 2026-03-01T09:30:00Z --minimum-os 17 --commit abc "
                + "--route a=legacy,migrated --route b=legacy --reason r",
            "PUT /v1/builds/app:730",
            #"{"reason":"r","version":"7.30","releasedAt":1772357400000,"minimumOS":"17","commit":"abc","#
                + #""renderers":{"a":["legacy","migrated"],"b":["legacy"]}}"#
        ),
        (
            "journey start f --unit u --build app:730 --id 01234567-89AB-7fff-bfff-ffffffffffff "
                + #"--context {"email":"a@b"} --has a=legacy"#,
            "POST /v1/journeys",
            #"{"id":"01234567-89ab-7fff-bfff-ffffffffffff","flow":"f","unit":"u","build":"app:730","#
                + #""context":{"email":"a@b"},"has":{"a":["legacy"]}}"#
        ),
        (
            "journey show 01234567-89ab-7fff-bfff-ffffffffffff",
            "GET /v1/journeys/01234567-89ab-7fff-bfff-ffffffffffff", ""
        ),
        (
            "journey finish 01234567-89ab-7fff-bfff-ffffffffffff --status completed --name saved",
            "POST /v1/journeys/01234567-89ab-7fff-bfff-ffffffffffff/outcome", #"{"status":"completed","name":"saved"}"#
        ),
        (
            "key create --kind admin --role editor --holder h --reason r", "POST /v1/keys",
            #"{"reason":"r","kind":"admin","role":"editor","holder":"h"}"#
        ),
        ("key revoke k --reason r", "POST /v1/keys/k/revoke", #"{"reason":"r"}"#),
        ("audit list", "GET /v1/audit?last=100", ""),
        (
            "audit list --last 5 --subject route/trips.edit", "GET /v1/audit?last=5&subject=route%2Ftrips.edit", ""
        ),
        ("audit list --after 7", "GET /v1/audit?after=7&limit=100", ""),
        ("audit list --after 7 --limit 3", "GET /v1/audit?after=7&limit=3", ""),
        ("known-keys route", "GET /v1/routes", ""),
        (
            "key create --kind app --holder h --expires-at 2027-03-01 --reason r", "POST /v1/keys",
            #"{"reason":"r","kind":"app","holder":"h","expiresAt":1803859200000}"#
        ),
    ])
    func `follows from the command line`(line: String, request: String, body: String) throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        _ = Run(line + " --json", at: service)
        let asked = try #require(service.requests.first)
        #expect(service.requests.count == 1)
        #expect("\(asked.method) \(asked.target)" == request)
        #expect(asked.body == body)
        #expect(asked.headers["authorization"] == "Bearer sb_test")
    }

    /// The service takes a plan as a whole: what the line does not say stays.
    @Test(arguments: [
        (
            "route plan a --step 5% --legacy-share-at-deletion 2% --reason r",
            #"{"reason":"r","plan":{"steps":[{"cohort":null,"share":5000}],"legacyShareAtDeletion":2000}}"#
        ),
        (
            "route plan a --step internal=100% --step 5% --reason r --dry-run",
            #"{"reason":"r","dryRun":true,"plan":{"steps":[{"cohort":"internal","share":100000},{"cohort":null,"share":5000}]}}"#
        ),
        (
            "route plan a --step 5% --holdout 2% --reason r",
            #"{"reason":"r","plan":{"steps":[{"cohort":null,"share":5000}],"holdout":2000}}"#
        ),
    ])
    func `of a plan keeps what it had besides`(line: String, body: String) throws {
        for (stored, rest) in [("{}", ""), (#"{"plan":{"steps":[],"releasesBeforeDisabling":5}}"#, "5")] {
            let service = try CannedService(200, stored)
            defer { service.stop() }
            _ = Run(line + " --json", at: service)
            #expect(service.requests.map { "\($0.method) \($0.target)" } == ["GET /v1/routes/a", "PATCH /v1/routes/a"])
            var sent = try JSONValue(parsing: try #require(service.requests.last?.body))
            var plan = try #require(sent["plan"]?.object)
            #expect(plan["releasesBeforeDisabling"]?.integer == Int64(rest))
            plan["releasesBeforeDisabling"] = nil
            var object = try #require(sent.object)
            object["plan"] = .object(plan)
            sent = .object(object)
            #expect(sent.canonicalJSON == (try JSONValue(parsing: body)).canonicalJSON)
        }
    }

    @Test(arguments: [
        ("route advance a", "--reason TEXT is needed"),
        ("route edit a --reason r", "name at least one field"),
        ("route plan a --reason r", "--step [COHORT=]SHARE[,…] is needed"),
        ("route register a --flow f --deletion-date 2027-01-01 --reason r", "belong together"),
        ("route register a --flow f --entry-point deeplink=x --reason r", "did you mean 'deepLink'?"),
        ("route island a --owner o --review-date 2027-02-30 --reason r", "--review-date is '2027-02-30'"),
        ("override clear a --reason r", "give one of --unit and --all"),
        ("override clear a --unit u --all --reason r", "give one of --unit and --all"),
        ("override set a --unit u --renderer new --owner o --expires 7d --reason r", "--renderer is 'new'"),
        ("override set a --unit u --renderer legacy --owner o --expires soon --reason r", "--expires is 'soon'"),
        (
            "route register a --flow f --holdout 2% --reason r",
            "--holdout and --legacy-share-at-deletion go with the steps"
        ),
        ("eval f --context [1]", "--context is not an object"),
        ("flag preview f", "give one of --file and --definition"),
        ("rollback --reason r", "--all is needed; or name one"),
        ("hold --reason r", "--all is needed; or name one"),
        ("route plan a --step staff=50 --reason r", "--step is '50', which counts of 100000; write 50% or 0.05%"),
        ("audit list --last 5 --after 3", "give --last, or --after"),
        ("audit list --timeout 0", "--timeout is '0'; write a number from 1 to 3600"),
        (
            "journey resume 019b76da-a800-7000-8000-000000000001 --flow f --unit u --build app:7 --context []",
            "--context is not an object"
        ),
        ("key create --kind app --holder h --expires-at now --reason r", "--expires-at is 'now'; write a day"),
        ("flow edit f --reason r", "name at least one of"),
        ("flag set f --reason r", "give one of --file and --definition"),
        ("flag set f --definition {\"a\":1,} --reason r", "--definition is not JSON"),
        ("cohort set f --file /nonexistent --reason r", "/nonexistent: No such file"),
        ("build register app --version 1 --route a=legacy --reason r", "BUILD is 'app', not a build such as app:730"),
        ("build register app:1 --version 1 --reason r", "give one of --renderers and --route"),
        ("build register app:1 --version 1 --route a=legacy --route a=migrated --reason r", "a is given twice"),
        ("journey start f --build app:730", "give --unit, or --raw-unit"),
        ("journey start f --build app:730 --unit u --context [1]", "--context is not an object"),
        ("journey finish x --status completed", "ID is 'x', not a UUID of version 7"),
        (
            "key create --kind app --role editor --holder h --reason r",
            "--role goes with --kind admin, not with --kind app"
        ),
        ("key create --kind admin --holder h --reason r", "--kind admin needs --role, one of viewer|"),
    ])
    func `is nothing when the command line is wrong`(line: String, message: String) throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        let run = Run(line, at: service)
        #expect(run.status == .usage)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(service.requests.isEmpty)
    }

    @Test func `of a flag may come from a whole flagd file`() throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("flags.json")
            try write(#"{"flags":{"a":{"state":"ENABLED"}}}"#, to: file, mode: 0o644)
            _ = Run("flag set a --file \(file.path) --reason r", at: service)
            #expect(service.requests.map(\.body) == [#"{"reason":"r","definition":{"state":"ENABLED"}}"#])
            #expect(Run("flag set b --file \(file.path) --reason r", at: service).errors.contains("has no flag 'b'"))
        }
    }

    @Test(arguments: [
        (#"{"flags":{"a":{}},"$evaluators":{"b":true}}"#, "also has $evaluators"),
        (#"{"flags":{"a":{}},"metadata":{"team":"x"}}"#, "also has metadata"), (#"{"flags":[{"key":"a"}]}"#, "lists"),
    ])
    func `of a flag is nothing when its file says more than one flag can`(content: String, why: String) throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("flags.json")
            try write(content, to: file, mode: 0o644)
            let run = Run("flag set a --file \(file.path) --reason r", at: service)
            #expect(run.status == .usage)
            #expect(run.errors.contains(why) && run.errors.contains("signalbox flag import \(file.path)"))
            #expect(service.requests.isEmpty)
        }
    }

    @Test func `of a condition is its file, and what is said beside it`() throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("crash.json")
            try write(#"{"metric":"crash","margin":2,"graceSeconds":5}"#, to: file, mode: 0o644)
            _ = Run("condition put a c --file \(file.path) --margin 3 --reason r", at: service)
            #expect(
                service.requests.map(\.body) == [#"{"reason":"r","metric":"crash","margin":3,"graceSeconds":5}"#])
        }
    }

    @Test(arguments: [
        (#"{"metric":"crash","dryRun":false}"#, "holds dryRun"),
        (#"{"reason":"x","dryRun":true}"#, "holds dryRun, reason"),
        (#"["crash"]"#, "must hold an object"),
    ])
    func `of a condition is nothing when its file says more than what is measured`(content: String, why: String) throws
    {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("crash.json")
            try write(content, to: file, mode: 0o644)
            for line in ["check a c", "put a c --reason r"] {
                let run = Run("condition \(line) --file \(file.path)", at: service)
                #expect(run.status == .usage)
                #expect(run.errors.contains(why))
            }
            #expect(service.requests.isEmpty)
        }
    }

    @Test func `of a flag file is the whole file`() throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("flags.json")
            try write(#"{"flags":[],"metadata":{"a":1.0}}"#, to: file, mode: 0o644)
            _ = Run("flag import \(file.path) --strict --dry-run --bucketing v2 --reshuffle --reason r", at: service)
            #expect(
                service.requests.map(\.body) == [
                    #"{"reason":"r","dryRun":true,"file":{"flags":[],"metadata":{"a":1.0}},"strict":true,"#
                        + #""bucketing":"v2","reshuffle":true}"#
                ])
            #expect(service.requests.map(\.target) == ["/v1/flags/import"])
        }
    }

    @Test func `of a raw unit is its hash`() throws {
        let service = try CannedService(200, "{}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("salt")
            try write("salt\n", to: file, mode: 0o644)
            _ = Run("journey start f --build app:1 --raw-unit device-1 --unit-salt-file \(file.path)", at: service)
            let body = try JSONValue(parsing: service.requests[0].body)
            #expect(body["unit"]?.string == UnitHash.unit(forRawUnit: "device-1", salt: Array("salt".utf8)))
        }
    }
}

import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A move of one route` {
    @Test func `is one revision, one row and one audit entry`() throws {
        let before = try Configuration.example(at: .compatible)
        let applied = try before.applying(.advance, by: eve, reason: "ready", facts: .example, at: noon)
        let route = try applied.configuration.route("trips.edit")
        #expect(applied.configuration.revision == before.revision + 1)
        #expect(applied.rows == [.route(route)])
        let audit = try #require(applied.audit)
        #expect(audit.actor == eve && audit.reason == "ready")
        #expect(audit.action == "route.advance" && audit.subject == "route/trips.edit")
        #expect(audit.before["stage"] == "compatible" && audit.after["stage"] == "partialRollout")
    }

    @Test func `that is repeated changes nothing`() throws {
        for (verb, status) in [(.hold, .held), (.rollback, .rolledBack)] as [(Verb, RouteStatus)] {
            let once = try Configuration.example(at: .partialRollout, step: 2).after(.move(verb))
            #expect(try once.route("trips.edit").status == status)
            #expect(try once.isRepeat(.move(verb)))
        }
    }

    @Test func `of an unknown route is refused`() throws {
        #expect(try Configuration.example.refusal(of: .move(.hold, "nope"))?.code == .routeNotFound)
    }

    @Test func `after a rollback says in the audit what the cause was`() throws {
        let configuration = try Configuration.example(at: .partialRollout, .rolledBack)
        let audit = try configuration.audit(of: .move(.resume(cause: "crash on iOS 17", step: nil)))
        #expect(audit?.after["cause"] == "crash on iOS 17")
    }

    @Test func `back from deleted legacy is refused with the builds that could still obey`() throws {
        var configuration = try Configuration.example(at: .oldDeleted)
        configuration.store(.build(.app(729, ["trips.edit": [.legacy]])))
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]])))
        let error = configuration.refusal(of: .move(.rollback))
        #expect(error?.code == .illegalMove)
        #expect(error?.details["buildsWithLegacy"] == ["app:729", "app:730"])
        #expect(error?.details["legal"] == ["retreat"])
    }

    @Test func `back is stopped by no gate and no role`() throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        configuration.builds = [:]
        configuration.routes["trips.edit"]?.plan = nil
        #expect(try configuration.after(.move(.rollback), by: eve).route("trips.edit").status == .rolledBack)
    }
}

@Suite struct `A move of a flow` {
    private let advance = Command.move(.advance(isForced: false), .flow("trips"))

    @Test func `moves all its routes in one revision`() throws {
        let before = try Configuration.example
        let applied = try before.applying(advance, by: ana, reason: "ready", at: noon)
        #expect(applied.rows.count == 2)
        #expect(applied.configuration.revision == before.revision + 1)
        #expect(applied.audit?.action == "flow.advance" && applied.audit?.subject == "flow/trips")
        #expect(applied.audit?.before["routes"]?.object?.keys == ["trips.edit", "trips.list"])
        #expect(applied.audit?.after["routes"]?["trips.list"]?["stage"] == "compatible")
        #expect(applied.configuration.routes(of: "trips").allSatisfy { $0.stage == .compatible })
    }

    @Test func `moves none of them when one may not`() throws {
        var configuration = try Configuration.example
        configuration.routes["trips.list"]?.contract = nil
        configuration.routes["trips.edit"]?.owner = nil
        let error = configuration.refusal(of: advance)
        #expect(error?.code == .gateNotMet)
        #expect(error?.details["routes"]?.array?.count == 2)
        configuration.routes["trips.list"]?.status = .island
        #expect(configuration.refusal(of: advance)?.code == .illegalMove)
    }

    @Test func `lets routes that require one another pass together`() throws {
        var configuration = try Configuration.example
        configuration.routes["trips.edit"]?.requires = ["trips.list"]
        #expect(configuration.refusal(of: .advance)?.code == .gateNotMet)
        #expect(try configuration.after(advance).route("trips.edit").stage == .compatible)
    }

    @Test func `back leaves out what gives only legacy already`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 2)
        let rollback = Command.move(.rollback, .flow("trips"))
        let after = try configuration.after(rollback)
        #expect(try after.route("trips.edit").status == .rolledBack)
        #expect(try after.route("trips.list") == configuration.route("trips.list"))
        #expect(try configuration.audit(of: rollback)?.after["skipped"] == ["trips.list"])
        #expect(try after.isRepeat(rollback))
    }

    @Test(arguments: [.hold, .rollback] as [Verb])
    func `that stopped what it could is taken back by a resume, which moves no other route`(verb: Verb) throws {
        let before = try Configuration.example(at: .partialRollout, step: 1)
        let stopped = try before.after(.move(verb, .flow("trips")))
        #expect(try stopped.isRepeat(.move(verb, .flow("trips"))))
        let resume = Command.move(.resume(cause: "fixed", step: nil), .flow("trips"))
        let resumed = try stopped.after(resume)
        #expect(try resumed.route("trips.edit").status == .active && resumed.route("trips.edit").step == 1)
        #expect(try resumed.route("trips.list") == before.route("trips.list"), "still notStarted")
        #expect(try stopped.audit(of: resume)?.after["skipped"] == ["trips.list"])
        #expect(try resumed.isRepeat(resume))
    }

    @Test func `that goes on leaves islands where others were stopped, and takes them up where none was`() throws {
        var configuration = try Configuration.example(at: .partialRollout, .held, step: 1)
        configuration.routes["trips.list"]?.stage = .compatible
        configuration.routes["trips.list"]?.status = .island
        let resume = Command.move(.resume(cause: nil, step: nil), .flow("trips"))
        let once = try configuration.after(resume)
        #expect(try once.route("trips.edit").status == .active)
        #expect(try once.route("trips.list").status == .island)
        #expect(try once.after(resume).route("trips.list").status == .active)
    }

    @Test func `is refused where no route can make it`() throws {
        let configuration = try Configuration.example
        for command in [Command.move(.rollback, .flow("trips")), .move(.hold, .flow("orders"))] {
            #expect(configuration.refusal(of: command)?.code == .illegalMove)
        }
        #expect(configuration.refusal(of: .move(.hold, .flow("nope")))?.code == .flowNotFound)
    }
}

@Suite struct `A move of everything` {
    @Test(
        arguments: [
            .advance(isForced: false), .retreat, .resume(cause: "fixed", step: nil),
            .island(owner: "a", reviewDate: "2031-01-01"),
        ] as [Verb])
    func `is only for the verbs that narrow`(verb: Verb) throws {
        let error = try Configuration.example.refusal(of: .move(verb, .all))
        #expect(error?.code == .illegalMove)
        #expect(error?.details["legal"] == ["hold", "rollback"])
    }

    @Test func `stops what can be stopped whatever the others are`() throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 2)
        configuration.routes["trips.list"]?.stage = .oldDeleted
        let applied = try configuration.applying(.move(.rollback, .all), by: eve, reason: "crashes", at: noon)
        #expect(applied.rows.count == 1)
        #expect(try applied.configuration.route("trips.edit").status == .rolledBack)
        #expect(applied.audit?.action == "environment.rollback" && applied.audit?.subject == "environment/production")
        #expect(applied.audit?.after["skipped"] == ["orders.detail", "trips.list"])
    }

    @Test func `keeps islands what they are`() throws {
        let configuration = try Configuration.example(at: .compatible, .island)
        #expect(try configuration.isRepeat(.move(.rollback, .all)))
    }
}

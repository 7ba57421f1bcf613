import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func scope(app: String? = nil, _ builds: String? = nil, os: String? = nil) throws -> RollbackScope {
    var members = JSONObject()
    for (name, value) in [("app", app), ("builds", builds), ("os", os)] {
        members[name] = value.map { .string($0) }
    }
    return try RollbackScope(members: members)
}

extension Configuration {
    /// The example in defaultNew with builds of two apps and several versions.
    fileprivate static func exampleWithBuilds() throws -> Configuration {
        var configuration = try example(at: .defaultNew)
        let both: [String: Set<Renderer>] = ["trips.edit": [.legacy, .migrated]]
        for (number, version) in [(731, "7.3.1"), (732, "7.3.2"), (733, "7.3.10"), (740, "7.4")] as [(Int64, String)] {
            configuration.store(.build(.app(number, both, version: version)))
        }
        configuration.store(
            .build(Build(id: BuildID(app: "pad", number: 12), version: "7.3.1", renderers: both)))
        return configuration
    }

    /// What the route's flag gives in a context of that.
    fileprivate func variant(_ attributes: JSONObject, key: String? = "u-1") -> String? {
        let flags = CompiledConfiguration(self).flags
        guard let index = flags.index(ofKey: "trips.edit") else { return nil }
        let context = EvaluationContext(targetingKey: key, attributes: attributes)
        let outcome = flags.outcome(at: index, for: context, at: noon / 1_000, using: EvaluationScratch())
        return outcome.variant.map { flags[index].variants[$0].name }
    }
}

@Suite struct `A scope` {
    @Test(
        arguments: [
            ("7.3.1..7.3.4", "7.3.1..7.3.4"), ("7.3", "7.3..7.3"), ("app:730..app:734", "app:730..app:734"),
            ("app:730", "app:730..app:730"), ("7.3.4..7.3.1", nil), ("app:730..pad:734", nil), ("7.3.1..", nil),
            ("..7.3.1", nil), ("7.3.1..7.3.2..7.3.3", nil), ("soon", nil), ("", nil), ("7.3.1-beta", nil),
            ("app:734..app:730", nil), ("7.3.1..app:730", nil), ("1.2.3.4", nil), ("-1", nil),
        ] as [(String, String?)])
    func `of builds is a range of versions or of numbers of one app`(text: String, expected: String?) {
        #expect(BuildRange(text)?.text == expected)
    }

    @Test(
        arguments: [
            (">=17 <18", ">=17 <18", true), (">=17,<18", ">=17 <18", true), ("17.4", "=17.4", true),
            (">=18 <17", ">=18 <17", false), (">17 <17.0", ">17 <17", false), (">=17 <=17.0.0", ">=17 <=17", true),
            ("=17 =18", "=17 =18", false), ("~17", nil, false), ("", nil, false), (">=", nil, false),
            ("17 17 17 17 17", nil, false), (">= 17", nil, false), ("iOS 17", nil, false),
        ] as [(String, String?, Bool)])
    func `of an OS is a few comparisons`(text: String, expected: String?, isSatisfiable: Bool) {
        let range = OSRange(text)
        #expect(range?.text == expected)
        #expect((range?.isSatisfiable ?? false) == isSatisfiable)
    }

    @Test func `that cannot be read or in which nothing lies is refused`() throws {
        let configuration = try Configuration.exampleWithBuilds()
        #expect(throws: RolloutError.self) { try scope("soon") }
        let nothing: [RollbackScope] = try [
            scope(app: "tv"), scope("9.0..9.9"), scope("app:1..app:9"), scope(app: "pad", "7.4"),
            scope(os: ">=18 <17"), scope(app: "pad", "app:731"),
        ]
        for scope in nothing {
            for target in [Target.route("trips.edit"), .flow("trips"), .all] {
                let refusal = configuration.refusal(of: .move(.rollBack(level: nil, scope: scope), target))
                #expect(refusal?.code == .scopeMatchesNothing, "\(scope.text)")
            }
        }
        let empty = configuration.refusal(of: .move(.rollBack(level: nil, scope: RollbackScope())))
        #expect(empty?.code == .invalidScope)
    }

    @Test(
        arguments: [
            // app, builds, os of the scope; build, app, os of the context; whether it is excluded
            (nil, "7.3.1..7.3.4", nil, "app:731", nil, nil, true), (nil, "7.3.1..7.3.4", nil, "pad:12", nil, nil, true),
            (nil, "7.3.1..7.3.4", nil, "app:733", nil, nil, false),
            (nil, "7.3.1..7.3.4", nil, "app:740", nil, nil, false),
            (nil, "7.3.1..7.3.4", nil, nil, nil, nil, true), ("pad", "7.3.1..7.3.4", nil, "app:731", nil, nil, false),
            (nil, "app:731..app:733", nil, "app:730", nil, nil, false),
            (nil, "app:731..app:733", nil, "app:731", nil, nil, true),
            (nil, "app:731..app:733", nil, "app:733", nil, nil, true),
            (nil, "app:731..app:733", nil, "app:734", nil, nil, false),
            (nil, "app:731..app:733", nil, "app:7320", nil, nil, false),
            (nil, "app:731..app:733", nil, "pad:732", nil, nil, false),
            (nil, "app:731..app:733", nil, "app:what", nil, nil, true),
            (nil, "app:731..app:733", nil, nil, "app", nil, true),
            (nil, "app:731..app:733", nil, nil, "pad", nil, false),
            ("pad", nil, nil, "pad:99", nil, nil, true), ("pad", nil, nil, "app:730", "pad", nil, false),
            ("pad", nil, nil, nil, nil, nil, true), ("pad", nil, nil, nil, "app", nil, false),
            (nil, nil, ">=17 <18", "app:731", nil, "17", true), (nil, nil, ">=17 <18", "app:731", nil, "17.4.1", true),
            (nil, nil, ">=17 <18", "app:731", nil, "18.0", false),
            (nil, nil, ">=17 <18", "app:731", nil, "16.9", false),
            (nil, nil, ">=17 <18", "app:731", nil, nil, true), (nil, nil, ">=17 <18", "app:731", nil, "iOS 18", true),
            (nil, nil, "17.4", "app:731", nil, "17.4.0", true), (nil, nil, "17.4", "app:731", nil, "17.5", false),
            (nil, "7.3.1", ">=17", "app:731", nil, "16", false), (nil, "7.3.1", ">=17", "app:740", nil, "17", false),
            (nil, "7.3.1", ">=17", "app:731", nil, "17", true),
        ] as [(String?, String?, String?, String?, String?, String?, Bool)])
    func `takes in what lies in it, and what does not tell`(
        app: String?, builds: String?, os: String?, build: String?, contextApp: String?, contextOS: String?,
        isExcluded: Bool
    ) throws {
        let configuration = try Configuration.exampleWithBuilds()
            .after(.move(.rollBack(level: nil, scope: scope(app: app, builds, os: os))))
        var attributes = JSONObject()
        for (name, value) in [("build", build), ("app", contextApp), ("os", contextOS)] {
            attributes[name] = value.map { .string($0) }
        }
        let expected = isExcluded ? "legacy" : "migrated"
        #expect(configuration.variant(attributes) == expected)
        // Nobody gets round it by sending no targeting key.
        #expect(configuration.variant(attributes, key: nil) == expected)
    }

    @Test func `of versions takes in a build that is registered later`() throws {
        let before = try Configuration.exampleWithBuilds()
            .after(.move(.rollBack(level: nil, scope: scope("7.3.1..7.3.4"))))
        let build = Build.app(735, ["trips.edit": [.legacy, .migrated]], version: "7.3.3")
        let compiled = CompiledConfiguration(
            try before.after(.putBuild(build)), after: CompiledConfiguration(before))
        let index = try #require(compiled.exclusions.index(ofKey: "trips.edit"))
        let context = EvaluationContext(targetingKey: "u-1", attributes: ["build": "app:735"])
        let outcome = compiled.exclusions.outcome(at: index, for: context, at: 0, using: EvaluationScratch())
        #expect(outcome.variant.map { compiled.exclusions[index].variants[$0].name } == "s41")
    }
}

@Suite struct `A scoped rollback` {
    private func excluded(_ level: RollbackLevel? = nil) throws -> Configuration {
        try Configuration.exampleWithBuilds().after(.move(.rollBack(level: level, scope: scope("7.3.1"))), by: eve)
    }

    @Test func `leaves the route where it is and says who stopped what`() throws {
        let route = try excluded().route("trips.edit")
        #expect(route.stage == .defaultNew && route.status == .active && route.flipBacks == 0)
        #expect(
            route.exclusions == [
                Exclusion(id: "s41", scope: try scope("7.3.1"), level: .drain, reason: "a test", since: noon, by: "eve")
            ])
        #expect(try RouteRollout(json: route.json) == route)
    }

    @Test func `said again is a repeat, and with a higher level is raised`() throws {
        let configuration = try excluded(.repinOnResume)
        for level in [nil, .drain, .repinOnResume] as [RollbackLevel?] {
            #expect(try configuration.isRepeat(.move(.rollBack(level: level, scope: scope("7.3.1..7.3.1")))))
        }
        let raised = try configuration.after(.move(.rollBack(level: .abort, scope: scope("7.3.1"))))
        #expect(try raised.route("trips.edit").exclusions.map(\.level) == [.abort])
        #expect(try raised.route("trips.edit").exclusions.map(\.id) == ["s41"])
    }

    @Test func `outlives a rollback of the whole and its resume, and is lifted by its id`() throws {
        let resumed = try excluded().after(.move(.rollback)).after(.move(.resume(cause: "fixed", step: nil)))
        #expect(try resumed.route("trips.edit").exclusions.count == 1)
        let lifted = try resumed.after(.move(.lift(scope: "s41")))
        #expect(try lifted.route("trips.edit").exclusions.isEmpty)
        #expect(lifted.refusal(of: .move(.lift(scope: "s41")))?.code == .scopeNotFound)
    }

    @Test func `of everything passes over what has nothing to stop, and is lifted by one id`() throws {
        let all = try Configuration.exampleWithBuilds().after(.move(.rollBack(level: nil, scope: scope("7.3.1")), .all))
        #expect(try all.route("trips.edit").exclusions.map(\.id) == ["s41"])
        #expect(try all.route("trips.list").exclusions.isEmpty)
        let lifted = try all.after(.move(.lift(scope: "s41"), .flow("trips")))
        #expect(try lifted.route("trips.edit").exclusions.isEmpty)
    }

    @Test func `has its place in a bounded list`() throws {
        var configuration = try Configuration.exampleWithBuilds()
        for major in 1...Configuration.mostExclusions {
            configuration = try configuration.after(.move(.rollBack(level: nil, scope: scope(os: "\(major)"))))
        }
        let one = try scope(os: "99")
        #expect(configuration.refusal(of: .move(.rollBack(level: nil, scope: one)))?.code == .tooManyScopes)
        // The whole may be stopped all the same.
        #expect(try configuration.after(.move(.rollback)).route("trips.edit").status == .rolledBack)
    }

    @Test func `keeps legacy from being disabled or deleted, and starts the count of releases over`() throws {
        var configuration = try excluded()
        for (number, version) in [(750, "7.5"), (760, "7.6")] as [(Int64, String)] {
            configuration.store(
                .build(.app(number, ["trips.edit": [.legacy, .migrated]], version: version, releasedAt: noon - day)))
        }
        func failing(_ stage: Stage, at now: Int64) throws -> [String] {
            try configuration.gates(of: configuration.route("trips.edit"), toward: .stage(stage), at: now)
                .filter(\.isFailing).map(\.name)
        }
        #expect(try failing(.oldDisabled, at: noon + day).prefix(2) == ["releases", "notFlippedBack"])
        #expect(try failing(.oldDeleted, at: noon + day).contains("notExcluded"))
        configuration = try configuration.after(.move(.lift(scope: "s41")))
        #expect(try failing(.oldDisabled, at: noon + day).first == "releases")
        #expect(try !failing(.oldDeleted, at: noon + day).contains("notExcluded"))
    }

    @Test func `stops where anything is exposed, and nowhere else`() throws {
        for stage in Stage.allCases {
            var configuration = try Configuration.exampleWithBuilds()
            configuration.routes["trips.edit"]?.stage = stage
            let refusal = configuration.refusal(of: .move(.rollBack(level: nil, scope: try scope("7.3.1"))))
            #expect((refusal == nil) == (Stage.compatible ... .oldDisabled).contains(stage), "\(stage)")
        }
    }
}

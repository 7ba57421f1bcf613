import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private let both: Set<Renderer> = [.legacy, .migrated]

@Suite struct `A build` {
    @Test func `without legacy is named for the routes whose default is not migrated yet`() throws {
        var configuration = try Configuration.example(at: .defaultNew)
        configuration.store(.build(.app(740, ["trips.edit": [.migrated], "trips.list": [.migrated]])))
        #expect(configuration.routesWithoutChoice(in: BuildID(app: "app", number: 740)) == ["trips.list"])
        #expect(configuration.routesWithoutChoice(in: BuildID(app: "app", number: 730)).isEmpty)
    }

    @Test func `never changes but for its release`() throws {
        let build = Build.app(731, ["trips.edit": both])
        let configuration = try Configuration.example.after(.putBuild(build))
        #expect(try configuration.isRepeat(.putBuild(build)))
        var released = build
        released.releasedAt = noon
        let after = try configuration.after(.putBuild(released))
        #expect(after.builds[build.id]?.releasedAt == noon)
        #expect(try after.isRepeat(.putBuild(build)), "a repeat that does not know the release keeps it")
        for spoil in [
            { $0.version = "8" }, { $0.commit = "abc" }, { $0.minimumOS = "18" }, { $0.renderers = [:] },
        ] as [(inout Build) -> Void] {
            var other = build
            spoil(&other)
            #expect(after.refusal(of: .putBuild(other))?.code == .buildExists)
        }
    }

    @Test(
        arguments: [
            (Build.app(731, ["nope": both]), .routeNotFound), (.app(731, ["trips.edit": []]), .invalidField),
            (.app(731, [:], version: " "), .invalidField), (.app(-1, [:]), .invalidField),
            (Build(id: BuildID(app: "a:b", number: 1), version: "1", renderers: [:]), .invalidField),
        ] as [(Build, RolloutError.Code)])
    func `is checked`(build: Build, code: RolloutError.Code) throws {
        #expect(try Configuration.example.refusal(of: .putBuild(build))?.code == code)
    }

    @Test func `does not bring deleted legacy back`() throws {
        var configuration = try Configuration.example(at: .oldDeleted)
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]])))
        let error = configuration.refusal(of: .putBuild(.app(741, ["trips.edit": both])))
        #expect(error?.code == .rendererDeleted)
        #expect(error?.details == ["route": "trips.edit", "deletionBuild": "app:740"])
        for fine in [
            Build.app(739, ["trips.edit": both]), .app(741, ["trips.edit": [.migrated]]),
            .app(741, ["trips.list": both]),
            Build(id: BuildID(app: "pad", number: 900), version: "1", renderers: ["trips.edit": both]),
        ] {
            #expect(configuration.refusal(of: .putBuild(fine)) == nil)
        }
        configuration.routes["trips.edit"]?.stage = .oldDisabled
        #expect(configuration.refusal(of: .putBuild(.app(741, ["trips.edit": both]))) == nil)
    }

    @Test func `that is the first without legacy is the deletion build of its app`() throws {
        var configuration = try Configuration.example
        for number in [742, 740, 741] as [Int64] {
            configuration.store(.build(.app(number, ["trips.edit": [.migrated]])))
        }
        #expect(configuration.deletionBuilds(of: "trips.edit") == ["app": BuildID(app: "app", number: 740)])
        #expect(configuration.deletionBuilds(of: "trips.list").isEmpty)
    }

    @Test func `that was registered without legacy by mistake is outdone by a later one with it`() throws {
        var configuration = try Configuration.example
        let renderers: [(Int64, Set<Renderer>)] = [
            (740, [.migrated]), (741, [.legacy, .migrated]), (742, [.migrated]),
        ]
        for (number, renderers) in renderers { configuration.store(.build(.app(number, ["trips.edit": renderers]))) }
        configuration.store(.build(.app(743, [:])))
        #expect(configuration.deletionBuilds(of: "trips.edit") == ["app": BuildID(app: "app", number: 742)])
    }

    @Test(arguments: ["app:730", "a.b-c_d:0", "app:9223372036854775807"]) func `has an id in one spelling`(text: String)
    {
        #expect(BuildID(text)?.text == text)
    }

    @Test(arguments: [
        "", "app", ":1", "app:", "app:-1", "app:+1", "app:01", "app: 1", "a:b:1", "a b:1", "app:9223372036854775808",
    ])
    func `has no id like that`(text: String) { #expect(BuildID(text) == nil) }
}

@Suite struct `The renderers of a build` {
    @Test(
        arguments: [
            // build, claim, what may be given
            (730, nil, both), (730, both, both), (730, [.legacy], [.legacy]), (730, [], []),
            (720, nil, [.legacy]), (720, both, [.legacy]), (720, [.migrated], []),
            (740, nil, [.migrated]), (710, both, []),
            (999, both, [.legacy]), (999, nil, [.legacy]), (nil, both, [.legacy]), (nil, nil, [.legacy]),
        ] as [(Int64?, Set<Renderer>?, Set<Renderer>)])
    func `are those of its manifest, or fewer by its own word`(
        number: Int64?, claimed: Set<Renderer>?, expected: Set<Renderer>
    ) throws {
        var configuration = try Configuration.example
        for build in [
            Build.app(720, ["trips.edit": [.legacy]]), .app(740, ["trips.edit": [.migrated]]), .app(710, [:]),
        ] {
            configuration.store(.build(build))
        }
        let build = number.map { BuildID(app: "app", number: $0) }
        #expect(configuration.renderers(of: "trips.edit", in: build, claimed: claimed) == expected)
    }
}

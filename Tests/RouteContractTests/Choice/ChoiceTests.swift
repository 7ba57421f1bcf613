import RouteContract
import Testing

@Suite struct `The choice of a renderer` {
    /// Everything asks for migrated; each case names what stands against it.
    static let migrated = ChoiceInput(stage: .partialRollout, flag: FlagDecision(.migrated, by: .share))

    static func input(_ change: (inout ChoiceInput) -> Void) -> ChoiceInput {
        var input = migrated
        change(&input)
        return input
    }

    static let cases: [(ChoiceInput, Renderer, ChoiceReason)] = [
        (migrated, .migrated, .share),
        (input { $0.flag = FlagDecision(.legacy, by: .holdout) }, .legacy, .holdout),
        (input { $0.flag = FlagDecision(.migrated, by: .cohort) }, .migrated, .cohort),
        (input { $0.flag = FlagDecision(.migrated, by: .stage) }, .migrated, .stage),
        (input { $0.override = .legacy }, .legacy, .override),
        (
            input {
                $0.stage = .oldDisabled
                $0.override = .legacy
            }, .migrated, .share
        ),
        (input { $0.status = .held }, .migrated, .share),
        (
            input {
                $0.status = .island
                $0.override = .migrated
            }, .legacy, .island
        ),
        (
            input {
                $0.status = .rolledBack
                $0.override = .migrated
            }, .legacy, .rolledBack
        ),
        (input { $0.isExcluded = true }, .legacy, .rolledBack),
        (input { $0.snapshot = .stale }, .legacy, .staleSnapshot),
        (
            input {
                $0.snapshot = .stale
                $0.stage = .defaultNew
            }, .migrated, .share
        ),
        (
            input {
                $0.snapshot = .stale
                $0.stage = .defaultNew
                $0.status = .rolledBack
            }, .legacy, .rolledBack
        ),
        (input { $0.snapshot = .absent(bundledDefault: nil) }, .legacy, .offlineDefault),
        (input { $0.snapshot = .absent(bundledDefault: .migrated) }, .migrated, .offlineDefault),
        (input { $0.inBuild = .legacy }, .legacy, .onlyRendererInBuild),
        (
            input {
                $0.inBuild = .migrated
                $0.status = .rolledBack
            }, .migrated, .onlyRendererInBuild
        ),
        (input { $0.pin = .legacy }, .legacy, .pinned),
        (
            input {
                $0.pin = .migrated
                $0.status = .rolledBack
            }, .migrated, .pinned
        ),
        (
            input {
                $0.pin = .legacy
                $0.inBuild = .migrated
            }, .migrated, .pinnedRendererUnavailable
        ),
        (
            input {
                $0.pin = .migrated
                $0.isResume = true
                $0.lastProcessDiedHere = true
            }, .legacy, .crashLoopBreaker
        ),
        (
            input {
                $0.pin = .migrated
                $0.lastProcessDiedHere = true
            }, .migrated, .pinned
        ),
        (
            input {
                $0.pin = .migrated
                $0.isResume = true
                $0.lastProcessDiedHere = true
                $0.inBuild = .migrated
            }, .migrated, .pinned
        ),
        (
            input {
                $0.pin = .legacy
                $0.isResume = true
                $0.lastProcessDiedHere = true
            }, .legacy, .pinned
        ),
    ]

    @Test(arguments: cases)
    func `is made by the first rule that applies`(_ input: ChoiceInput, _ renderer: Renderer, _ reason: ChoiceReason) {
        #expect(choose(input) == .open(Choice(renderer: renderer, reason: reason)))
    }

    @Test func `ends the journey when it was aborted, whatever else holds`() {
        #expect(choose(Self.input { $0.isAborted = true }) == .end)
        #expect(
            choose(
                Self.input {
                    $0.isAborted = true
                    $0.pin = .legacy
                    $0.inBuild = []
                }) == .end)
    }

    @Test func `is none when the build has neither renderer`() {
        #expect(choose(Self.input { $0.inBuild = [] }) == nil)
        #expect(
            choose(
                Self.input {
                    $0.inBuild = []
                    $0.pin = .legacy
                }) == nil)
    }

    @Test func `has reasons that are words of the wire`() {
        #expect(
            ChoiceReason.allCases.map(\.rawValue) == [
                "pinned", "pinnedRendererUnavailable", "crashLoopBreaker", "onlyRendererInBuild", "offlineDefault",
                "staleSnapshot", "rolledBack", "island", "override", "stage", "cohort", "share", "holdout",
            ])
    }
}

@Suite struct `A set of renderers` {
    @Test func `is what was put into it`() {
        #expect(RendererSet([Renderer.legacy, .migrated, .legacy]) == .both)
        #expect(RendererSet([Renderer]()) == [])
        #expect(RendererSet(rawValue: 0xFF) == .both)
        #expect(RendererSet(.legacy).contains(Renderer.legacy))
        #expect(!RendererSet(.legacy).contains(Renderer.migrated))
        #expect(RendererSet.migrated.only == .migrated)
        #expect(RendererSet.both.only == nil)
    }
}

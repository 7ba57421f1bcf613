import RouteContract
import Testing

/// What must hold for every input. The whole input space is gone through once; each invariant counts its breaches.
@Suite struct `For every input, the choice` {
    struct Invariant: Sendable {
        let name: String
        let holds: @Sendable (ChoiceInput, ChoiceResult?) -> Bool

        init(_ name: String, _ holds: @escaping @Sendable (ChoiceInput, ChoiceResult?) -> Bool) {
            self.name = name
            self.holds = holds
        }
    }

    static let invariants: [Invariant] = [
        Invariant("ends the journey exactly when it was aborted", { ($1 == .end) == $0.isAborted }),
        Invariant(
            "is none exactly when the build has neither renderer and the journey goes on",
            { ($1 == nil) == ($0.inBuild.isEmpty && !$0.isAborted) }
        ),
        Invariant(
            "is never a renderer that the build lacks",
            { input, result in result?.choice.map { input.inBuild.contains($0.renderer) } ?? true }
        ),
        Invariant(
            "is the pin, when the build has it and the last process did not die there",
            { input, result in
                guard let pin = input.pin, input.inBuild.contains(pin), let choice = result?.choice else { return true }
                if input.isResume, input.lastProcessDiedHere { return true }
                return choice == Choice(renderer: pin, reason: .pinned)
            }
        ),
        Invariant(
            "keeps a pinned journey that is not resumed where it is, whatever the configuration says",
            { input, result in
                guard let pin = input.pin, !input.isResume, input.inBuild == .both, let choice = result?.choice
                else { return true }
                return choice.renderer == pin
            }
        ),
        Invariant(
            "never resumes in the migrated renderer that killed the last process, when legacy is there",
            { input, result in
                guard input.pin == .migrated, input.isResume, input.lastProcessDiedHere,
                    input.inBuild.contains(.legacy), let choice = result?.choice
                else { return true }
                return choice == Choice(renderer: .legacy, reason: .crashLoopBreaker)
            }
        ),
        Invariant(
            "breaks a crash loop only out of migrated, and only on resume",
            { input, result in
                result?.choice?.reason != .crashLoopBreaker
                    || input.pin == .migrated && input.isResume && input.lastProcessDiedHere
            }
        ),
        Invariant(
            "is never migrated in a rolled back, excluded or island route, unless pinned, alone or uninformed",
            { input, result in
                guard input.status == .rolledBack || input.status == .island || input.isExcluded,
                    let choice = result?.choice, choice.renderer == .migrated
                else { return true }
                return [.pinned, .pinnedRendererUnavailable, .onlyRendererInBuild, .offlineDefault]
                    .contains(choice.reason)
            }
        ),
        Invariant(
            "follows no override outside compatible to defaultNew",
            { input, result in
                result?.choice?.reason != .override
                    || [Stage.compatible, .partialRollout, .defaultNew].contains(input.stage)
            }
        ),
        Invariant(
            "follows an override only to what it names",
            { $1?.choice?.reason != .override || $1?.choice?.renderer == $0.override }
        ),
        Invariant(
            "never widens on a stale snapshot before defaultNew",
            { input, result in
                guard input.snapshot == .stale, input.stage < .defaultNew, input.pin == nil, input.inBuild == .both,
                    let choice = result?.choice
                else { return true }
                return choice == Choice(renderer: .legacy, reason: .staleSnapshot)
            }
        ),
        Invariant(
            "is the flag's own answer when a part of the flag is the reason",
            { input, result in
                guard let choice = result?.choice,
                    let part = FlagDecision.Part(rawValue: choice.reason.rawValue)
                else { return true }
                return input.flag == FlagDecision(choice.renderer, by: part)
            }
        ),
        Invariant(
            "never asks the configuration about a pinned journey",
            { input, result in
                guard input.pin != nil else { return true }
                var other = input
                other.stage = .notStarted
                other.status = .active
                other.isExcluded = false
                other.override = nil
                other.flag = FlagDecision(.legacy, by: .stage)
                other.snapshot = .fresh
                return choose(other) == result
            }
        ),
        Invariant(
            "of a new journey does not depend on how an earlier process ended",
            { input, result in
                guard input.pin == nil else { return true }
                var other = input
                other.isResume = false
                other.lastProcessDiedHere = false
                return choose(other) == result
            }
        ),
    ]

    @Test func `holds all of its promises`() {
        var inputs = 0
        var breaches: [String: Int] = [:]
        var reasons: Set<ChoiceReason> = []
        Variable.forEachInput { input, _ in
            inputs += 1
            let result = choose(input)
            if let reason = result?.choice?.reason { reasons.insert(reason) }
            for invariant in Self.invariants where !invariant.holds(input, result) {
                breaches[invariant.name, default: 0] += 1
            }
        }
        #expect(inputs == 552_960)
        #expect(breaches == [:])
        #expect(reasons == Set(ChoiceReason.allCases), "every reason can be reached")
    }
}

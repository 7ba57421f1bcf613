import FlagEvaluation
import Parity
import RouteContract
import Testing

@Suite struct `A comparison of two recordings` {
    @Test func `passes when the migrated entry does the same`() throws {
        let comparison = try comparison { _ in }
        #expect(comparison.verdict == .pass)
        #expect(comparison.control == .pass)
        #expect(comparison.findings.isEmpty)
        #expect(comparison.dimensions[.audit] == .notCaptured)
        #expect(comparison.dimensions.filter { $0.value == .pass }.count == 7)
    }

    static let losses: [Row<ExampleRecording>] = [
        .init("events count editor_opened") { $0.events.insert($0.events[0], at: 1) },
        .init("events missing name_changed") { $0.events.remove(at: 1) },
        .init("events extra tapped") { $0.events.append(("tapped", "save", [:])) },
        .init("events order name_changed") { $0.events.swapAt(1, 2) },
        .init("events type editor_opened/position") { $0.events[0].props["position"] = "1" },
        .init("events type editor_opened/position") { $0.events[0].props["position"] = 1.0 },
        .init("events type editor_opened/position") { $0.events[0].props["position"] = .null },
        .init("events missing editor_opened/position") { $0.events[0].props["position"] = nil },
        .init("events value editor_closed/saved") { $0.events[2].props["saved"] = false },
        .init("events extra editor_closed/how") { $0.events[2].props["how"] = "tap" },
        .init("accessibility missing cancel") { $0.elements.removeLast() },
        .init("accessibility extra help") { $0.elements.append(("help", "Help", [], [])) },
        .init("accessibility order title") { $0.elements.append($0.elements.removeFirst()) },
        .init("accessibility label save") { $0.elements[2].label = "Done" },
        .init("accessibility label save") { $0.elements[2].label = nil },
        .init("accessibility traits title") { $0.elements[0].traits = [] },
        .init("accessibility lostAction save") { $0.elements[2].actions = ["activate"] },
        .init("audit extra contrast/") { $0.issues = ["contrast"] },
        .init("states missing edited to saved") { $0.states.removeLast() },
        .init("states extra saved to shown") { $0.states.append(("saved", "shown")) },
        .init("states order shown to edited") { $0.states[0] = ("shown", "saved") },
        .init("entries missing deepLink \"https://example.com/trips/7/edit\"") { $0.entries.removeFirst() },
        .init("entries value deepLink \"https://example.com/trips/7/edit\"") {
            $0.entries[0].2 = ["key": "trips.detail"]
        },
        .init("entries extra inApp \"list\"") { $0.entries.append((.inApp, "list", "x")) },
        .init("performance slower open") { $0.samples = $0.samples.map { $0 * 1.5 } },
        .init("text value title") { $0.texts[0].1 = "Edit the trip" },
        .init("text missing title") { $0.texts = [] },
    ]

    @Test(arguments: losses)
    func `fails at what the migrated entry does otherwise, and only there`(
        _ row: Row<ExampleRecording>
    ) throws {
        let comparison = try comparison { row.change(&$0) }
        #expect(comparison.verdict == .fail)
        #expect(comparison.failures == [row.words])
        #expect(comparison.dimensions.values.count { $0 == .fail } == 1)
    }

    @Test(
        arguments: [
            { $0.states.remove(at: 1) }, { $0.states.insert($0.states[0], at: 1) },
            { $0.elements[1].actions.append("scroll") }, { $0.samples = $0.samples.map { $0 / 2 } },
            { $0.samples = $0.samples.map { $0 + 4 } },
            { $0.samples[3] = 5_000 },
        ] as [@Sendable (inout ExampleRecording) -> Void])
    func `passes what is no loss`(_ change: @Sendable (inout ExampleRecording) -> Void) throws {
        #expect(try comparison { change(&$0) }.verdict == .pass)
    }

    @Test func `names the lines of both files`() throws {
        let finding = try #require(try comparison { $0.elements[2].label = "Done" }.findings.first)
        #expect(finding.oldLine == 7)
        #expect(finding.newLine == 7)
        #expect(finding.message == "save had the label \"Save\" and has \"Done\"")
    }

    @Test func `takes an empty capture of accessibility for one that was not made`() throws {
        #expect(try comparison { $0.elements = [] }.verdict == .inconclusive)
        var (old, new) = (ExampleRecording(.legacy), ExampleRecording(.migrated))
        (old.elements, new.elements) = ([], [])
        #expect(ParityComparison(old: old.bytes, new: new.bytes, today: "2026-11-30").verdict == .inconclusive)
        #expect(
            ParityComparison(old: old.bytes, new: new.bytes, requiring: [.performance], today: "2026-11-30").verdict
                == .pass)
    }

    @Test func `fails at saved state that neither entry can read`() throws {
        var (old, new) = (ExampleRecording(.legacy), ExampleRecording(.migrated))
        (old.entries[1].2, new.entries[1].2) = (.null, .null)
        let comparison = ParityComparison(old: old.bytes, new: new.bytes, today: "2026-11-30")
        #expect(comparison.failures.count == 1)
        #expect(comparison.findings.first?.difference == .unreadable)
    }

    @Test func `compares letters by their bytes`() throws {
        var old = ExampleRecording(.legacy)
        old.elements[2].label = "Caf\u{E9}"
        var new = ExampleRecording(.migrated)
        new.elements[2].label = "Cafe\u{301}"
        #expect(
            ParityComparison(old: old.bytes, new: new.bytes, today: "2026-11-30").failures
                == ["accessibility label save"])
    }

    @Test func `is a failure even when something else is unknown`() throws {
        let comparison = try comparison {
            $0.samples = [1]
            $0.events.removeLast()
        }
        #expect(comparison.dimensions[.performance] == .inconclusive)
        #expect(comparison.verdict == .fail)
    }

    @Test func `is written as JSON with its findings`() throws {
        let json = try comparison { $0.events.removeLast() }.json
        #expect(json["verdict"] == "fail")
        #expect(json["control"] == "pass")
        #expect(json["dimensions"]?["events"] == "fail")
        #expect(json["findings"]?.array?.first?["subject"] == "editor_closed")
        #expect(json["old"]?["renderer"] == "legacy")
    }
}

@Suite struct `A control, legacy against legacy` {
    func control(
        secondRun: Int64 = 2, _ change: (inout ExampleRecording) -> Void
    ) -> ParityComparison {
        var second = ExampleRecording(.legacy, run: secondRun)
        change(&second)
        return ParityComparison(
            old: ExampleRecording(.legacy).bytes, new: ExampleRecording(.migrated).bytes, secondOld: second.bytes,
            today: "2026-11-30")
    }

    @Test(
        arguments: [
            { $0.events.removeLast() }, { $0.samples = $0.samples.map { $0 * 2 } },
            { $0.samples = $0.samples.map { $0 / 2 } },
            { $0.elements[1].actions.append("scroll") },
        ] as [@Sendable (inout ExampleRecording) -> Void])
    func `makes the comparison inconclusive when the scenario is not steady`(
        _ change: @Sendable (inout ExampleRecording) -> Void
    ) {
        let comparison = control { change(&$0) }
        #expect(comparison.control == .fail)
        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.findings.isEmpty)
        #expect(!comparison.controlFindings.isEmpty)
    }

    @Test func `is not the same run twice`() {
        let comparison = control(secondRun: 1) { _ in }
        #expect(comparison.control == .inconclusive)
        #expect(comparison.verdict == .inconclusive)
    }

    @Test func `is not a recording of the migrated entry`() {
        #expect(control { $0.header.renderer = .migrated }.control == .inconclusive)
    }

    @Test func `is said to be absent when there is none`() {
        let comparison = ParityComparison(
            old: ExampleRecording(.legacy).bytes, new: ExampleRecording(.migrated).bytes, today: "2026-11-30")
        #expect(comparison.control == .absent)
        #expect(comparison.verdict == .pass)
    }
}

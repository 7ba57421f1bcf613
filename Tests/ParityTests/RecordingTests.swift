import FlagEvaluation
import Parity
import RouteContract
import Testing

@Suite struct `A recording that is not whole` {
    func comparison(of new: [UInt8]) -> ParityComparison {
        ParityComparison(old: ExampleRecording(.legacy).bytes, new: new, today: "2026-11-30")
    }

    func lines(_ change: (inout [String]) -> Void) -> [UInt8] {
        var lines = String(decoding: ExampleRecording(.migrated).bytes, as: UTF8.self)
            .split(separator: "\n").map(String.init)
        change(&lines)
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    static let faults: [Row<[String]>] = [
        .init("the new recording has no end: it was cut off") { $0.removeLast() },
        .init("the new recording has 15 lines, and its end says 16") { $0.remove(at: 3) },
        .init("line 16 of the new recording is a second header") { $0[15] = $0[0] },
        .init("line 1 of the new recording is not a header") { $0.removeFirst() },
        .init("line 17 of the new recording stands behind the end") { $0.append($0[1]) },
        .init("line 2 of the new recording is of the unknown kind magic") { $0[1] = #"{"kind":"magic"}"# },
        .init("line 2 of the new recording has no kind") { $0[1] = "{}" },
        .init("line 2 of the new recording is not a JSON object") { $0[1] = "7" },
        .init("line 2 of the new recording needs name") { $0[1] = #"{"kind":"event"}"# },
        .init("line 2 of the new recording has the unknown member who") {
            $0[1] = #"{"kind":"event","name":"a","who":"me"}"#
        },
        .init("line 2 of the new recording has a sample that is not a number from 0") {
            $0[1] = #"{"kind":"perf","metric":"a","unit":"ms","samples":[-1]}"#
        },
        .init("line 2 of the new recording is too long") { $0[1] = String(repeating: " ", count: 70_000) },
    ]

    @Test(arguments: faults)
    func `is inconclusive, and the line is named`(
        _ row: Row<[String]>
    ) {
        let comparison = comparison(of: lines(row.change))
        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.findings.map(\.message).contains(row.words), "\(comparison.findings.map(\.message))")
        #expect(comparison.dimensions[.events] == .notCaptured)
    }

    @Test(arguments: [
        [], [0x0A], Array("{".utf8), [0xFF, 0xFE, 0x00], [UInt8](repeating: 0x0A, count: 30_000),
        [UInt8](repeating: 0x20, count: 5 << 20),
        Array(String(repeating: "[", count: 60_000).utf8),
    ])
    func `is inconclusive whatever its bytes are`(_ bytes: [UInt8]) {
        let new = ExampleRecording(.migrated).bytes
        #expect(comparison(of: bytes).verdict == .inconclusive)
        #expect(ParityComparison(old: bytes, new: new, today: "2026-11-30").verdict == .inconclusive)
        #expect(
            ParityComparison(old: ExampleRecording(.legacy).bytes, new: new, secondOld: bytes, today: "2026-11-30")
                .verdict == .inconclusive)
    }

    @Test func `is inconclusive at whatever byte it is cut off`() {
        let whole = ExampleRecording(.migrated).bytes
        for length in 0..<whole.count - 1 {
            #expect(comparison(of: Array(whole.prefix(length))).verdict == .inconclusive, "\(length)")
        }
    }

    @Test func `never stops the comparison, whichever byte is damaged`() {
        let whole = ExampleRecording(.migrated).bytes
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0x15
            #expect(comparison(of: damaged).oldHeader != nil)
        }
    }

    @Test(
        arguments: [
            { $0.flow = "orders" }, { $0.scenario = "other" }, { $0.contract = "c2" }, { $0.app = "pad" },
            { $0.build = "731" }, { $0.os = "18.0" }, { $0.device = "iPhone16,1" }, { $0.locale = "en" },
            { $0.contentSize = "accessibility5" }, { $0.recorder = "tests/2" }, { $0.seed = 2 },
            { $0.renderer = .legacy },
        ] as [@Sendable (inout ParityHeader) -> Void])
    func `or was made under other conditions is inconclusive`(_ change: @Sendable (inout ParityHeader) -> Void) {
        var new = ExampleRecording(.migrated)
        change(&new.header)
        let comparison = comparison(of: new.bytes)
        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.findings.map(\.difference) == [.conditions])
    }

    @Test func `with thousands of differences lists some, counts the rest and fails`() {
        var new = ExampleRecording(.migrated)
        new.events = (0..<5_000).map { ("event\($0)", "s", [:]) }
        let comparison = comparison(of: new.bytes)
        #expect(comparison.verdict == .fail)
        #expect(comparison.findings.count == ParityLimits.findings)
        #expect(comparison.leftOff == 5_000 + 3 - ParityLimits.findings)
    }
}

@Suite struct `Rules` {
    let allowed: JSONValue = [
        "allowed": [
            [
                "dimension": "accessibility", "difference": "label", "subject": "save",
                "reason": "the new wording", "owner": "mia", "expires": "2027-01-31",
            ]
        ]
    ]

    func renamed(today: String) throws -> ParityComparison {
        try comparison(rules: allowed, today: today) { $0.elements[2].label = "Done" }
    }

    @Test(arguments: ["2026-11-30", "2027-01-31"])
    func `allow a difference that somebody answers for, and keep it in the result`(_ today: String) throws {
        let comparison = try renamed(today: today)
        #expect(comparison.verdict == .pass)
        #expect(comparison.words(.allowed) == ["accessibility label save"])
        #expect(comparison.findings.first?.allowance?.owner == "mia")
        #expect(comparison.allowances.map(\.used) == [1])
    }

    @Test func `allow nothing after their last day`() throws {
        let comparison = try renamed(today: "2027-02-01")
        #expect(comparison.verdict == .fail)
        #expect(comparison.allowances.map(\.isExpired) == [true])
    }

    @Test func `allow nothing but what they name`() throws {
        #expect(try comparison(rules: allowed) { $0.elements[3].label = "Done" }.verdict == .fail)
        #expect(try comparison(rules: allowed) { $0.elements[2].actions = [] }.verdict == .fail)
        #expect(try comparison(rules: allowed) { _ in }.allowances.map(\.used) == [0])
    }

    @Test func `do not make an unsteady scenario steady`() throws {
        var second = ExampleRecording(.legacy, run: 2)
        second.elements[2].label = "Done"
        let comparison = ParityComparison(
            old: ExampleRecording(.legacy).bytes, new: ExampleRecording(.migrated).bytes, secondOld: second.bytes,
            rules: try ParityRules(allowed), today: "2026-11-30")
        #expect(comparison.control == .fail)
    }

    @Test func `name members whose value differs from run to run, not whose type does`() throws {
        let rules: JSONValue = ["volatile": [["event": "name_changed", "prop": "at"]]]
        #expect(try comparison(rules: rules) { $0.events[1].props["at"] = 5 }.verdict == .pass)
        #expect(try comparison(rules: rules) { $0.events[1].props["at"] = "5" }.verdict == .fail)
        #expect(try comparison(rules: rules) { $0.events[1].props["at"] = nil }.verdict == .fail)
        #expect(try comparison(rules: rules) { $0.events[0].props["position"] = 5 }.verdict == .fail)
        #expect(try comparison(rules: ["volatile": [["prop": "at"]]]) { $0.events[1].props["at"] = 5 }.verdict == .pass)
    }

    @Test func `say by how much performance may be worse`() throws {
        let slower = { (recording: inout ExampleRecording) in
            recording.samples = recording.samples.map { $0 * 1.5 }
        }
        #expect(try comparison(rules: ["performanceTolerance": 0.2], slower).verdict == .fail)
        #expect(try comparison(rules: ["performanceTolerance": 1], slower).verdict == .pass)
    }

    @Test(arguments: [
        "7", #"{"ignore":[]}"#, #"{"volatile":{}}"#, #"{"volatile":[{}]}"#, #"{"volatile":[{"prop":"a","x":1}]}"#,
        #"{"performanceTolerance":-1}"#, #"{"performanceTolerance":"a"}"#, #"{"allowed":[{"subject":"a"}]}"#,
        #"{"allowed":[{"dimension":"events","difference":"value","subject":"a","owner":"b","expires":"2027-01-01"}]}"#,
        #"{"allowed":[{"dimension":"events","difference":"value","subject":"a","reason":"r","owner":"b","expires":"never"}]}"#,
        #"{"allowed":[{"dimension":"recording","difference":"incomplete","subject":"new","reason":"r","owner":"b","expires":"2027-01-01"}]}"#,
    ])
    func `are refused when they are not rules`(_ text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(throws: ParityError.self) { try ParityRules(value) }
    }
}

@Suite struct `Performance` {
    @Test func `is not judged by fewer than ten samples`() throws {
        let comparison = try comparison { $0.samples = Array($0.samples.prefix(9)) }
        #expect(comparison.dimensions[.performance] == .inconclusive)
    }

    @Test func `is not judged in two units, nor by what one alone measured`() throws {
        #expect(try comparison { $0.unit = "s" }.dimensions[.performance] == .inconclusive)
        #expect(try comparison { $0.samples = [] }.dimensions[.performance] == .inconclusive)
    }

    @Test func `is judged alike every time`() throws {
        let noisy = { (recording: inout ExampleRecording) in
            recording.samples = (0..<40).map { 100 + Double(($0 * 37) % 60) }
        }
        let first = try comparison(noisy)
        for _ in 0..<5 { #expect(try comparison(noisy) == first) }
    }

    @Test func `that chance explains is not worse`() throws {
        // The median is 20 % higher, but half of the samples are the old ones.
        let comparison = try comparison { $0.samples = (0..<11).map { $0 < 5 ? 100 : $0 < 6 ? 124 : 126 } }
        #expect(comparison.verdict == .pass)
    }

    @Test func `is worse by less than anybody sees when times are short`() throws {
        var (old, new) = (ExampleRecording(.legacy), ExampleRecording(.migrated))
        (old.samples, new.samples) = ((0..<20).map { _ in 2 }, (0..<20).map { _ in 4 })
        #expect(ParityComparison(old: old.bytes, new: new.bytes, today: "2026-11-30").verdict == .pass)
        (old.unit, new.unit) = ("MB", "MB")
        #expect(ParityComparison(old: old.bytes, new: new.bytes, today: "2026-11-30").verdict == .fail)
    }

    @Test func `of nothing has no ratio`() throws {
        var old = ExampleRecording(.legacy)
        old.samples = (0..<20).map { _ in 0 }
        let comparison = ParityComparison(
            old: old.bytes, new: ExampleRecording(.migrated).bytes, today: "2026-11-30")
        #expect(comparison.dimensions[.performance] == .inconclusive)
    }
}

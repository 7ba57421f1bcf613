import Foundation
import RouteContract
import Testing

/// `docs/choice-table.json` is for clients in other languages. Written anew with `SIGNALBOX_WRITE_CHOICE_TABLE=1`.
@Suite struct `The public choice table` {
    static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/choice-table.json").standardizedFileURL

    struct File: Decodable {
        struct Row: Decodable {
            struct Then: Decodable {
                var renderer: Renderer?
                var reason: ChoiceReason?
                var end: Bool?
            }
            let when: [String: [String]]
            let then: Then?
        }
        let inputs: [String: [String]]
        let rows: [Row]
    }

    @Test func `is the function, row by row`() throws {
        let made = ChoiceTable().json
        if ProcessInfo.processInfo.environment["SIGNALBOX_WRITE_CHOICE_TABLE"] == "1" {
            try Data(made.utf8).write(to: Self.file, options: .atomic)
        }
        let kept = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        #expect(kept == made, "the function and its public table differ; if that is meant, write the table anew")
        #expect(kept.utf8.count < 300_000)
    }

    @Test func `has exactly one row for every input, and it says what the function says`() throws {
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: Self.file))
        #expect(file.inputs == Dictionary(uniqueKeysWithValues: Variable.all.map { ($0.name, $0.values.map(\.word)) }))

        // A bit for every value of every variable: a row matches an input when it has all of the input's bits.
        let offsets = Variable.all.indices.map { index in Variable.all[..<index].reduce(0) { $0 + $1.values.count } }
        var rows: [(bits: UInt64, then: ChoiceResult?)] = []
        for row in file.rows {
            var bits: UInt64 = 0
            for (variable, offset) in zip(Variable.all, offsets) {
                for (place, value) in variable.values.enumerated()
                where row.when[variable.name]?.contains(value.word) ?? true {
                    bits |= 1 << UInt64(offset + place)
                }
            }
            #expect(Set(row.when.keys).isSubset(of: file.inputs.keys))
            rows.append((bits, result(row.then)))
        }

        var unmatched = 0
        var ambiguous = 0
        var different = 0
        Variable.forEachInput { input, places in
            var bits: UInt64 = 0
            for index in 0..<places.count { bits |= 1 << UInt64(offsets[index] + places[index]) }
            var matches = 0
            var then: ChoiceResult?
            for row in rows where row.bits & bits == bits {
                matches += 1
                then = row.then
            }
            if matches == 0 { unmatched += 1 }
            if matches > 1 { ambiguous += 1 }
            if then != choose(input) { different += 1 }
        }
        #expect((unmatched, ambiguous, different) == (0, 0, 0))
    }

    private func result(_ then: File.Row.Then?) -> ChoiceResult? {
        guard let then else { return nil }
        guard let renderer = then.renderer, let reason = then.reason else { return then.end == true ? .end : nil }
        return .open(Choice(renderer: renderer, reason: reason))
    }
}

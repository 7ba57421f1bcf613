import Foundation

/// Reads as much of Gherkin as feature files of evaluators use: backgrounds, outlines with examples, tags, tables.
struct Feature {
    /// One scenario, an outline's once a row.
    struct Scenario {
        let name: String
        let tags: Set<String>
        let steps: [Step]
    }

    struct Step {
        let text: String
        var table: [[String]] = []
    }

    private(set) var scenarios: [Scenario] = []
    private var featureTags: Set<String> = []
    private var background: [Step] = []
    private var outline: (name: String, tags: Set<String>, steps: [Step])?
    private var hasExamples = false

    init(parsing text: String) {
        enum Part { case feature, background, scenario, examples }
        var part = Part.feature
        var tags: Set<String> = []
        var exampleTags: Set<String> = []
        var header: [String]?
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("@") {
                tags.formUnion(line.split(separator: " ").map(String.init))
            } else if line.hasPrefix("Feature:") {
                featureTags = tags
                tags = []
            } else if line.hasPrefix("Background:") {
                part = .background
            } else if line.hasPrefix("Scenario") {
                finish()
                outline = (line, tags, [])
                hasExamples = false
                tags = []
                part = .scenario
            } else if line.hasPrefix("Examples") {
                (part, header, exampleTags, hasExamples) = (.examples, nil, tags, true)
                tags = []
            } else if line.hasPrefix("|") {
                let cells = Self.cells(line)
                if part == .examples {
                    if let header { add(Dictionary(uniqueKeysWithValues: zip(header, cells)), exampleTags) }
                    header = header ?? cells
                } else if let last = outline?.steps.indices.last {
                    outline?.steps[last].table.append(cells)
                }
            } else if let space = line.firstIndex(of: " "), part != .feature {
                let step = Step(text: String(line[line.index(after: space)...]))
                if part == .background { background.append(step) } else { outline?.steps.append(step) }
            }
        }
        finish()
    }

    private static func cells(_ row: String) -> [String] {
        row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private mutating func finish() {
        if outline != nil, !hasExamples { add([:], []) }
        outline = nil
    }

    private mutating func add(_ example: [String: String], _ tags: Set<String>) {
        guard let outline else { return }
        let steps = (background + outline.steps).map { step in
            var text = step.text
            for (name, value) in example { text = text.replacingOccurrences(of: "<\(name)>", with: value) }
            return Step(text: text, table: step.table)
        }
        scenarios.append(
            Scenario(name: outline.name, tags: featureTags.union(outline.tags).union(tags), steps: steps))
    }
}

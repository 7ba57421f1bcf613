import RouteContract

/// One of the inputs of `choose`, with the words that `docs/choice-table.json` uses for its values.
struct Variable: Sendable {
    let name: String
    let values: [Value]

    /// One value, and how an input gets it.
    struct Value: Sendable {
        let word: String
        let set: @Sendable (inout ChoiceInput) -> Void

        init(_ word: String, _ set: @escaping @Sendable (inout ChoiceInput) -> Void) {
            self.word = word
            self.set = set
        }
    }

    private init(_ name: String, _ values: [Value]) {
        self.name = name
        self.values = values
    }

    private init(_ name: String, _ path: any WritableKeyPath<ChoiceInput, Bool> & Sendable) {
        self.init(name, [Value("false", { $0[keyPath: path] = false }), Value("true", { $0[keyPath: path] = true })])
    }

    private init(_ name: String, orNoneAt path: any WritableKeyPath<ChoiceInput, Renderer?> & Sendable) {
        self.init(
            name,
            [Value("none", { $0[keyPath: path] = nil })]
                + Renderer.allCases.map { renderer in Value(renderer.rawValue, { $0[keyPath: path] = renderer }) })
    }

    /// All of them, those first that come first in the order of the choice. Their product is the input space.
    static let all: [Variable] = [
        Variable("aborted", \.isAborted),
        Variable("pin", orNoneAt: \.pin),
        Variable(
            "inBuild",
            [
                Value("neither", { $0.inBuild = [] }), Value("legacy", { $0.inBuild = .legacy }),
                Value("migrated", { $0.inBuild = .migrated }), Value("both", { $0.inBuild = .both }),
            ]),
        Variable("resume", \.isResume),
        Variable("lastProcessDiedHere", \.lastProcessDiedHere),
        Variable(
            "snapshot",
            [
                Value("fresh", { $0.snapshot = .fresh }), Value("stale", { $0.snapshot = .stale }),
                Value("absent", { $0.snapshot = .absent(bundledDefault: nil) }),
                Value("absent, default legacy", { $0.snapshot = .absent(bundledDefault: .legacy) }),
                Value("absent, default migrated", { $0.snapshot = .absent(bundledDefault: .migrated) }),
            ]),
        Variable("stage", Stage.allCases.map { stage in Value(stage.rawValue, { $0.stage = stage }) }),
        Variable("status", RouteStatus.allCases.map { status in Value(status.rawValue, { $0.status = status }) }),
        Variable("excluded", \.isExcluded),
        Variable("override", orNoneAt: \.override),
        Variable(
            "flag",
            FlagDecision.Part.allCases.flatMap { part in
                Renderer.allCases.map { renderer in
                    Value("\(renderer.rawValue) by \(part.rawValue)", { $0.flag = FlagDecision(renderer, by: part) })
                }
            }),
    ]

    static var combinations: Int { all.reduce(1) { $0 * $1.values.count } }

    /// Calls with every input, and the place of each variable's value.
    static func forEachInput(_ body: (ChoiceInput, [Int]) -> Void) {
        var places = [Int](repeating: 0, count: all.count)
        func fill(_ variable: Int, _ input: ChoiceInput) {
            guard variable < all.count else { return body(input, places) }
            for (place, value) in all[variable].values.enumerated() {
                places[variable] = place
                var input = input
                value.set(&input)
                fill(variable + 1, input)
            }
        }
        fill(0, ChoiceInput())
    }
}

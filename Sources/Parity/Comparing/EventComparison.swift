import FlagEvaluation

extension ComparedRecordings {
    /// Events agree in how often each is sent at each step, in their order, and in every member.
    func compareEvents(_ findings: inout Findings) {
        guard !old.events.isEmpty || !new.events.isEmpty else { return }
        findings.compared(.events)
        let key = { (event: RecordedEvent) in "\(event.step)\u{0}\(event.name)" }
        let (olds, news) = (Self.numbered(old.events, by: key), Self.numbered(new.events, by: key))
        let places = Dictionary(uniqueKeysWithValues: news.enumerated().map { ($1.place, $0) })
        compareCounts(olds, news, at: places, &findings)

        let common = olds.compactMap { old in places[old.place].map { (old.recorded, $0) } }
        for moved in movedPlaces(of: common.map(\.1)) {
            let (old, place) = common[moved]
            findings.add(
                .events, .order, old.value.name, "\(old.value.name) is sent in another order", old: old.line,
                new: news[place].recorded.line)
        }
        for (old, place) in common { compareProps(old, news[place].recorded, &findings) }
    }

    private typealias Numbered = [(place: Place, recorded: Recorded<RecordedEvent>)]

    private func compareCounts(
        _ olds: Numbered, _ news: Numbered, at places: [Place: Int], _ findings: inout Findings
    ) {
        let (before, after) = (Self.counts(olds), Self.counts(news))
        // Told at the first event of each kind, in the order of the files.
        for (place, recorded) in olds where place.number == 0 {
            let (was, now) = (before[place.name] ?? 0, after[place.name] ?? 0)
            guard was != now else { continue }
            let name = recorded.value.name
            findings.add(
                .events, now == 0 ? .missing : .count, name,
                "\(name) at \(Self.step(recorded.value.step)) is sent \(was) times by the old and \(now) by the new",
                old: recorded.line, new: places[place].map { news[$0].recorded.line })
        }
        for (place, recorded) in news where place.number == 0 && before[place.name] == nil {
            let name = recorded.value.name
            findings.add(
                .events, .extra, name,
                "\(name) at \(Self.step(recorded.value.step)) is sent \(after[place.name] ?? 0) times by the new only",
                new: recorded.line)
        }
    }

    private static func counts(_ events: Numbered) -> [String: Int] {
        events.reduce(into: [:]) { $0[$1.place.name, default: 0] += 1 }
    }

    private static func step(_ step: String) -> String { step.isEmpty ? "no step" : "step \(step)" }

    private func compareProps(
        _ old: Recorded<RecordedEvent>, _ new: Recorded<RecordedEvent>, _ findings: inout Findings
    ) {
        let (before, after) = (old.value.props, new.value.props)
        let name = old.value.name
        guard JSONValue.object(before).canonicalJSON != JSONValue.object(after).canonicalJSON else { return }
        for (prop, was) in before.entries {
            guard let now = after[prop] else {
                findings.add(
                    .events, .missing, "\(name)/\(prop)", "\(name) has no \(prop) any more", old: old.line,
                    new: new.line)
                continue
            }
            guard was.canonicalJSON != now.canonicalJSON else { continue }
            if was.typeName != now.typeName {
                findings.add(
                    .events, .type, "\(name)/\(prop)",
                    "\(prop) of \(name) was the \(was.typeName) \(was.brief) and is the \(now.typeName) \(now.brief)",
                    old: old.line, new: new.line)
            } else if !isVolatile(prop, of: name) {
                findings.add(
                    .events, .value, "\(name)/\(prop)", "\(prop) of \(name) was \(was.brief) and is \(now.brief)",
                    old: old.line, new: new.line)
            }
        }
        for (prop, now) in after.entries where before[prop] == nil {
            findings.add(
                .events, .extra, "\(name)/\(prop)", "\(name) has \(prop) only in the new: \(now.brief)", old: old.line,
                new: new.line)
        }
    }

    private func isVolatile(_ prop: String, of event: String) -> Bool {
        rules.volatile.contains { $0.prop == prop && ($0.event == nil || $0.event == event) }
    }
}

extension JSONValue {
    /// The word for its JSON type; `integer` and `number` are two, as they are to analytics.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .float: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The value as JSON, cut to what fits a message.
    var brief: String {
        let text = jsonText
        return text.utf8.count > 40 ? String(text.prefix(39)) + "…" : text
    }
}

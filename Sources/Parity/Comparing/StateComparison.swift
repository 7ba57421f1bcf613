import FlagEvaluation

extension ComparedRecordings {
    /// The sequences of states agree once repeats are collapsed: a state that is entered again from itself, and a
    /// transition that is told twice.
    func compareStates(_ findings: inout Findings) {
        guard !old.transitions.isEmpty || !new.transitions.isEmpty else { return }
        findings.compared(.states)
        let (before, after) = (Self.collapsed(old.transitions), Self.collapsed(new.transitions))
        let same = zip(before, after).prefix { $0.value == $1.value }.count
        guard same < max(before.count, after.count) else { return }
        let (was, now) = (before.dropFirst(same).first, after.dropFirst(same).first)
        let words = { (recorded: Recorded<RecordedTransition>?) in
            recorded.map { "\($0.value.from) to \($0.value.to)" } ?? "nothing"
        }
        let difference: ParityFinding.Difference = now == nil ? .missing : was == nil ? .extra : .order
        // Only the first difference means anything; the rest follows from it.
        findings.add(
            .states, difference, words(was ?? now), "transition \(same + 1) was \(words(was)) and is \(words(now))",
            old: was?.line, new: now?.line)
    }

    private static func collapsed(_ transitions: [Recorded<RecordedTransition>]) -> [Recorded<RecordedTransition>] {
        transitions.reduce(into: []) { kept, next in
            guard next.value.from != next.value.to, kept.last?.value != next.value else { return }
            kept.append(next)
        }
    }

    /// Every way in leads to the same, and everything that was saved by the old can be read.
    func compareEntries(_ findings: inout Findings) {
        guard !old.entries.isEmpty || !new.entries.isEmpty else { return }
        findings.compared(.entries)
        let key = { (entry: RecordedEntry) in
            "\(entry.via.rawValue) \(String(decoding: entry.input.canonicalJSON, as: UTF8.self))"
        }
        let (olds, news) = (Self.numbered(old.entries, by: key), Self.numbered(new.entries, by: key))
        let places = Dictionary(uniqueKeysWithValues: news.map { ($0.place, $0.recorded) })
        let known = Set(olds.map(\.place))
        for (place, was) in olds {
            guard let now = places[place] else {
                findings.add(.entries, .missing, place.name, "\(place.name) does not open the new", old: was.line)
                continue
            }
            if was.value.result.canonicalJSON != now.value.result.canonicalJSON {
                findings.add(
                    .entries, .value, place.name,
                    "\(place.name) led to \(was.value.result.brief) and leads to \(now.value.result.brief)",
                    old: was.line, new: now.line)
            } else if was.value.via == .restoration, now.value.result.isNull {
                findings.add(
                    .entries, .unreadable, place.name, "\(place.name) cannot be read", old: was.line, new: now.line)
            }
        }
        for (place, now) in news where !known.contains(place) {
            findings.add(.entries, .extra, place.name, "\(place.name) opens the new only", new: now.line)
        }
    }

    /// Texts agree, by identifier at each step, and none is cut that was not.
    func compareTexts(_ findings: inout Findings) {
        guard !old.texts.isEmpty || !new.texts.isEmpty else { return }
        findings.compared(.text)
        let key = { (text: RecordedText) in "\(text.step)\u{0}\(text.id)" }
        let (olds, news) = (Self.numbered(old.texts, by: key), Self.numbered(new.texts, by: key))
        let places = Dictionary(uniqueKeysWithValues: news.map { ($0.place, $0.recorded) })
        let known = Set(olds.map(\.place))
        for (place, was) in olds {
            guard let now = places[place] else {
                findings.add(.text, .missing, was.value.id, "\(was.value.id) is gone", old: was.line)
                continue
            }
            if Array(was.value.value.utf8) != Array(now.value.value.utf8) {
                findings.add(
                    .text, .value, was.value.id, "\(was.value.id) shows another text", old: was.line, new: now.line)
            }
            if now.value.isTruncated != was.value.isTruncated, now.value.isTruncated || isControl {
                findings.add(
                    .text, .truncated, was.value.id, "\(was.value.id) is cut off in one only", old: was.line,
                    new: now.line)
            }
        }
        for (place, now) in news where !known.contains(place) {
            findings.add(.text, .extra, now.value.id, "\(now.value.id) is in the new only", new: now.line)
        }
    }
}

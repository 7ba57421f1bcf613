extension ComparedRecordings {
    /// Elements agree, by identifier at each step, in what is read out, in what can be done, and in their order.
    func compareElements(_ findings: inout Findings) {
        switch (old.elements.isEmpty, new.elements.isEmpty) {
        case (true, true): return
        case (true, false), (false, true):
            // An empty capture is a test that did not look, not a screen without elements.
            findings.add(
                .accessibility, .notCaptured, old.elements.isEmpty ? "old" : "new",
                "the \(old.elements.isEmpty ? "old" : "new") recording has no elements", effect: .inconclusive)
            return
        case (false, false): findings.compared(.accessibility)
        }
        let key = { (element: RecordedElement) in "\(element.step)\u{0}\(element.id)" }
        let (olds, news) = (Self.numbered(old.elements, by: key), Self.numbered(new.elements, by: key))
        let places = Dictionary(uniqueKeysWithValues: news.enumerated().map { ($1.place, $0) })
        let known = Set(olds.map(\.place))
        for (place, recorded) in olds where places[place] == nil {
            findings.add(
                .accessibility, .missing, recorded.value.id, "\(recorded.value.described) is gone", old: recorded.line)
        }
        for (place, recorded) in news where !known.contains(place) {
            findings.add(
                .accessibility, .extra, recorded.value.id, "\(recorded.value.described) is in the new only",
                new: recorded.line)
        }
        let common = olds.compactMap { old in places[old.place].map { (old.recorded, $0) } }
        for moved in movedPlaces(of: common.map(\.1)) {
            let (old, place) = common[moved]
            findings.add(
                .accessibility, .order, old.value.id, "\(old.value.described) is focused in another order",
                old: old.line, new: news[place].recorded.line)
        }
        for (old, place) in common { compareElement(old, news[place].recorded, &findings) }
    }

    private func compareElement(
        _ old: Recorded<RecordedElement>, _ new: Recorded<RecordedElement>, _ findings: inout Findings
    ) {
        let (before, after) = (old.value, new.value)
        func add(
            _ difference: ParityFinding.Difference, _ message: String, effect: ParityFinding.Effect = .fails
        ) {
            findings.add(
                .accessibility, difference, before.id, "\(before.described) \(message)", old: old.line, new: new.line,
                effect: effect)
        }
        for (difference, was, now) in [
            (ParityFinding.Difference.label, before.label, after.label), (.value, before.value, after.value),
            (.hint, before.hint, after.hint),
        ] where !same(was, now) {
            add(difference, "had the \(difference.rawValue) \(quoted(was)) and has \(quoted(now))")
        }
        let lost = before.actions.subtracting(after.actions).sorted()
        if !lost.isEmpty { add(.lostAction, "can no longer: \(lost.joined(separator: ", "))") }
        let gained = after.actions.subtracting(before.actions).sorted()
        if !gained.isEmpty {
            add(
                .gainedAction, "also can: \(gained.joined(separator: ", "))", effect: isControl ? .fails : .noted)
        }
        if before.traits != after.traits {
            add(
                .traits,
                "had the traits \(before.traits.sorted().joined(separator: ", ")) and has "
                    + after.traits.sorted().joined(separator: ", "))
        }
    }

    /// Whether both are the same bytes: a composed and a decomposed letter are read alike, and found by no one search.
    private func same(_ left: String?, _ right: String?) -> Bool {
        left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
    }

    private func quoted(_ text: String?) -> String { text.map { "\"\(String($0.prefix(40)))\"" } ?? "none" }
}

extension RecordedElement {
    var described: String { step.isEmpty ? id : "\(id) at step \(step)" }
}

extension ComparedRecordings {
    /// The new one may have no issue that the old one has not.
    func compareIssues(_ findings: inout Findings) {
        guard !old.issues.isEmpty || !new.issues.isEmpty else { return }
        findings.compared(.audit)
        let key = { (issue: RecordedIssue) in "\(issue.check)/\(issue.id)" }
        let (olds, news) = (Self.numbered(old.issues, by: key), Self.numbered(new.issues, by: key))
        let (before, after) = (Set(olds.map(\.place)), Set(news.map(\.place)))
        for (place, recorded) in news where !before.contains(place) {
            findings.add(.audit, .extra, place.name, "\(place.name) is found in the new only", new: recorded.line)
        }
        for (place, recorded) in olds where !after.contains(place) {
            findings.add(
                .audit, .missing, place.name, "\(place.name) is found in the old only", old: recorded.line,
                effect: isControl ? .fails : .noted)
        }
    }
}

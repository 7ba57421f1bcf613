import FlagEvaluation

extension RouteFields {
    /// Checks all that can be checked without knowing the rest of the configuration.
    func check() throws(RolloutError) {
        if let owner, owner.isBlank { throw .invalidField("/owner", "a name") }
        if let purpose, purpose.isBlank { throw .invalidField("/purpose", "a text") }
        try contract?.check()
        try checkEntryPoints()
        if let requires, Set(requires).count < requires.count {
            throw .invalidField("/requires", "a list in which each route stands once")
        }
        if let excludes, Set(excludes).count < excludes.count {
            throw .invalidField("/excludes", "a list in which each route stands once")
        }
        try checkLegacySymbols()
        try plan?.check()
        if let deletion {
            guard CalendarDay(deletion.date) != nil else { throw .invalidField("/deletion/date", "a date, YYYY-MM-DD") }
            guard !deletion.owner.isBlank else { throw .invalidField("/deletion/owner", "a name") }
        }
    }

    private func checkLegacySymbols() throws(RolloutError) {
        guard let legacySymbols else { return }
        guard legacySymbols.count <= 100, Set(legacySymbols).count == legacySymbols.count,
            legacySymbols.allSatisfy(LegacySymbol.isValid)
        else {
            throw .invalidField(
                "/legacySymbols", "a list of at most 100 names of 3 to 128 bytes without blanks, each once")
        }
    }

    private func checkEntryPoints() throws(RolloutError) {
        guard let entryPoints else { return }
        for (index, entry) in entryPoints.enumerated() where entry.source.isBlank {
            throw .invalidField("/entryPoints/\(index)/source", "a link, a notification's name or a caller")
        }
        guard Set(entryPoints).count == entryPoints.count else {
            throw .invalidField("/entryPoints", "a list in which each way in stands once")
        }
    }
}

extension RegisteredContract {
    fileprivate func check() throws(RolloutError) {
        guard schemaVersion >= 1 else { throw .invalidField("/contract/schemaVersion", "an integer from 1") }
        for (name, type) in payload.entries where type.string?.isBlank ?? true {
            throw .invalidField("/contract/payload/\(name)", "the name of a type")
        }
        guard !outcomes.isEmpty, Set(outcomes).count == outcomes.count, !outcomes.contains(where: \.isBlank) else {
            throw .invalidField("/contract/outcomes", "a list of at least one name, each once")
        }
    }
}

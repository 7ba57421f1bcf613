/// Chooses the renderer of one route for one journey. Server and client both call this, so that they agree.
///
/// The first rule that applies decides. The order is the promise: what a journey already has comes before what the
/// build can do, that before what is known of the configuration, and a rollback before everything that could widen.
/// `docs/choice-table.json` holds the whole table for clients in other languages.
///
/// - Returns: the choice, or that the journey ends; nil when the build has neither renderer of the route.
public func choose(_ input: ChoiceInput) -> ChoiceResult? {
    if input.isAborted { return .end }
    if let pin = input.pin { return resumed(input, pinnedTo: pin).map(ChoiceResult.open) }
    if input.inBuild.isEmpty { return nil }
    return .open(new(input))
}

/// The choice of a journey that has one. It is kept, unless it would crash again or is not in the build.
private func resumed(_ input: ChoiceInput, pinnedTo pin: Renderer) -> Choice? {
    let diedInMigrated = input.isResume && input.lastProcessDiedHere && pin == .migrated
    if diedInMigrated, input.inBuild.contains(.legacy) {
        return Choice(renderer: .legacy, reason: .crashLoopBreaker)
    }
    if input.inBuild.contains(pin) { return Choice(renderer: pin, reason: .pinned) }
    if input.inBuild.contains(pin.other) {
        return Choice(renderer: pin.other, reason: .pinnedRendererUnavailable)
    }
    return nil
}

/// The choice of a journey that has none, in a build that has a renderer of the route.
private func new(_ input: ChoiceInput) -> Choice {
    if let only = input.inBuild.only { return Choice(renderer: only, reason: .onlyRendererInBuild) }

    if case .absent(let bundledDefault) = input.snapshot {
        return Choice(renderer: bundledDefault ?? .legacy, reason: .offlineDefault)
    }
    // From defaultNew on, migrated is what most people get; an old snapshot is no reason to go back.
    if input.snapshot == .stale, input.stage < .defaultNew {
        return Choice(renderer: .legacy, reason: .staleSnapshot)
    }

    if input.status == .rolledBack || input.isExcluded { return Choice(renderer: .legacy, reason: .rolledBack) }
    if input.status == .island { return Choice(renderer: .legacy, reason: .island) }

    if let override = input.override, (Stage.compatible ... .defaultNew).contains(input.stage) {
        return Choice(renderer: override, reason: .override)
    }
    return Choice(renderer: input.flag.renderer, reason: input.flag.reason)
}

import RouteContract
import Testing

/// A migrated entry that does not know the editor yet.
private struct DetailOnlyEntry: FeatureEntry {
    static func supports(_ route: TripRoute) -> Bool { route.key == "trips.detail" }

    func makeScreen(
        for route: TripRoute, journey: Journey,
        onEvent: @escaping @MainActor (ScreenEvent<TripRoute, TripOutcome>) -> Void
    ) -> HeadlessScreen {
        .empty
    }
}

/// A route whose ancestors run in a circle, and that nothing opens.
private enum CircularRoute: String, Route {
    case first, second
    static let flow = "circular"
    static let keys = ["first", "second"]
    static let schemaVersion = 1
    var key: String { rawValue }
    var fallback: CircularRoute? { self == .first ? .second : .first }
}

@MainActor
@Suite struct `A resolver` {
    let book = TripBook.example
    let edit = TripRoute.editTrip(id: "7")

    func opened(
        _ route: TripRoute, chosen renderer: Renderer,
        legacy: Bool = true, migrated: (any FeatureEntry<TripRoute, TripOutcome, HeadlessScreen>)?
    ) -> Opened<TripRoute, HeadlessScreen>? {
        EntryResolver(legacy: legacy ? LegacyTripsEntry(book: book) : nil, migrated: migrated)
            .open(route, in: .example(through: TripRoute.self, renderer)) { _ in }
    }

    @Test(arguments: Renderer.allCases)
    func `opens the entry that the journey was given`(_ renderer: Renderer) {
        let opened = opened(edit, chosen: renderer, migrated: MigratedTripsEntry(book: book))
        #expect(opened?.renderer == renderer)
        #expect(opened?.route == edit)
    }

    @Test func `reports legacy as built when the migrated entry does not know the route`() {
        let opened = opened(edit, chosen: .migrated, migrated: DetailOnlyEntry())
        #expect(opened?.renderer == .legacy)
        #expect(opened?.screen.contents.title == "Edit trip")
        #expect(
            self.opened(.tripDetail(id: "7"), chosen: .migrated, migrated: DetailOnlyEntry())?.renderer == .migrated)
    }

    @Test func `opens migrated for a legacy journey in a build without legacy`() {
        let opened = opened(edit, chosen: .legacy, legacy: false, migrated: MigratedTripsEntry(book: book))
        #expect(opened?.renderer == .migrated)
    }

    @Test func `opens legacy in a build without migrated`() {
        #expect(opened(edit, chosen: .migrated, migrated: nil)?.renderer == .legacy)
    }

    @Test func `opens the nearest ancestor of a route that no entry knows`() {
        let opened = opened(edit, chosen: .migrated, legacy: false, migrated: DetailOnlyEntry())
        #expect(opened?.route == .tripDetail(id: "7"))
        #expect(opened?.renderer == .migrated)
    }

    @Test func `opens nothing in a build without entries`() {
        #expect(opened(edit, chosen: .legacy, legacy: false, migrated: nil) == nil)
    }

    @Test func `opens a route of which the journey has no choice with legacy`() {
        let journey = Journey(
            id: JourneyID(milliseconds: 0, randomA: 0, randomB: 0), flow: "trips", choices: [:])
        let opened = EntryResolver(legacy: LegacyTripsEntry(book: book), migrated: MigratedTripsEntry(book: book))
            .open(edit, in: journey) { _ in }
        #expect(opened?.renderer == .legacy)
    }

    @Test func `tells which renderers the build has`() {
        let resolver = EntryResolver(legacy: LegacyTripsEntry(book: book), migrated: DetailOnlyEntry())
        #expect(resolver.renderers(for: edit) == .legacy)
        #expect(resolver.renderers(for: .tripDetail(id: "7")) == .both)
    }

    @Test func `is not caught by ancestors that run in a circle`() {
        let resolver = EntryResolver<CircularRoute, TripOutcome, HeadlessScreen>(legacy: nil, migrated: nil)
        #expect(!resolver.canOpen(.first))
    }
}

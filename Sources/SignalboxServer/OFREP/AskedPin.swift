import Rollouts
import RouteContract
import Storage

/// What the journey that a context names says about routes.
struct AskedPin {
    /// As it was asked for; nil when the context names none.
    let journey: String?
    private let record: JourneyRecord?
    private let choices: [String: Choice]
    /// Whether a rollback tells the journey to end. Its choices stand: nothing switches renderers halfway.
    let ends: Bool

    /// No journey, or one that is not known (`record` is nil) or no longer stands.
    init(journey: String?, record: JourneyRecord?, in snapshot: Snapshot, now: Int64) {
        self.journey = journey
        let standing = record.flatMap { now < $0.pin.expiresAt ? $0 : nil }
        self.record = standing
        ends = standing.map { $0.outcome == nil && snapshot.ends($0.pin, at: now) } ?? false
        choices = standing?.pin.choices.all.map { Dictionary($0, uniquingKeysWith: { first, _ in first }) } ?? [:]
    }

    /// Differs between any two pins that give different answers.
    var state: String {
        guard let journey else { return "" }
        return record.map { "\(journey) \($0.segment)\(ends ? " ends" : "")" } ?? "\(journey) -"
    }

    /// The pinned choice for a route, unless the build that asks is another one and does not contain it.
    func choice(of route: CompiledRoute, askedFrom build: BuildID?) -> Choice? {
        guard let record, let choice = choices[route.key] else { return nil }
        guard let build, build != record.pin.build else { return choice }
        return route.renderers(in: build, claimed: nil).contains(choice.renderer) ? choice : nil
    }

    /// The revision that the pinned choices come from.
    var revision: Int64? { record?.pin.revision }
}

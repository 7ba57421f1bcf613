import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// A start in which a parent or a device has a say: its choices are made after others have been looked up.
struct OpenStart: Sendable {
    let id: JourneyID
    let parent: JourneyID?
    let decided: DecidedChoices?
    let snapshot: Snapshot
    fileprivate let flow: String
    fileprivate let unit: String
    fileprivate let build: BuildID
    fileprivate let lifetime: Int64
    fileprivate let now: Int64
    /// What the present configuration offers.
    fileprivate let offers: [RouteOffer]
    /// The context with the unit and the build, to evaluate an earlier configuration for; null when nobody decided.
    fileprivate let context: JSONValue

    init(_ start: JourneyStart, _ call: borrowing Call) {
        let question = start.question
        id = start.id
        parent = start.parent
        decided = start.decided
        snapshot = call.snapshot
        flow = question.flow.flow.key
        unit = question.unit
        build = question.build
        lifetime = start.lifetime
        now = call.now
        // A device decides when it mints the id.
        offers = question.offers(call, at: start.decided == nil ? call.now : start.id.milliseconds)
        context = start.decided == nil ? .null : question.context.json
    }

    /// The same offers by an earlier configuration. What a build contains is no configuration: it was so then too.
    fileprivate func offers(by past: Snapshot) -> [RouteOffer] {
        guard past !== snapshot else { return offers }
        let scratch = EvaluationScratch()
        let context = EvaluationContext(targetingKey: unit, attributes: context.object ?? [:])
        return offers.compactMap { offer in
            past.route(offer.route).map {
                past.offer(of: $0, among: offer.input.inBuild, for: context, at: id.milliseconds, using: scratch)
            }
        }
    }

    /// The journey as it is to be pinned. `past` is what the device decided by; nil when that cannot be had.
    fileprivate func draft(inheriting parent: [String: Choice], past: Snapshot?) -> JourneyDraft {
        guard let decided else {
            let choices = offers.compactMap { offer in
                offer.choice(inheriting: parent[offer.route]).map { (route: offer.route, choice: $0) }
            }
            let configuration = snapshot.configuration
            return draft(JourneyChoices(choices), configuration.epoch, configuration.revision, origin: nil)
        }
        var isFaithful = true
        var choices = JourneyChoices()
        for offer in offers {
            guard let told = decided.choices[offer.route] else { continue }
            let possible = offer.possible(told)
            if let possible { choices.append(possible, for: offer.route) }
            if possible != told { isFaithful = false }
        }
        let expected = past.map { past in
            Dictionary(
                offers(by: past).compactMap { offer in
                    offer.choice(inheriting: parent[offer.route], told: decided.choices[offer.route])
                        .map { (offer.route, $0) }
                }, uniquingKeysWith: { first, _ in first })
        }
        let isVerified = isFaithful && expected == decided.choices
        return draft(choices, decided.epoch, decided.revision, origin: isVerified ? .decided : .unverified)
    }

    private func draft(
        _ choices: JourneyChoices, _ epoch: Int64, _ revision: Int64, origin: PinOrigin?
    ) -> JourneyDraft {
        JourneyDraft(
            id: id, flow: flow, unit: unit, build: build, parent: parent, epoch: epoch, revision: revision,
            startedAt: id.milliseconds, expiresAt: id.milliseconds + lifetime, choices: choices, origin: origin)
    }

    /// Whether a journey may be this one's parent: what another unit's does is nobody's business.
    fileprivate func inherits(from parent: JourneyRecord) -> Bool {
        parent.pin.unit == unit && parent.pin.build.app == build.app && parent.outcome == nil
            && now < parent.pin.expiresAt
    }
}

extension RouteOffer {
    /// What a device told, if the build contains it; otherwise what the build has.
    fileprivate func possible(_ told: Choice) -> Choice? {
        var input = input
        input.pin = told.renderer
        let choice = choose(input)?.choice
        return choice?.reason == .pinned ? told : choice
    }

    /// The same as a device that had not heard of the service for long may have chosen it.
    fileprivate func choice(inheriting parent: Choice?, told: Choice?) -> Choice? {
        guard told?.reason == .staleSnapshot else { return choice(inheriting: parent) }
        var input = input
        input.snapshot = .stale
        return RouteOffer(route: route, input: input, aborts: aborts, repins: repins).choice(inheriting: parent)
    }
}

extension Service {
    /// A journey and its parents that a start may have.
    private static let deepest = 8

    /// Makes the choices of an open start. `drafts` are starts that come before it in the same request.
    ///
    /// A parent that is not known, has ended or belongs to somebody else is passed over: a journey begins all the same.
    /// Gives `journey_too_deep` when there are more than 8 in a line.
    func draft(
        of start: OpenStart, after drafts: [JourneyID: JourneyDraft] = [:],
        completion: @escaping @Sendable (Result<JourneyDraft, ServiceError>) -> Void
    ) {
        findParent(of: start, drafts) { parent in
            switch parent {
            case .failure(let error): completion(.failure(error))
            case .success(let choices):
                guard let decided = start.decided else {
                    return completion(.success(start.draft(inheriting: choices, past: nil)))
                }
                self.pastSnapshots.snapshot(decided.epoch, decided.revision, before: start.snapshot, in: self) { past in
                    completion(.success(start.draft(inheriting: choices, past: past)))
                }
            }
        }
    }

    private func findParent(
        of start: OpenStart, _ drafts: [JourneyID: JourneyDraft],
        completion: @escaping @Sendable (Result<[String: Choice], ServiceError>) -> Void
    ) {
        guard let parent = start.parent else { return completion(.success([:])) }
        walk(from: parent, drafts, depth: 1, first: nil) { found in
            switch found {
            case .failure(let error): completion(.failure(error))
            case .success(let record):
                let choices = record.flatMap { start.inherits(from: $0) ? $0.pin.choices.all : nil } ?? []
                completion(
                    .success(Dictionary(choices.map { ($0.route, $0.choice) }, uniquingKeysWith: { first, _ in first }))
                )
            }
        }
    }

    /// Walks up the line of parents; gives the nearest.
    private func walk(
        from id: JourneyID, _ drafts: [JourneyID: JourneyDraft], depth: Int, first: JourneyRecord?,
        completion: @escaping @Sendable (Result<JourneyRecord?, ServiceError>) -> Void
    ) {
        guard depth < Self.deepest else {
            return completion(
                .failure(
                    ServiceError(
                        .journeyTooDeep,
                        "At most \(Self.deepest) journeys may be started from one another; start this one without a parent."
                    )))
        }
        let goOn: @Sendable (JourneyRecord?) -> Void = { record in
            let nearest = first ?? record
            guard let next = record?.pin.parent else { return completion(.success(nearest)) }
            self.walk(from: next, drafts, depth: depth + 1, first: nearest, completion: completion)
        }
        if let record = store.recentJourney(id) { return goOn(record) }
        store.journey(id) { outcome in
            let stored = outcome.value ?? nil
            goOn(stored ?? drafts[id].map { JourneyRecord(segment: 1, pin: $0) })
        }
    }
}

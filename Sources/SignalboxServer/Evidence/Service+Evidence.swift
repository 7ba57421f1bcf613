import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// An artefact on its way to becoming evidence.
struct PushedArtefact: Sendable {
    let route: String
    let kind: EvidenceItem.Kind
    let build: BuildID
    let producer: String
    /// The contract that the producer says it is of; nil when it does not say.
    let contract: String?
    /// Nil for as long as the kind lasts.
    let expiresAt: Int64?
    let artefact: String
    let actor: Actor
    let reason: String
    let now: Int64
}

extension Service {
    /// Judges an artefact on a thread of its own, and stores what was found: comparing recordings may take a second, for
    /// which no worker and no writer waits.
    func judge(_ pushed: PushedArtefact, for parked: ParkedRequest) {
        let configuration = snapshot.configuration
        let id = newEvidenceID(at: pushed.now)
        Task.detached(priority: .utility) { [self] in
            do {
                let item = try Self.item(of: pushed, id: id, in: configuration)
                let bytes = Array(pushed.artefact.utf8)
                let (actor, reason, now) = (pushed.actor, pushed.reason, pushed.now)
                store.record(
                    { try $0.recording(item, beside: $1, by: actor, reason: reason, at: now) }, artefact: bytes
                ) { outcome in
                    parked.complete(
                        with: self.response(to: outcome) { recorded in
                            .json(
                                ["evidence": .object(recorded.item.shown(at: now))],
                                status: recorded.audit == nil ? 200 : 201)
                        })
                }
            } catch {
                parked.complete(with: failure(error))
            }
        }
    }

    private static func item(
        of pushed: PushedArtefact, id: String, in configuration: Configuration
    ) throws(RolloutError) -> EvidenceItem {
        try configuration.check(pushed.kind, of: pushed.route, for: pushed.build, contract: pushed.contract)
        let route = try configuration.route(pushed.route)
        guard let build = configuration.builds[pushed.build], let contract = route.contract?.hash else {
            throw RolloutError(.contractMismatch, "\"\(route.key)\" has no contract that evidence could be of.")
        }
        let judge = ArtefactJudge(
            kind: pushed.kind, route: route, build: build, contract: contract, today: CalendarDay(of: pushed.now).text)
        let finding = try judge.finding(in: pushed.artefact)
        var sha = SHA256()
        return EvidenceItem(
            id: id, kind: pushed.kind, route: route.key, contract: contract, build: pushed.build,
            producer: pushed.producer, artefact: sha.digest(of: pushed.artefact).hexadecimal,
            size: pushed.artefact.utf8.count, finding: finding, createdAt: pushed.now,
            expiresAt: pushed.expiresAt ?? pushed.now + pushed.kind.lifetimeMilliseconds)
    }

    /// Stores what a rehearsal measured; only the service itself makes evidence of that kind.
    ///
    /// `route` is as it was rehearsed: what is measured is of its contract then. `report` is what was measured, as it is to
    /// be kept: it is the artefact. The finding is its verdict.
    func recordRehearsal(
        of route: RouteRollout, in build: BuildID, _ report: JSONObject, finding: EvidenceFinding, at now: Int64,
        completion: @escaping @Sendable (StoreOutcome<RecordedEvidence>) -> Void
    ) {
        var artefact = report
        artefact["kind"] = .string(EvidenceItem.Kind.rehearsal.rawValue)
        let bytes = JSONValue.object(artefact).canonicalJSON
        let id = newEvidenceID(at: now)
        store.record(
            { configuration, ledger in
                let item = EvidenceItem(
                    id: id, kind: .rehearsal, route: route.key, contract: route.contract?.hash ?? "",
                    build: build, producer: "signalbox", artefact: ContentHash.of(bytes), size: bytes.count,
                    finding: finding, createdAt: now, expiresAt: now + EvidenceItem.Kind.rehearsal.lifetimeMilliseconds)
                return try configuration.recording(
                    item, beside: ledger, by: .engine, reason: "A rehearsal was measured.", at: now)
            }, artefact: bytes, completion: completion)
    }

    private func newEvidenceID(at now: Int64) -> String {
        let random = randomness
        return JourneyID(milliseconds: now, randomA: UInt16(truncatingIfNeeded: random.next()), randomB: random.next())
            .description
    }
}

extension EvidenceItem {
    /// As `/v1/evidence` shows it.
    func shown(at now: Int64) -> JSONObject {
        var json = json
        json["holds"] = .bool(holds(at: now))
        return json
    }
}

import FlagEvaluation
import HTTPServer
import RouteContract

/// What apps do: start journeys, ask again, end them, and sometimes ask for what they should not have.
extension World {
    /// Sends a start: a new journey, or one that was asked for before.
    func sendStart() -> Pending? {
        if !starts.isEmpty, random.chance(45) { return send(again: random.one(of: starts.suffix(12), or: starts[0])) }
        let start = newStart()
        starts.append(start)
        return send(start)
    }

    /// The same journey from another device's queue, or after an update, or with somebody else's hands on the id.
    private func send(again first: Start) -> Pending? {
        var start = first
        switch random.number(in: 0...9) {
        case 0: start.unit = "somebody-else"
        case 1: start.build = "other:730"
        case 2: start.flow = first.flow == "trips" ? "orders" : "trips"
        case 3: start.build = random.one(of: Sample.builds, or: first.build)
        case 4: start.email = nil
        default: break
        }
        return send(start)
    }

    func send(_ start: Start) -> Pending? { send(.start(start), .post, "/v1/journeys", start.json) }

    func newStart() -> Start {
        // Phones have clocks of their own; those that asked once follow the service's.
        var time = random.chance(80) ? clock.trueTime : clock.now
        switch random.number(in: 0...19) {
        case 0: time -= 8 * Sample.day
        case 1: time += 2 * Sample.day
        case 2: time -= random.number(in: 0...(6 * Sample.day))
        default: break
        }
        return newStart(at: time)
    }

    func newStart(at time: Int64) -> Start {
        let id = JourneyID(
            milliseconds: max(0, time), randomA: UInt16(random.number(in: 0...0xFFF)), randomB: random.next())
        var start = Start(
            id: id.description, idTime: id.milliseconds, flow: random.one(of: Sample.flows, or: "trips"),
            unit: "u-\(random.number(in: 0...40))", build: random.chance(60) ? "app:730" : oneBuild,
            email: random.chance(60) ? "mia@example.com" : nil)
        if random.chance(15) {
            start.claims = random.one(of: [["legacy"], ["migrated"], ["legacy", "migrated"], []], or: [])
        }
        return start
    }

    private var oneBuild: String { random.one(of: Sample.builds, or: "app:720") }

    /// Sends how a journey ended.
    func sendFinish() -> Pending? {
        let id = starts.isEmpty ? newStart().id : random.one(of: starts.suffix(8), or: starts[0]).id
        let outcome: JSONValue = random.one(
            of: [["status": "completed", "name": "saved"], ["status": "cancelled"], ["status": "failed"]],
            or: ["status": "completed"])
        return send(.finish(id, outcome), .post, "/v1/journeys/\(id)/outcome", outcome)
    }

    /// Sends a resume: after a crash or not, from the same build or another, sometimes an attempt that was made before.
    func sendResume() -> Pending? {
        guard !starts.isEmpty else { return nil }
        var start = random.one(of: starts.suffix(8), or: starts[0])
        if random.chance(30) { start.build = oneBuild }
        if random.chance(5) { start.unit = "somebody-else" }
        var body = start.json.object ?? [:]
        body["id"] = nil
        body["lastProcessDied"] = .bool(random.chance(40))
        // A process belongs to one build.
        let place = Sample.builds.firstIndex(of: start.build) ?? 9
        let attempt = "01900000-0000-7000-8000-0000000000\(place)\(random.number(in: 0...3))"
        body["attempt"] = .string(attempt)
        return send(
            .resume(start, attempt: attempt), .post, "/v1/journeys/\(start.id)/resume", .object(body))
    }

    /// One resume, or two at once.
    func resumeSome() async {
        let pending = [sendResume(), random.chance(40) ? sendResume() : nil]
        for one in pending { await receive(one) }
    }

    func showJourney() async {
        guard !starts.isEmpty else { return }
        let id = random.one(of: starts, or: starts[0]).id
        await receive(send(.showJourney(id), .get, "/v1/journeys/\(id)"))
    }

    /// Asks a route for its renderer over OFREP.
    func evaluate() async {
        let route = random.one(of: Sample.routes, or: "trips.edit")
        let build = oneBuild
        let context: JSONValue = [
            "targetingKey": .string("u-\(random.number(in: 0...40))"), "build": .string(build),
            "email": "mia@example.com",
        ]
        await receive(
            send(
                .evaluate(route: route, build: build), .post, "/ofrep/v1/evaluate/flags/\(route)", ["context": context])
        )
    }
}

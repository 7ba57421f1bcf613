import FlagEvaluation
import Parity
import RouteContract

/// What a user does on one screen of a sample flow, recorded from whichever entry opens it.
@MainActor
struct SampleScenario<R: LinkableRoute, O: Outcome> {
    typealias Entry = any FeatureEntry<R, O, HeadlessScreen>

    let name: String
    let route: R
    /// Actions with the text that is typed.
    let steps: [(action: String, text: String)]
    /// Makes an entry over a model of its own.
    let entry: @MainActor (Renderer) -> Entry

    /// Runs the scenario.
    ///
    /// - Parameter changing: what a test does to the entry, so that it is no longer the same.
    func recording(
        _ renderer: Renderer, run: Int64 = 1, contentSize: String = "default", contract: String = "sample",
        changing change: (inout Doing) -> Void = { _ in }
    ) -> [UInt8] {
        var doing = Doing()
        change(&doing)
        var recorder = ParityRecorder(
            ParityHeader(
                flow: R.flow, scenario: name, renderer: renderer, run: run, contract: contract, app: "app",
                build: "730", os: "headless", device: "headless", locale: "en", contentSize: contentSize,
                recorder: "sample/1", seed: 0))
        recordVisit(entry(renderer), doing, &recorder)
        recordEntries(entry(renderer), &recorder)
        return recorder.recording
    }

    /// How what a screen shows and says comes into the recording; tests break it.
    struct Doing {
        var contents: (ScreenContents) -> ScreenContents = { $0 }
        var events: ([Event]) -> [Event] = { $0 }
    }

    struct Event {
        var name: String
        var props: JSONObject
    }

    private final class Heard {
        var events: [ScreenEvent<R, O>] = []
    }

    private func recordVisit(_ entry: Entry, _ doing: Doing, _ recorder: inout ParityRecorder) {
        let heard = Heard()
        let screen = entry.makeScreen(for: route, journey: journey) { heard.events.append($0) }
        var state = "opened"
        recorder.capture(doing.contents(screen.contents), step: state)
        for (number, step) in steps.enumerated() {
            heard.events = []
            let isOffered = screen.perform(step.action, step.text)
            let name = "\(number + 1) \(step.action)"
            for event in doing.events(heard.events.map(Self.event)) {
                recorder.event(event.name, step: name, props: event.props)
            }
            let next = isOffered ? doing.contents(screen.contents).actions.joined(separator: ",") : "refused"
            recorder.state(from: state, to: next)
            state = next
            recorder.capture(doing.contents(screen.contents), step: name)
        }
    }

    private func recordEntries(_ entry: Entry, _ recorder: inout ParityRecorder) {
        let decoding = RouteDecoding<R>(schemes: ["https"], hosts: ["example.com"])
        let ids: [String?] = [nil, "1", "7", "gone", "../1"]
        for id in ids {
            let path =
                "/"
                + ([R.flow] + [id, route.key.split(separator: ".").last.map(String.init)].compactMap { $0 })
                .joined(separator: "/")
            recorder.entry(
                via: .deepLink, input: .string(path),
                result: opened(try? decoding.route(for: Link(scheme: "https", host: "example.com", path: path)), entry))
            let stored: JSONValue = ["schema": 1, "key": .string(route.key), "id": id.map { .string($0) } ?? .null]
            // A record that no build has ever written is none.
            if let saved = R(key: route.key, id: id), R.isValidID(id ?? "0") {
                recorder.entry(via: .restoration, input: stored, result: opened(saved, entry))
            }
        }
    }

    private func opened(_ route: R?, _ entry: Entry) -> JSONValue {
        guard let route else { return .null }
        let screen = entry.makeScreen(for: route, journey: journey) { _ in }
        return ["route": .string(route.key), "title": .string(screen.contents.title)]
    }

    private static func event(_ event: ScreenEvent<R, O>) -> Event {
        switch event {
        case .request(let route):
            Event(name: "requested", props: ["route": .string(route.key), "id": route.id.map { .string($0) } ?? .null])
        case .finish(let outcome):
            Event(
                name: "finished",
                props: ["outcome": .string(outcome.name), "success": .bool(outcome.isSuccess)])
        }
    }

    private var journey: Journey {
        Journey(id: JourneyID(milliseconds: 1_000, randomA: 0, randomB: 0), flow: R.flow, choices: [:])
    }
}

/// The scenarios of the sample: one a route.
@MainActor
enum SampleScenarios {
    typealias Orders = SampleScenario<OrderRoute, OrderOutcome>
    typealias Trips = SampleScenario<TripRoute, TripOutcome>

    static let orders = [
        orders(.list, ["open 2", "open 9", "close"]), orders(.detail(id: "1"), ["receipt", "support", "close"]),
        orders(.receipt(id: "2"), ["done"]), orders(.support(id: "1"), ["send", "message", "send"]),
    ]
    static let trips = [trips(.tripDetail(id: "7"), ["edit", "close"]), trips(.editTrip(id: "7"), ["name", "save"])]

    private static func orders(_ route: OrderRoute, _ actions: [String]) -> Orders {
        Orders(name: route.key, route: route, steps: actions.map { ($0, "Broken") }) { renderer in
            let book = OrderBook(orders: [
                .init(id: "1", title: "Lamp", total: "30 €"), .init(id: "2", title: "Chair", total: "80 €"),
            ])
            return renderer == .legacy ? LegacyOrdersEntry(book: book) : MigratedOrdersEntry(book: book)
        }
    }

    private static func trips(_ route: TripRoute, _ actions: [String]) -> Trips {
        Trips(name: route.key, route: route, steps: actions.map { ($0, "Bergen") }) { renderer in
            let book = TripBook(names: ["7": "Oslo"])
            return renderer == .legacy ? LegacyTripsEntry(book: book) : MigratedTripsEntry(book: book)
        }
    }
}

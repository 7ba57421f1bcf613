import FlagEvaluation
import RouteContract

/// What was recorded, and under which conditions: the first line of a recording.
public struct ParityHeader: Hashable, Sendable {
    /// The key of the flow.
    public var flow: String
    /// What is done in the recording: one name for the same steps in both renderers.
    public var scenario: String
    /// What the recording shows.
    public var renderer: Renderer
    /// Tells apart the recordings of one renderer, counted from 1. A control is another run than what it controls.
    public var run: Int64
    /// A hash of the contract that both entries conform to.
    public var contract: String
    /// The app, as builds name it.
    public var app: String
    /// The number of the build that has both entries.
    public var build: String
    /// The version of the operating system.
    public var os: String
    /// The class of device: performance is only compared within one.
    public var device: String
    /// The language and region that were set.
    public var locale: String
    /// The text size that was set, in the platform's word for it.
    public var contentSize: String
    /// What made the recording, with its version.
    public var recorder: String
    /// What random choices of the scenario came from.
    public var seed: Int64

    /// A header of these members.
    public init(
        flow: String, scenario: String, renderer: Renderer, run: Int64, contract: String, app: String, build: String,
        os: String, device: String, locale: String, contentSize: String, recorder: String, seed: Int64
    ) {
        self.flow = flow
        self.scenario = scenario
        self.renderer = renderer
        self.run = run
        self.contract = contract
        self.app = app
        self.build = build
        self.os = os
        self.device = device
        self.locale = locale
        self.contentSize = contentSize
        self.recorder = recorder
        self.seed = seed
    }

    /// The header as it stands in a file, without its kind.
    public var json: JSONObject {
        [
            "flow": .string(flow), "scenario": .string(scenario), "renderer": .string(renderer.rawValue),
            "run": .integer(run), "contract": .string(contract), "app": .string(app), "build": .string(build),
            "os": .string(os), "device": .string(device), "locale": .string(locale),
            "contentSize": .string(contentSize), "recorder": .string(recorder), "seed": .integer(seed),
        ]
    }

    /// The names of what must be equal in two recordings that are compared, where it is not.
    func unequalConditions(to other: ParityHeader) -> [String] {
        json.entries.filter { !["renderer", "run"].contains($0.key) && other.json[$0.key] != $0.value }.map(\.key)
    }

    init(_ line: LineReader) throws(LineFault) {
        flow = try line.name("flow")
        scenario = try line.name("scenario")
        renderer = try line.word("renderer")
        run = try line.integer("run")
        contract = try line.name("contract")
        app = try line.name("app")
        build = try line.name("build")
        os = try line.name("os")
        device = try line.name("device")
        locale = try line.name("locale")
        contentSize = try line.name("contentSize")
        recorder = try line.name("recorder")
        seed = try line.integer("seed")
    }
}

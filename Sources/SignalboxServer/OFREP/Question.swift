import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// What is asked over OFREP: the context, with the build and the journey that it names.
struct Question: ~Copyable {
    /// Why the body was not taken, in OFREP's words.
    struct Refusal: Error {
        let code: String
        let details: String
    }

    let snapshot: Snapshot
    let keyID: String
    let now: Int64
    let pin: AskedPin
    /// What was evaluated for it so far.
    private(set) var tally = EvaluationTally()
    private let document: JSONDocument
    private let context: EvaluationContext
    /// The build as it was named, and where it stands in the snapshot.
    private let build: (id: BuildID?, index: Int?)
    private let scratch: EvaluationScratch

    /// Reads the context of a body, which may be missing. `pin` looks the named journey up, for its text.
    init(
        _ body: UnsafeRawBufferPointer, onto document: JSONDocument, scratch: EvaluationScratch, snapshot: Snapshot,
        keyID: String, now: Int64, pin: (String) -> JourneyRecord?
    ) throws(Refusal) {
        if body.isEmpty {
            document.clear()
        } else {
            do throws(JSONError) {
                try document.parse(body, limits: .context)
            } catch {
                throw Refusal(
                    code: error.isOverLimit ? "INVALID_CONTEXT" : "PARSE_ERROR",
                    details: "\(error.message) (\(error.code.rawValue) at byte \(error.offset))")
            }
        }
        guard let context = EvaluationContext(body: document) else {
            throw Refusal(code: "INVALID_CONTEXT", details: "The body and its context must be JSON objects.")
        }
        self.snapshot = snapshot
        self.keyID = keyID
        self.now = now
        self.document = document
        self.context = context
        self.scratch = scratch
        let build = document.text("build", ofMember: "context")
        let journey = document.text("journey", ofMember: "context")
        // Only a pin is compared with it.
        self.build = (journey == nil ? nil : build.flatMap { BuildID($0) }, build.flatMap { snapshot.builds[$0] })
        self.pin = AskedPin(journey: journey, record: journey.flatMap(pin), in: snapshot, now: now)
    }

    /// The unit that it is asked for.
    var unit: String? { document.text("targetingKey", ofMember: "context") }

    /// The same bytes for the same context.
    var canonicalContext: [UInt8] {
        let node = document.member("context", of: document.root)
        return node.flatMap { document.value(of: $0) }.flatMap { $0.isNull ? nil : $0.canonicalJSON }
            ?? Array("{}".utf8)
    }

    /// The answer for the flag or route at that index.
    mutating func answer(at index: Int) -> Response {
        guard let route = snapshot.routes[index] else {
            let outcome = outcome(at: index)
            return Response(
                status: outcome.errorCode == nil ? 200 : 400, body: snapshot.prepared[index].body(for: outcome))
        }
        var body: [UInt8] = []
        body.reserveCapacity(512)
        let isFailure = append(route, to: &body)
        return Response(status: isFailure ? 400 : 200, body: body)
    }

    /// Appends the same as an item.
    mutating func append(_ index: Int, to body: inout [UInt8]) {
        if let route = snapshot.routes[index] {
            append(route, to: &body)
        } else {
            body.append(contentsOf: snapshot.prepared[index].body(for: outcome(at: index)))
        }
    }

    /// Appends the answer for a route, and tells whether it is a failure.
    @discardableResult
    private mutating func append(_ route: CompiledRoute, to body: inout [UInt8]) -> Bool {
        let prepared = snapshot.prepared[route.index]
        if pin.journey != nil, let choice = pin.choice(of: route, askedFrom: build.id) {
            body.append(contentsOf: prepared.body(pinned: choice, to: pin))
            return false
        }
        let answer = snapshot.answer(of: route, for: context, at: now, using: scratch)
        let choice = snapshot.choice(
            of: route, among: route.renderers(in: build.index), whenFlagGives: answer, for: context, at: now,
            using: scratch)
        tally.count(answer.errorCode == nil ? PreparedFlag.reason(of: choice, answer) : answer.reason)
        if let journey = pin.journey {
            let revision = snapshot.configuration.revision
            body.append(
                contentsOf: prepared.body(
                    for: choice, whenFlagGives: answer, unpinnedIn: journey, revision: revision))
        } else {
            prepared.append(choice, whenFlagGives: answer, to: &body)
        }
        return answer.errorCode != nil
    }

    private mutating func outcome(at index: Int) -> EvaluationOutcome {
        let outcome = snapshot.flags.outcome(at: index, for: context, at: now / 1000, using: scratch)
        tally.count(outcome.reason)
        return outcome
    }
}

extension JSONError {
    /// Whether the text is JSON, but more of it than is taken.
    fileprivate var isOverLimit: Bool {
        switch code {
        case .tooDeep, .tooManyKeys, .stringTooLong: true
        case .malformed, .invalidUTF8, .duplicateKey, .numberOutOfRange: false
        }
    }
}

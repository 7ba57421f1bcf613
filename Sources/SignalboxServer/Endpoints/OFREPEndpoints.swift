import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/ofrep/v1/evaluate/flags`: what any OpenFeature client speaks
    mutating func addOFREPEndpoints() {
        add(.post, "/ofrep/v1/evaluate/flags/:key", .evaluate, use: evaluateOne)
        add(.post, "/ofrep/v1/evaluate/flags", .evaluate, use: evaluateAll)
    }
}

/// Evaluates one flag or route.
///
/// Takes `{"context": {…}}`, or nothing. Gives 200 and the answer; 404 FLAG_NOT_FOUND, 400 PARSE_ERROR, INVALID_CONTEXT
/// or GENERAL, in OFREP's own shape.
@Sendable private func evaluateOne(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let snapshot = call.snapshot
    guard let index = request.withParameter(at: 0, { snapshot.flags.index(ofKey: $0) }) else {
        let key = request.parameter("key")
        return .now(
            AnswerWriter.failure(
                key: key, code: "FLAG_NOT_FOUND", details: "There is no flag or route \"\(key)\".", status: 404))
    }
    do throws(Asker.Refusal) {
        return .now(try Asker(request, call).answer(at: index))
    } catch {
        return .now(
            AnswerWriter.failure(
                key: request.parameter("key"), code: error.code, details: error.details, status: 400))
    }
}

/// Evaluates everything that the key may see.
///
/// Takes what the single call takes. Gives 200 and an item a flag or route, by key, with a failing flag as an item too;
/// 304 when `If-None-Match` names what would be answered.
@Sendable private func evaluateAll(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let tag = EntityTag(of: request.body, at: call.snapshot, now: call.now)
    if let known = request.headerText("if-none-match"), tag.isNamed(in: known) {
        return .now(Response(status: 304).addingHeader("ETag", tag.text))
    }
    do throws(Asker.Refusal) {
        let asker = try Asker(request, call)
        var body = Array(#"{"flags":["#.utf8)
        for index in 0..<asker.snapshot.flags.count {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: asker.answer(at: index).body)
        }
        body.append(contentsOf: #"],"metadata":{}}"#.utf8)
        return .now(Response(status: 200, body: body).addingHeader("ETag", tag.text))
    } catch {
        return .now(AnswerWriter.failure(key: nil, code: error.code, details: error.details, status: 400))
    }
}

/// Who asks over OFREP: the context, and the build that it names.
private struct Asker {
    /// Why the body was not taken, in OFREP's words.
    struct Refusal: Error {
        let code: String
        let details: String
    }

    let snapshot: Snapshot
    private let context: EvaluationContext
    private let build: BuildID?
    private let now: Int64
    private let scratch: EvaluationScratch

    /// Reads the context of a body, which may be missing.
    init(_ request: borrowing Request, _ call: borrowing Call) throws(Refusal) {
        let document = call.worker.document
        if request.body.isEmpty {
            document.clear()
        } else {
            do throws(JSONError) {
                try document.parse(request.body, limits: .context)
            } catch {
                throw Refusal(
                    code: error.isOverLimit ? "INVALID_CONTEXT" : "PARSE_ERROR",
                    details: "\(error.message) (\(error.code.rawValue) at byte \(error.offset))")
            }
        }
        guard let context = EvaluationContext(body: document) else {
            throw Refusal(code: "INVALID_CONTEXT", details: "The body and its context must be JSON objects.")
        }
        snapshot = call.snapshot
        self.context = context
        build = document.text("build", ofMember: "context").flatMap { BuildID($0) }
        now = call.now
        scratch = call.worker.scratch
    }

    /// The answer for the flag or route at that index.
    func answer(at index: Int) -> Response {
        let outcome = snapshot.flags.outcome(at: index, for: context, at: now / 1000, using: scratch)
        guard let route = snapshot.routes[index] else { return snapshot.prepared[index].response(for: outcome) }
        let choice = snapshot.choice(
            of: route, in: build, whenFlagGives: outcome, for: context, at: now, using: scratch)
        return snapshot.prepared[index].response(for: choice, whenFlagGives: outcome)
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

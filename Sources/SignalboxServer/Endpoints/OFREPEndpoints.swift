import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/ofrep/v1`: what any OpenFeature client speaks
    mutating func addOFREPEndpoints() {
        add(
            .post, "/ofrep/v1/evaluate/flags/:key", .evaluate,
            About("Evaluates one flag or route").evaluates(giving: .ofrepSuccess).gives(404, .ofrepFailure),
            use: evaluateOne)
        add(
            .post, "/ofrep/v1/evaluate/flags", .evaluate,
            About("Evaluates everything that the key may see").evaluates(giving: .ofrepBulk).gives(304, nil)
                .takes(header: "If-None-Match", .string).takes(query: "flagConfigEtag", .string)
                .takes(query: "flagConfigLastModified", .string),
            use: evaluateAll)
        addStream(
            "/ofrep/v1/sse",
            About("Says when flags must be fetched again; the address is in the answer for all flags")
                .takes(query: "token", .string).takes(query: "since", .string).takes(header: "Last-Event-ID", .string)
                .gives(.string, as: .eventStream),
            use: openStream)
    }
}

extension About {
    fileprivate func evaluates(giving schema: Schema) -> About {
        takes(.ofrepRequest, isOptional: true).gives(schema).gives(400, .ofrepFailure)
    }
}

/// Evaluates one flag or route.
///
/// Takes `{"context": {…}}`, or nothing. Gives 200 and the answer; 404 FLAG_NOT_FOUND, 400 PARSE_ERROR, INVALID_CONTEXT
/// or GENERAL, in OFREP's own shape.
@Sendable private func evaluateOne(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let snapshot = call.snapshot
    guard let index = request.withParameter(at: 0, { snapshot.flags.index(ofKey: $0) }) else {
        let key = request.parameter("key")
        return .now(
            AnswerWriter.failure(
                key: key, code: "FLAG_NOT_FOUND", details: "There is no flag or route \"\(key)\".", status: 404))
    }
    return try ask(request, call, snapshot, about: snapshot.flags[index].key) { $0.answer(at: index) }
}

/// Evaluates everything that the key may see.
///
/// Takes what the single call takes. Gives 200 and an item a flag or route, by key, with a failing flag as an item too,
/// and where the event stream is; 304 when `If-None-Match` names what would be answered.
@Sendable private func evaluateAll(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let known = request.headerText("if-none-match")
    return try ask(request, call, call.snapshot, about: nil) { question in
        let tag = EntityTag(of: question)
        if let known, tag.isNamed(in: known) { return Response(status: 304).addingHeader("ETag", tag.text) }
        return question.answerToAll.addingHeader("ETag", tag.text)
    }
}

/// Answers a question at once, unless it names a journey that has to be read first.
private func ask(
    _ request: borrowing Request, _ call: borrowing Call, _ snapshot: Snapshot, about key: String?,
    _ answer: @escaping @Sendable (inout Question) -> Response
) throws -> Reply {
    let store = call.service.store
    let evaluations = call.worker.evaluations
    var unread: JourneyID?
    do throws(Question.Refusal) {
        var question = try Question(
            request.body, onto: call.worker.document, scratch: call.worker.scratch, snapshot: snapshot,
            keyID: call.principal.key.id, now: call.now
        ) { text in
            var text = text
            guard let id = text.withUTF8({ JourneyID(text: UnsafeRawBufferPointer($0)) }) else { return nil }
            if let record = store.recentJourney(id) { return record }
            unread = id
            return nil
        }
        if call.principal.key.kind == .app, let unit = question.unit {
            do { try call.service.rateLimits.admit(unit: unit, of: call.principal, at: call.now) } catch {
                return .now(call.service.failure(error))
            }
        }
        if unread == nil {
            defer { evaluations.add(question.tally) }
            return .now(answer(&question))
        }
    } catch {
        return .now(AnswerWriter.failure(key: key, code: error.code, details: error.details, status: 400))
    }
    guard let unread else { throw ServiceError(.internalFault, "The question got no answer.") }
    let body = Array(request.body)
    let keyID = call.principal.key.id
    let now = call.now
    let parked = request.park()
    store.journey(unread) { outcome in
        // On a thread of its own: evaluating everything would hold up the reader.
        Task.detached(priority: .high) {
            let response = body.withUnsafeBytes { bytes in
                do throws(Question.Refusal) {
                    var question = try Question(
                        bytes, onto: JSONDocument(), scratch: EvaluationScratch(), snapshot: snapshot, keyID: keyID,
                        now: now
                    ) { _ in outcome.value.flatMap { $0 } }
                    defer { evaluations.add(question.tally) }
                    return answer(&question)
                } catch {
                    return AnswerWriter.failure(key: key, code: error.code, details: error.details, status: 400)
                }
            }
            parked.complete(with: response)
        }
    }
    return .later
}

extension Question {
    /// `{"flags", "eventStreams", "metadata"}`
    fileprivate var answerToAll: Response {
        mutating get {
            var body: [UInt8] = []
            body.reserveCapacity(snapshot.bulkBytes)
            body.append(contentsOf: #"{"flags":["#.utf8)
            for index in 0..<snapshot.flags.count {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                append(index, to: &body)
            }
            body.append(contentsOf: #"],"eventStreams":["#.utf8)
            if let target = StreamLink.target(for: keyID, at: snapshot, now: now) {
                // Nothing in a target needs escaping.
                body.append(contentsOf: #"{"type":"sse","endpoint":{"requestUri":""#.utf8)
                body.append(contentsOf: target.utf8)
                body.append(contentsOf: #""},"inactivityDelaySec":120}"#.utf8)
            }
            body.append(contentsOf: #"],"metadata":{}}"#.utf8)
            return Response(status: 200, body: body)
        }
    }
}

/// Opens an event stream.
///
/// Takes `token` and `since` from the query, as they stand in the answer for all flags, or a key as any other call does.
/// `Last-Event-ID` says what was seen last and wins over `since`. Gives 200 and events `{"type": "refetchEvaluation",
/// "etag", "lastModified"}`, the first at once if anything was missed. Fails with 401 `unauthorized`.
private func openStream(
    _ request: borrowing Request, _ right: StreamRight, _ snapshot: Snapshot, _ service: Service
) -> Reply {
    let seen = request.headerText("last-event-id") ?? request.query("since")
    return .stream(service.events.stream(for: right, after: seen, at: snapshot))
}

import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Synchronization

/// Many starts of journeys in one request.
enum JourneyBatch {
    /// Starts in one request.
    static let most = 500
    /// As for a context, for each of them; the body is no larger than 1 MB.
    static let limits = JSONLimits(depth: 35, keys: 100_000, stringBytes: 4_096)
}

extension Schema {
    /// One item of the answer: a journey, or why there is none.
    static let startedInBatch = Schema.either([
        ["status": .integer(200...201), "journey": .journey],
        [
            "status": .integer(400...599),
            "error": ["code": .string, "message": .string, "details?": .any],
        ],
    ])
}

extension About {
    /// What a start of a journey may fail with.
    func startsJourneys() -> About {
        fails(
            .invalidJourneyID, .journeyIDOutOfWindow, .journeyTooDeep, .invalidBuild, .invalidContext, .flowHasNoRoutes
        )
        .fails(.flowNotFound)
    }
}

/// Pins the choices of many journeys in one commit.
///
/// Takes `journeys`: up to 500 of what the single call takes. Gives 200 and `journeys`: for each, in the same order,
/// `{"status", "journey"}` or `{"status", "error"}` as the single call would answer. A bad item fails alone.
@Sendable func startJourneys(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let document = call.worker.document
    let items = try list(request, document).map { node in Result { try item(node, in: document, call) } }
    let parked = request.park()
    let service = call.service
    service.draft(items) { items in
        let good = items.compactMap { try? $0.get() }
        service.store.startJourneys(good.compactMap(\.draftInWindow)) { outcome in
            var started = (outcome.value ?? []).makeIterator()
            let results = good.map { item in item.draftInWindow == nil ? nil : try? started.next()?.get() }
            // What was pinned before stays, whatever the store can write now and whatever lifetime the flow has now.
            let open = zip(good, results).filter { $1 == nil }.map(\.0.id)
            service.standing(open) { records in
                var standing = records.makeIterator()
                let answers = zip(good, results).map { item, started in
                    started.map { item.answers.started($0) } ?? service.answer(to: item, standing.next() ?? nil)
                }
                parked.complete(with: answer(to: items, answers))
            }
        }
    }
    return .later
}

private struct BatchItem: Sendable {
    let answers: StartAnswers
    let id: JourneyID
    /// What is still to be decided on; nil once `draft` is made.
    let open: OpenStart?
    var draft: JourneyDraft?
    let isInWindow: Bool
    let refusal: ServiceError

    var draftInWindow: JourneyDraft? { isInWindow ? draft : nil }
}

extension Service {
    /// Makes the choices of those in which a parent or a device has a say, in their order: a parent may be in the same
    /// request.
    fileprivate func draft(
        _ items: [Result<BatchItem, any Error>], from first: Int = 0, after drafts: [JourneyID: JourneyDraft] = [:],
        completion: @escaping @Sendable ([Result<BatchItem, any Error>]) -> Void
    ) {
        var drafts = drafts
        for index in first..<items.count {
            guard case .success(let item) = items[index], item.isInWindow else { continue }
            if let draft = item.draft, drafts[item.id] == nil { drafts[item.id] = draft }
            guard let open = item.open, item.draft == nil else { continue }
            return draft(of: open, after: drafts) { [self, drafts] result in
                var items = items
                items[index] = result.map {
                    var item = item
                    item.draft = $0
                    return item
                }.mapError { $0 }
                draft(items, from: index, after: drafts, completion: completion)
            }
        }
        completion(items)
    }

    /// The journeys of those ids as far as they are known; nil for one that is not, or cannot be read.
    fileprivate func standing(
        _ ids: [JourneyID], found: [JourneyRecord?] = [], completion: @escaping @Sendable ([JourneyRecord?]) -> Void
    ) {
        guard found.count < ids.count else { return completion(found) }
        let id = ids[found.count]
        if let record = store.recentJourney(id) {
            return standing(ids, found: found + [record], completion: completion)
        }
        store.journey(id) { [self] outcome in
            standing(ids, found: found + [outcome.value ?? nil], completion: completion)
        }
    }

    /// The answer to a start that did not come to be.
    fileprivate func answer(to item: BatchItem, _ record: JourneyRecord?) -> Response {
        if let record { return item.answers.existing(record) }
        guard let draft = item.draftInWindow else { return Failures.response(for: item.refusal) }
        unpinnedStarts.add(1, ordering: .relaxed)
        return item.answers.unpinned(draft, because: .failed)
    }
}

private func list(_ request: borrowing Request, _ document: JSONDocument) throws -> [JSONDocument.Node] {
    guard !request.body.isEmpty else {
        throw ServiceError(.bodyRequired, "Send {\"journeys\": […]} as the body.")
    }
    try document.parse(request.body, limits: JourneyBatch.limits)
    guard document.kind(of: document.root) == .object else {
        throw ServiceError(.invalidJSON, "The body must be a JSON object.")
    }
    for (key, _) in document.members(of: document.root) where key != "journeys" {
        throw RolloutError(
            .unknownField, "There is no member \"\(key)\" here; leave it out.", details: ["field": .string(key)])
    }
    guard let list = document.member("journeys", of: document.root), document.kind(of: list) == .array,
        document.count(of: list) <= JourneyBatch.most
    else { throw RolloutError.invalidField("/journeys", "a list of at most \(JourneyBatch.most) starts") }
    return document.elements(of: list)
}

private func item(
    _ node: JSONDocument.Node, in document: JSONDocument, _ call: borrowing Call
) throws -> BatchItem {
    let start = try JourneyStart(document, at: node, call)
    try call.service.rateLimits.admit(unit: start.question.unit, of: call.principal, at: call.now)
    let draft = start.draft(call)
    return BatchItem(
        answers: StartAnswers(start, call), id: start.id, open: draft == nil ? OpenStart(start, call) : nil,
        draft: draft, isInWindow: start.isInWindow(at: call.now), refusal: start.outOfWindow(at: call.now))
}

/// `answers` has an element for each good item.
private func answer(to items: [Result<BatchItem, any Error>], _ answers: [Response]) -> Response {
    var body = Array(#"{"journeys":["#.utf8)
    var next = answers.makeIterator()
    for (index, item) in items.enumerated() {
        if index > 0 { body.append(UInt8(ascii: ",")) }
        switch item {
        case .failure(let error): append(Failures.response(for: error), to: &body)
        case .success: if let response = next.next() { append(response, to: &body) }
        }
    }
    body.append(contentsOf: "]}".utf8)
    return Response(status: 200, body: body)
}

/// Writes `{"status": …, "journey": …}`, or for a failure the members of its body beside the status.
private func append(_ response: Response, to body: inout [UInt8]) {
    body.append(contentsOf: #"{"status":\#(response.status),"#.utf8)
    if response.status < 400 {
        body.append(contentsOf: #""journey":"#.utf8)
        body.append(contentsOf: response.body)
        body.append(UInt8(ascii: "}"))
    } else {
        body.append(contentsOf: response.body.dropFirst())
    }
}

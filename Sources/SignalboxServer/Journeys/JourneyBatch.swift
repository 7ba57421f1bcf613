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
        _ items: [Result<BatchItem, any Error>],
        completion: @escaping @Sendable ([Result<BatchItem, any Error>]) -> Void
    ) {
        let drafting = Mutex(Drafting(items: items))
        inOrder(items.count) { [self] index, done in
            let open = drafting.withLock { $0.open(at: index) }
            guard let open else { return done() }
            draft(of: open.start, after: open.drafts) { result in
                drafting.withLock { $0.close(index, with: result) }
                done()
            }
        } completion: {
            completion(drafting.withLock(\.items))
        }
    }

    /// The journeys of those ids as far as they are known; nil for one that is not, or cannot be read.
    fileprivate func standing(
        _ ids: [JourneyID], completion: @escaping @Sendable ([JourneyRecord?]) -> Void
    ) {
        let found = Mutex<[JourneyRecord?]>(Array(repeating: nil, count: ids.count))
        inOrder(ids.count) { [self] index, done in
            if let record = store.recentJourney(ids[index]) {
                found.withLock { $0[index] = record }
                return done()
            }
            store.journey(ids[index]) { outcome in
                found.withLock { $0[index] = outcome.value ?? nil }
                done()
            }
        } completion: {
            completion(found.withLock(\.self))
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

/// The starts of a request while their choices are being made.
private struct Drafting {
    private(set) var items: [Result<BatchItem, any Error>]
    /// Those that are made, by id: the first of an id counts.
    private var drafts: [JourneyID: JourneyDraft] = [:]

    init(items: [Result<BatchItem, any Error>]) { self.items = items }

    /// What is to be decided on at that place, with the drafts before it; nil when nothing is.
    mutating func open(at index: Int) -> (start: OpenStart, drafts: [JourneyID: JourneyDraft])? {
        guard case .success(let item) = items[index], item.isInWindow else { return nil }
        if let draft = item.draft, drafts[item.id] == nil { drafts[item.id] = draft }
        guard let open = item.open, item.draft == nil else { return nil }
        return (open, drafts)
    }

    mutating func close(_ index: Int, with result: Result<JourneyDraft, ServiceError>) {
        guard case .success(var item) = items[index] else { return }
        switch result {
        case .success(let draft):
            item.draft = draft
            items[index] = .success(item)
            if drafts[item.id] == nil { drafts[item.id] = draft }
        case .failure(let error): items[index] = .failure(error)
        }
    }
}

/// Does so many things one after the other, each of which calls back at once or later.
///
/// Those that call back at once are worked off in a loop: hundreds of them must not be hundreds of calls deep.
private func inOrder(
    _ count: Int, from first: Int = 0,
    _ step: @escaping @Sendable (Int, _ done: @escaping @Sendable () -> Void) -> Void,
    completion: @escaping @Sendable () -> Void
) {
    for index in first..<count {
        let turn = Turn()
        step(index) { if turn.isSecond() { inOrder(count, from: index + 1, step, completion: completion) } }
        // Whoever comes second goes on: this loop, or the callback.
        guard turn.isSecond() else { return }
    }
    completion()
}

/// Two come; the second is told.
private final class Turn: Sendable {
    private let hasCome = Atomic<Bool>(false)

    func isSecond() -> Bool { hasCome.exchange(true, ordering: .acquiringAndReleasing) }
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

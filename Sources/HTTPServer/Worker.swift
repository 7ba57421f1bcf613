import CEvHTTP
import Synchronization

/// One thread with its own event base and listening socket.
///
/// `@unchecked`: the handle is used as `CEvHTTP.h` says, on the worker's own thread or by the functions that may be
/// called anywhere; what is kept of the current request, and the streams, are touched on the worker's thread, and the
/// streams once more when that has ended.
final class Worker: @unchecked Sendable {
    let counters: WorkerCounters
    private let index: Int
    private let router: Router
    private let gauge: Gauge
    private let completions = Mutex<[Completion]>([])
    private var handle: OpaquePointer?
    private var startOfRequest: UInt64 = 0
    private var methodOfRequest = Method.get
    private var caller = ""
    private let reporting: Reporting?
    private let streamLimit: Int
    /// By channel. Emptied when the thread has ended: until then the streams keep the worker alive.
    private var streams: [ObjectIdentifier: WorkerStreams] = [:]

    /// An answer on its way to the worker.
    private struct Completion {
        let token: UInt64
        let route: Int
        let start: UInt64
        let method: Method
        let caller: String
        let response: Response
    }

    init(
        _ index: Int, listeningOn socket: CInt, limits: sbx_limits, router: Router, gauge: Gauge,
        reporting: Reporting?, streamLimit: Int
    ) throws(HTTPServerError) {
        self.index = index
        self.router = router
        self.gauge = gauge
        self.reporting = reporting
        self.streamLimit = streamLimit
        counters = WorkerCounters(routeCount: router.routes.count)
        var limits = limits
        var callbacks = sbx_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(), body_limit: bodyLimit, request: handleRequest,
            refused: answerRefusal, woken: wake, soon: goOn, stream_closed: forgetStream)
        handle = sbx_worker_create(socket, &limits, &callbacks, gauge.handle)
        guard handle != nil else { throw HTTPServerError(outOf: "memory or descriptors") }
    }

    deinit {
        if let handle { sbx_worker_free(handle) }
    }

    func start() throws(HTTPServerError) {
        let error = sbx_worker_start(handle)
        guard error == 0 else { throw HTTPServerError(outOf: "threads (error \(error))") }
    }

    func stop(graceMilliseconds: UInt64) {
        sbx_worker_stop(handle, graceMilliseconds)
    }

    func join() {
        sbx_worker_join(handle)
        streams = [:]
    }

    var acceptedConnections: UInt64 { sbx_worker_accepted(handle) }
    var openConnections: Int { sbx_worker_open(handle) }
    var parkedRequests: Int { sbx_worker_parked(handle) }

    fileprivate func limit(_ method: Method, _ target: UnsafeRawBufferPointer) -> Int {
        router.bodyLimit(of: method, target: target)
    }

    fileprivate func handle(_ request: sbx_request, _ connection: OpaquePointer, _ method: Method) {
        startOfRequest = sbx_nanoseconds()
        caller = ""
        methodOfRequest = method
        let (reply, route) = router.answer(
            method, target: UnsafeRawBufferPointer(request.target), body: UnsafeRawBufferPointer(request.body),
            worker: index, from: .connection(connection, .passUnretained(self)))
        switch reply {
        case .now(let response): answer(connection, response, route: route)
        case .later where !sbx_is_parked(connection):
            answer(connection, router.errors.forRefusal(.unanswered), route: route)
        case .later: break
        case .stream(let stream) where method == .head: answer(connection, stream.head, route: route)
        case .stream(let stream) where stream.channel.counters.open >= streamLimit:
            answer(connection, router.errors.forRefusal(.tooManyStreams), route: route)
        case .stream(let stream):
            counters.count(
                route: route, status: stream.head.status, nanoseconds: sbx_nanoseconds() &- startOfRequest)
            streams(of: stream.channel).open(stream, on: connection)
        }
    }

    private func streams(of channel: EventChannel) -> WorkerStreams {
        if let known = streams[ObjectIdentifier(channel)] { return known }
        let new = WorkerStreams(channel, on: self)
        streams[ObjectIdentifier(channel)] = new
        return new
    }

    /// Makes the worker look at the mail of its streams. Callable anywhere.
    func wakeForStreams() { sbx_worker_wake(handle) }

    /// Calls `goOnWithStreams` after a pause in which the sockets are looked at. A channel that asks again and again would
    /// put off the others: there is one pause for all.
    func resumeStreams(afterMicroseconds pause: UInt32) { sbx_worker_soon(handle, pause) }

    fileprivate func goOnWithStreams() {
        for streams in streams.values { streams.goOn() }
    }

    private func answer(_ connection: OpaquePointer, _ response: Response, route: Int?) {
        // Counted first: whoever has read the answer finds it in the counters.
        let nanoseconds = sbx_nanoseconds() &- startOfRequest
        counters.count(route: route, status: response.status, nanoseconds: nanoseconds)
        report(response, to: connection, methodOfRequest, caller, route: route, nanoseconds: nanoseconds)
        response.withAnswer { sbx_answer_now(connection, $0) }
    }

    func identify(_ caller: String) {
        self.caller = caller
    }

    private func report(
        _ response: Response, to connection: OpaquePointer?, _ method: Method, _ caller: String, route: Int?,
        nanoseconds: UInt64
    ) {
        guard let reporting, let connection, reporting.wants(response, nanoseconds: nanoseconds) else { return }
        let id = UnsafeRawBufferPointer(sbx_request_id(connection))
        reporting.report(
            RequestReport(
                requestID: String(decoding: id, as: UTF8.self), method: method,
                pattern: route.map { router.routes[$0].pattern }, status: response.status,
                microseconds: nanoseconds / 1_000, caller: caller, note: response.note,
                isSlow: nanoseconds >= reporting.slowNanoseconds))
    }

    fileprivate func refuse(_ connection: OpaquePointer, _ reason: sbx_reason) {
        let response = router.errors.forRefusal(Refusal(reason))
        counters.count(refusal: reason)
        response.withAnswer { sbx_refuse(connection, $0) }
    }

    func park(_ connection: OpaquePointer, route: Int) -> ParkedRequest {
        let token = sbx_park(connection)
        let start = startOfRequest
        let (method, caller) = (methodOfRequest, caller)
        return ParkedRequest(
            unanswered: { [router] in router.errors.forRefusal(.unanswered) },
            deliver: { response in
                self.deliver(
                    Completion(
                        token: token, route: route, start: start, method: method, caller: caller, response: response))
            })
    }

    private func deliver(_ completion: Completion) {
        let isFirst = completions.withLock { waiting in
            waiting.append(completion)
            return waiting.count == 1
        }
        if isFirst { sbx_worker_wake(handle) }
    }

    fileprivate func deliverCompletions() {
        for streams in streams.values { streams.collectMail() }
        let ready = completions.withLock { waiting in
            let all = waiting
            waiting = []
            return all
        }
        for completion in ready {
            guard let connection = sbx_parked_connection(handle, completion.token) else { continue }
            let response = completion.response
            let nanoseconds = sbx_nanoseconds() &- completion.start
            counters.count(route: completion.route, status: response.status, nanoseconds: nanoseconds)
            report(
                response, to: connection, completion.method, completion.caller, route: completion.route,
                nanoseconds: nanoseconds)
            response.withAnswer { sbx_answer_parked(handle, completion.token, $0) }
        }
    }
}

// Callbacks of C are free functions: a closure made on the main actor would trap on the worker's thread.

private func bodyLimit(_ context: UnsafeMutableRawPointer?, _ method: CInt, _ target: sbx_span) -> Int {
    guard let context, let method = Method(rawValue: UInt8(truncatingIfNeeded: method)) else { return 0 }
    return Unmanaged<Worker>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.limit(method, UnsafeRawBufferPointer(target))
    }
}

private func handleRequest(_ context: UnsafeMutableRawPointer?, _ request: UnsafePointer<sbx_request>?) {
    guard let context, let request = request?.pointee, let connection = request.connection,
        let method = Method(rawValue: UInt8(truncatingIfNeeded: request.method))
    else { return }
    Unmanaged<Worker>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.handle(request, connection, method) }
}

private func answerRefusal(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ reason: sbx_reason) {
    guard let context, let connection else { return }
    Unmanaged<Worker>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.refuse(connection, reason) }
}

private func wake(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Worker>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.deliverCompletions() }
}

private func goOn(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Worker>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.goOnWithStreams() }
}

private func forgetStream(_ context: UnsafeMutableRawPointer?, _ index: Int) {
    guard let context else { return }
    Unmanaged<WorkerStreams>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.forget(index) }
}

/// The number of open connections of all workers.
///
/// `@unchecked`: an atomic number behind a pointer that never changes.
final class Gauge: @unchecked Sendable {
    let handle: OpaquePointer

    init?() {
        guard let handle = sbx_gauge_create() else { return nil }
        self.handle = handle
    }

    deinit {
        sbx_gauge_free(handle)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate init(_ span: sbx_span) {
        self.init(start: span.bytes, count: span.bytes == nil ? 0 : span.count)
    }
}

extension Response {
    /// The answer as C sees it, without a copy.
    func withAnswer<Result>(isStream: Bool = false, _ use: (UnsafePointer<sbx_answer>) -> Result) -> Result {
        body.withUnsafeBytes { body in
            headerLines.withUnsafeBytes { headerLines in
                var type = sbx_span()
                if let name = contentType?.name {
                    type = sbx_span(bytes: name.utf8Start, count: name.utf8CodeUnitCount)
                }
                var answer = sbx_answer(
                    status: CInt(clamping: status), content_type: type,
                    header_lines: sbx_span(bytes: headerLines.baseAddress, count: headerLines.count),
                    body: sbx_span(bytes: body.baseAddress, count: body.count), is_stream: isStream)
                return use(&answer)
            }
        }
    }
}

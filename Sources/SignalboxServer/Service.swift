import FlagEvaluation
import HTTPServer
import Rollouts
import Storage
import Synchronization

/// The service of one environment: what the endpoints work with.
package final class Service: Sendable {
    /// What may be different about a service.
    package struct Options: Sendable {
        package var workers = 2
        /// Milliseconds since 1970.
        package var now: @Sendable () -> Int64 = { wallClockMilliseconds() }
        /// Where ids and secrets come from.
        package var random: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
        /// As `/readyz` shows it.
        package var version = "0.1.0"
        /// Takes lines for whoever runs the service; no line carries what a request contained.
        package var report: @Sendable (String) -> Void = { _ in }
        /// Where events go; nil for a service that nobody watches.
        package var log: Log?
        package var rateLimits = RateLimits()

        package init() {}
    }

    let store: Store
    let options: Options
    let rateLimits: RateLimiter
    /// Whom to tell that the configuration changed.
    let events: FlagEvents
    /// What starts of journeys tell about ladders and rollbacks.
    let watch: StartWatch
    let rehearsals: RehearsalWatch
    /// When ladders were last looked at, in milliseconds since 1970.
    let lastLook: Mutex<LadderLook>
    /// Whether stored journeys are being counted.
    let isCounting = Atomic<Bool>(false)
    /// How many are looking through the audit for what was.
    let pastReads = Atomic<Int>(0)
    /// Starts of journeys that the store could not pin.
    let unpinnedStarts = Atomic<UInt64>(0)
    /// Outcomes with a name that no contract of the flow has.
    let unknownOutcomes = Atomic<UInt64>(0)
    /// Earlier configurations by which devices decided.
    let pastSnapshots = PastSnapshots()
    let liveCounts = LiveCounts()
    /// When keys were last shown, as it is stored.
    let savedKeyUse: Mutex<[String: Int64]>
    private let counters = Mutex<@Sendable () -> ServerCounters?>({ nil })
    private let description = Mutex<Response?>(nil)
    private let published: Published
    private let workers: [Worker]

    /// Opens the store at that path and compiles what is in it.
    package convenience init(
        storeAt path: String, options: Options = Options(), storeOptions: Store.Options = Store.Options()
    ) throws(StoreError) {
        let empty = Configuration(environment: storeOptions.environment, epoch: 0, revision: 0)
        let published = Published(empty, at: options.now())
        let events = FlagEvents()
        var storeOptions = storeOptions
        storeOptions.now = options.now
        storeOptions.onWriteChange = { [report = options.report] failure in
            report(failure.map { "\($0.code.rawValue): \($0.message)" } ?? "store_ok: The store writes again.")
        }
        let watch = StartWatch()
        let rehearsals = RehearsalWatch()
        storeOptions.onStart = {
            watch.note($0, isNew: true, at: options.now)
            rehearsals.note($0, at: options.now)
        }
        storeOptions.onPublish = {
            let now = options.now()
            watch.follow($0)
            rehearsals.follow($0, at: now)
            events.announce(published.publish($0, at: now), at: now)
        }
        let store = try Store.open(at: path, options: storeOptions)
        if store.damagedEvidence > 0 {
            options.report(
                "evidence_damaged: \(store.damagedEvidence) items are not what was stored and do not count. "
                    + "Stop the service and run signalbox doctor --data DIR.")
        }
        published.publish(store.configuration, at: options.now())
        watch.follow(store.configuration)
        rehearsals.follow(store.configuration, at: options.now())
        rehearsals.begin()
        self.init(
            store: store, published: published, events: events, watch: watch, rehearsals: rehearsals, options: options)
    }

    private init(
        store: Store, published: Published, events: FlagEvents, watch: StartWatch, rehearsals: RehearsalWatch,
        options: Options
    ) {
        self.watch = watch
        self.rehearsals = rehearsals
        // Until then another process looked after the ladders; without a trace of it nothing is overdue.
        let lastAlive = store.newestTime()
        lastLook = Mutex(LadderLook(lastAlive: lastAlive > 0 ? lastAlive : options.now()))
        self.store = store
        self.published = published
        self.options = options
        self.events = events
        rateLimits = RateLimiter(options.rateLimits)
        savedKeyUse = Mutex(store.keyUse)
        published.snapshot.keys.restore(store.keyUse)
        workers = (0..<max(1, options.workers)).map { _ in Worker(published: published) }
    }

    /// Milliseconds since 1970.
    func now() -> Int64 { options.now() }

    /// Where ids and secrets come from.
    var randomness: InjectedRandomness { InjectedRandomness(source: options.random) }

    func worker(_ index: Int) -> Worker { workers[index] }

    /// The newest published configuration, compiled.
    var snapshot: Snapshot { published.snapshot }

    /// All endpoints, ready to be served.
    package func router() -> Router { api().router() }

    /// Every endpoint with the permission that it asks for.
    package var routes: [APIRoute] { api().listed }

    /// Says where the counters of the server are that the router runs in, for `/metrics`.
    package func observe(_ counters: @escaping @Sendable () -> ServerCounters?) {
        self.counters.withLock { $0 = counters }
    }

    var serverCounters: ServerCounters? { counters.withLock { $0 }() }

    /// Evaluations with that reason, of all workers.
    func evaluations(_ reason: Reason) -> UInt64 { workers.reduce(0) { $0 + $1.evaluations.count(reason) } }

    /// The description of the API, made when it is first asked for.
    var openAPI: Response {
        description.withLock { made in
            if let made { return made }
            var document = OpenAPIDocument(routes, version: options.version)
            let response = Response.json(document.json())
            made = response
            return response
        }
    }

    /// Keeps streams alive, and ends those whose right has run out. Called every some seconds.
    package func beat() { events.beat(for: snapshot, at: now()) }

    /// Stores what waits and lets go of the database.
    package func close() { store.close() }
}

/// The randomness that a service was given.
struct InjectedRandomness: RandomNumberGenerator {
    let source: @Sendable () -> UInt64
    func next() -> UInt64 { source() }
}

import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

/// The service of one environment: what the endpoints work with.
package final class Service: Sendable {
    /// What may be different about a service.
    package struct Options: Sendable {
        package var workers = 2
        /// Milliseconds since 1970.
        package var now: @Sendable () -> Int64 = { wallClockMilliseconds() }
        /// As `/readyz` shows it.
        package var version = "0.1.0"

        package init() {}
    }

    let store: Store
    let options: Options
    private let published: Published
    private let workers: [Worker]

    /// Opens the store at that path and compiles what is in it.
    package convenience init(
        storeAt path: String, options: Options = Options(), storeOptions: Store.Options = Store.Options()
    ) throws(StoreError) {
        let empty = Configuration(environment: storeOptions.environment, epoch: 0, revision: 0)
        let published = Published(empty)
        var storeOptions = storeOptions
        storeOptions.now = options.now
        storeOptions.onPublish = { published.publish($0) }
        let store = try Store.open(at: path, options: storeOptions)
        published.publish(store.configuration)
        self.init(store: store, published: published, options: options)
    }

    private init(store: Store, published: Published, options: Options) {
        self.store = store
        self.published = published
        self.options = options
        workers = (0..<max(1, options.workers)).map { _ in Worker(published: published) }
    }

    /// Milliseconds since 1970.
    func now() -> Int64 { options.now() }

    func worker(_ index: Int) -> Worker { workers[index] }

    /// The newest published configuration, compiled.
    var snapshot: Snapshot { published.snapshot }

    /// All endpoints, ready to be served.
    package func router() -> Router { api().router() }

    /// Every endpoint with the permission that it asks for.
    package var routes: [APIRoute] { api().listed }

    /// Stores what waits and lets go of the database.
    package func close() { store.close() }
}

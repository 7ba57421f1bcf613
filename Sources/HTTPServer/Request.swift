/// One request, seen while its handler runs.
///
/// It is a view of memory that belongs to the connection, so it can be neither copied nor kept: take what must outlive
/// the handler out of it, and `park()` it to answer later.
package struct Request: ~Copyable {
    /// The method. A GET route also sees HEAD.
    package let method: Method
    /// The path as it was sent, checked but not decoded.
    package let path: UnsafeRawBufferPointer
    /// What follows the `?`, as it was sent; empty if there is none.
    package let query: UnsafeRawBufferPointer
    /// The whole body; empty if there is none.
    package let body: UnsafeRawBufferPointer
    /// Which worker runs the handler, 0 ..< the number of workers.
    package let worker: Int

    let source: RequestSource
    let matched: RouteMatch
    unowned(unsafe) let router: Router

    /// The route that matched, an index of `Router.routes`.
    package var routeIndex: Int { matched.route }

    /// The percent-decoded value of a parameter of the route's pattern.
    package func parameter(_ name: String) -> String {
        guard let index = router.parameterNames(of: matched.route).firstIndex(of: name) else {
            assertionFailure("the pattern of this route has no parameter \(name)")
            return ""
        }
        return withParameter(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Gives the percent-decoded bytes of a parameter, counted from the left, to `use`. Allocates nothing.
    package func withParameter<Result>(at index: Int, _ use: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        try PercentDecoding.withDecoded(matched.parameter(index, of: path), use)
    }

    /// The first value of that name in the query, percent-decoded and with `+` for a space; "" for a name without value.
    package func query(_ name: String) -> String? {
        PercentDecoding.value(of: name, inQuery: query)
    }

    /// The names in the query, decoded, in their order.
    package var queryNames: [String] { query.isEmpty ? [] : PercentDecoding.names(inQuery: query) }

    /// The value of the first header of that name, whatever its case. Valid while the handler runs.
    package func header(_ name: StaticString) -> UnsafeRawBufferPointer? {
        source.header(name)
    }

    /// The value of the first header of that name as text; bytes that are not UTF-8 are replaced.
    package func headerText(_ name: StaticString) -> String? {
        header(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The address of the peer without its port; behind a proxy, the proxy's.
    package var remoteAddress: String { source.remoteAddress }

    /// Names who asks, for the log. A short name costs nothing.
    package func identify(_ caller: String) {
        source.identify(caller)
    }

    /// Takes the duty to answer away from the handler, which then returns `.later`.
    package func park() -> ParkedRequest {
        source.park(route: matched.route)
    }
}

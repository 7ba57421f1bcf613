import CEvHTTP

/// Where a request came from, and so where its answer goes.
enum RequestSource {
    case connection(OpaquePointer, Unmanaged<Worker>)
    case memory(MemoryExchange)

    func header(_ name: StaticString) -> UnsafeRawBufferPointer? {
        switch self {
        case .connection(let connection, _):
            let value = name.withUTF8Buffer { name in
                // A literal ends with a NUL behind its bytes.
                name.withMemoryRebound(to: CChar.self) { sbx_header(connection, $0.baseAddress) }
            }
            return value.bytes.map { UnsafeRawBufferPointer(start: $0, count: value.count) }
        case .memory(let exchange): return exchange.header(name)
        }
    }

    var remoteAddress: String {
        switch self {
        case .connection(let connection, _): sbx_remote_address(connection).map { String(cString: $0) } ?? ""
        case .memory: "127.0.0.1"
        }
    }

    func identify(_ caller: String) {
        if case .connection(_, let worker) = self { worker._withUnsafeGuaranteedRef { $0.identify(caller) } }
    }

    func park(route: Int) -> ParkedRequest {
        switch self {
        case .connection(let connection, let worker):
            worker._withUnsafeGuaranteedRef { $0.park(connection, route: route) }
        case .memory(let exchange): exchange.park()
        }
    }
}

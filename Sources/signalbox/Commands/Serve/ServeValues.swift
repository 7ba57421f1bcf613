import SignalboxServer

/// `ADDRESS:PORT`, an IPv6 address in brackets.
struct ListenAddress: SingleValue, Equatable, CustomStringConvertible {
    static let placeholder = "ADDRESS:PORT"
    static let standard = ListenAddress(address: "127.0.0.1", port: 8080)

    let address: String
    let port: UInt16

    init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    init(argument text: String) throws(ValueError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ValueError("is not an address and a port, as in 127.0.0.1:8080")
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        guard !address.isEmpty else { throw ValueError("lacks the address; write 127.0.0.1:\(port)") }
        self.init(address: address, port: port)
    }

    /// Whether nobody on another machine can reach it.
    var isLoopback: Bool { address == "::1" || address == "localhost" || address.hasPrefix("127.") }

    /// The address with a port that may have been found only now.
    func text(port: UInt16) -> String { address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)" }

    var description: String { text(port: port) }
}

/// How many threads answer requests.
struct WorkerCount: NumberInRange {
    static let range = 1...64
    let number: Int
}

/// How many requests a second are taken; 0 takes any number.
struct RequestLimit: NumberInRange {
    static let range = 0...1_000_000
    let number: Int
}

extension LogLevel: SingleValue {}

/// A whole answer. Made once and kept, it can be sent any number of times without being copied.
package struct Response: Sendable {
    /// The status code, 200 ... 599.
    package var status: Int
    /// What the body is; nil sends no `Content-Type`.
    package var contentType: ContentType?
    /// The body. Not sent for HEAD, 204 and 304.
    package var body: [UInt8]
    /// Further header lines as they go on the wire, each with its CRLF.
    package private(set) var headerLines: [UInt8] = []

    /// For the log: what went wrong, in words that hold nothing of the request. Never sent.
    package var note: String?

    /// An answer with a body.
    package init(status: Int, contentType: ContentType? = .json, body: [UInt8] = []) {
        self.status = status
        self.contentType = body.isEmpty ? nil : contentType
        self.body = body
    }

    /// Adds a header line. `Content-Type`, `Content-Length`, `Date` and `Connection` are the server's own.
    ///
    /// Control characters in the value are left out: a value that carries a line break must not become a second header.
    package mutating func addHeader(_ name: StaticString, _ value: String) {
        name.withUTF8Buffer { headerLines.append(contentsOf: $0) }
        headerLines.append(contentsOf: [0x3A, 0x20])
        headerLines.append(contentsOf: value.utf8.lazy.filter { $0 >= 0x20 && $0 != 0x7F })
        headerLines.append(contentsOf: [0x0D, 0x0A])
    }

    /// The same answer with one more header line.
    package func addingHeader(_ name: StaticString, _ value: String) -> Response {
        var copy = self
        copy.addHeader(name, value)
        return copy
    }

    /// The value of the first added header of that name, whatever its case.
    package func header(_ name: String) -> String? {
        for line in headerLines.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: 0x3A) else { continue }
            let isNamed = String(decoding: line[..<colon], as: UTF8.self).lowercased() == name.lowercased()
            if isNamed { return String(decoding: line[(colon + 2)...].dropLast(), as: UTF8.self) }
        }
        return nil
    }
}

/// The media type of a body.
package struct ContentType: Sendable {
    /// As it is written on the wire.
    package let name: StaticString

    /// A media type with its parameters.
    package init(_ name: StaticString) {
        self.name = name
    }

    /// JSON, always UTF-8.
    package static let json = ContentType("application/json")
    /// Text for people.
    package static let text = ContentType("text/plain; charset=utf-8")
    /// Server-sent events.
    package static let eventStream = ContentType("text/event-stream")
    /// The Prometheus text format.
    package static let metrics = ContentType("text/plain; version=0.0.4; charset=utf-8")
}

/// What a handler gives back.
package enum Reply: Sendable {
    /// The answer.
    case now(Response)
    /// The request was parked; its `ParkedRequest` brings the answer.
    case later
    /// The answer goes on until one side ends it.
    case stream(EventStream)
}

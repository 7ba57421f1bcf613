#if canImport(Glibc)
    import Glibc

    /// A connection to the service that blocks.
    final class BenchmarkSocket: Sendable {
        let descriptor: CInt

        init?(_ port: UInt16) {
            descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard connected == 0 else { return nil }
            var timeout = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        }

        /// Sends a request and gives the whole answer, which has a length.
        @discardableResult
        func post(_ path: String, _ body: String, key: String) -> String {
            send(
                "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nContent-Length: \(body.utf8.count)"
                    + "\r\n\r\n\(body)")
            var answer: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return "" }
                answer += chunk[..<count]
                let text = String(decoding: answer, as: UTF8.self)
                guard let end = text.firstRange(of: "\r\n\r\n"), let length = text.firstRange(of: "Content-Length: ")
                else { continue }
                let digits = text[length.upperBound...].prefix { $0.isNumber }
                if text[end.upperBound...].utf8.count >= Int(digits) ?? 0 { return text }
            }
        }

        /// Where the answer for all flags says the event stream is.
        func link(key: String) -> String? {
            let answer = post("/ofrep/v1/evaluate/flags", "{}", key: key)
            guard let start = answer.firstRange(of: "\"requestUri\":\"") else { return nil }
            return String(answer[start.upperBound...].prefix { $0 != "\"" })
        }
    }

    /// Many streams, read one after the other by one thread.
    struct StreamReaders: Sendable {
        let sockets: [BenchmarkSocket]
        /// A heartbeat is shorter than any event.
        private static let shortestEvent = 20

        /// Reads until every stream has carried an event; gives when that was, or nil when one carried none in time.
        func waitForAll() -> UInt64? {
            var chunk = [UInt8](repeating: 0, count: 4_096)
            for socket in sockets {
                var count = 0
                while count < Self.shortestEvent {
                    count = recv(socket.descriptor, &chunk, chunk.count, 0)
                    guard count > 0 else { return nil }
                }
            }
            return pinNanoseconds()
        }
    }
#endif

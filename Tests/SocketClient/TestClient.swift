#if canImport(Glibc)
    import Foundation
    import Glibc

    /// A socket that sends exactly the bytes of a test and shows exactly the bytes of the answer.
    ///
    /// It blocks the calling thread, at most for its receive timeout.
    package final class TestClient {
        private let socket: CInt
        private var buffered: [UInt8] = []

        package init(port: UInt16, receiveTimeoutSeconds: Int = 10) throws {
            socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard connected == 0 else {
                let error = errno
                Glibc.close(socket)
                throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
            }
            var timeout = timeval(tv_sec: receiveTimeoutSeconds, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit {
            Glibc.close(socket)
        }

        /// Sends bytes; false if the other side has closed.
        @discardableResult
        package func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Sends text.
        @discardableResult
        package func send(_ text: String) -> Bool {
            send(Array(text.utf8))
        }

        /// Tells the server that nothing more will come.
        package func finishSending() {
            shutdown(socket, CInt(SHUT_WR))
        }

        /// Closes with a reset instead of an orderly end.
        package func setAbortOnClose() {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// More bytes of the answer, or nil at the end of the stream or after the timeout.
        private func receive() -> [UInt8]? {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &chunk, chunk.count, 0)
            return count > 0 ? Array(chunk[..<count]) : nil
        }

        /// Everything until the server closes.
        package func readToEnd() -> String {
            while let more = receive() { buffered += more }
            defer { buffered = [] }
            return String(decoding: buffered, as: UTF8.self)
        }

        /// Whether the server has closed the connection and sent nothing more.
        package func isClosed() -> Bool {
            buffered.isEmpty && receive() == nil && errno != EAGAIN
        }

        /// The next answer; nil if the connection ended before it was whole.
        package func readAnswer(hasBody: Bool = true) -> Answer? {
            while true {
                if let answer = Answer(&buffered, hasBody: hasBody) { return answer }
                guard let more = receive() else { return nil }
                buffered += more
            }
        }

        /// Everything up to and with that text; nil if the connection ended before it came.
        package func read(through end: String) -> String? {
            while true {
                if let found = buffered.firstRange(of: Array(end.utf8)) {
                    defer { buffered.removeFirst(found.upperBound) }
                    return String(decoding: buffered[..<found.upperBound], as: UTF8.self)
                }
                guard let more = receive() else { return nil }
                buffered += more
            }
        }

        /// One request on a connection of its own, and what comes back until the server closes.
        package static func exchange(_ port: UInt16, _ request: String) throws -> String {
            try exchange(port, Array(request.utf8))
        }

        /// The same with any bytes.
        package static func exchange(_ port: UInt16, _ request: [UInt8]) throws -> String {
            let client = try TestClient(port: port)
            client.send(request)
            return client.readToEnd()
        }
    }

    /// An answer taken apart.
    package struct Answer {
        package let status: Int
        package let head: String
        package let body: String

        /// Takes one whole answer from the front of the bytes.
        package init?(_ bytes: inout [UInt8], hasBody: Bool) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            status = Int(head.dropFirst(9).prefix(3)) ?? 0
            let length = hasBody ? Answer.header("content-length", in: head).flatMap { Int($0) } ?? 0 : 0
            guard bytes.count >= end.upperBound + length else { return nil }
            body = String(decoding: bytes[end.upperBound..<(end.upperBound + length)], as: UTF8.self)
            bytes.removeFirst(end.upperBound + length)
        }

        package func header(_ name: String) -> String? { Answer.header(name, in: head) }

        package static func header(_ name: String, in head: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                    continue
                }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }
#endif

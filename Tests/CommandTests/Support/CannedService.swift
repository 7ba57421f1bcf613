import Foundation
import Synchronization

/// A service on loopback that answers what the test gave it, one connection after another.
final class CannedService: Sendable {
    struct Asked: Equatable, Sendable {
        let method: String
        let target: String
        let headers: [String: String]
        let body: String
    }

    let port: UInt16
    private let listener: Int32
    private let asked = Mutex<[Asked]>([])
    private let answer: @Sendable (Asked) -> (status: Int, body: String)

    var url: String { "http://127.0.0.1:\(port)" }
    /// Everything that was asked so far.
    var requests: [Asked] { asked.withLock { $0 } }

    init(answering answer: @escaping @Sendable (Asked) -> (status: Int, body: String)) throws {
        self.answer = answer
        (listener, port) = try CannedService.listen()
        Thread.detachNewThread { [self] in serve() }
    }

    /// The same answer to everything.
    convenience init(_ status: Int, _ body: String) throws {
        try self.init { _ in (status, body) }
    }

    /// A port at which nobody listens.
    static func unusedPort() throws -> UInt16 {
        let (listener, port) = try listen()
        close(listener)
        return port
    }

    /// Ends the listener's thread.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func listen() throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && Glibc.listen(listener, 16) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRNOTAVAIL) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            if let request = read(connection) {
                asked.withLock { $0.append(request) }
                let (status, body) = answer(request)
                let head =
                    "HTTP/1.1 \(status) Canned\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                let bytes = Array((head + body).utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            }
            close(connection)
        }
        close(listener)
    }

    private func read(_ connection: Int32) -> Asked? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let request = parse(bytes) { return request }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk.prefix(count)
        }
    }

    private func parse(_ bytes: [UInt8]) -> Asked? {
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count >= 2 else { return nil }
        let lines = parts[0].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            headers[pair[0].lowercased()] = pair.last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let body = parts.dropFirst().joined(separator: "\r\n\r\n")
        guard body.utf8.count >= Int(headers["content-length"] ?? "") ?? 0 else { return nil }
        return Asked(method: words[0], target: words[1], headers: headers, body: body)
    }
}

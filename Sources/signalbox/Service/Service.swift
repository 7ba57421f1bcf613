import FlagEvaluation

/// The service, as a command asks it.
struct Service {
    let terminal: Terminal
    /// Whether the answer is printed as it came.
    let isJSON: Bool
    private let client: HTTPClient
    private let key: ServiceKey

    /// An answer wraps what the service accepted, so it may be deeper and larger than any input.
    private static let answerLimits = JSONLimits(depth: 128, keys: .max, stringBytes: .max)

    init(_ options: ConnectionOptions, on terminal: Terminal) throws {
        self.terminal = terminal
        isJSON = options.json
        let base = try options.base(on: terminal)
        key = try options.key(on: terminal)
        client = HTTPClient(base: base, key: key.text, timeoutSeconds: options.timeout.number)
    }

    /// Asks, and prints the answer: as it came with `--json`, otherwise as `text` puts it.
    @discardableResult
    func show(_ request: Request, as text: (JSONValue) throws -> String) throws -> ExitCode {
        try ask(request) { answer in
            terminal.say(try text(answer))
            return .done
        }
    }

    /// Asks for a change, and says what is so now and at which revision.
    func change(_ request: Request, said: String) throws -> ExitCode {
        try show(request) { "\(said) \(revision(of: $0))" }
    }

    /// Asks, prints the answer as it came with `--json`, and otherwise leaves the printing to `finish`.
    func ask(_ request: Request, finish: (JSONValue) throws -> ExitCode) throws -> ExitCode {
        let (answer, value) = try fetch(request)
        guard isJSON else { return try finish(value) }
        terminal.emit(answer.body)
        return .done
    }

    /// Asks, and throws what the service refuses.
    func fetch(_ request: Request) throws -> (answer: Answer, value: JSONValue) {
        let answer = try client.send(request)
        let value = try? JSONText.value(answer.body, named: "the answer", limits: Self.answerLimits)
        guard answer.isSuccess else {
            var error = CommandError(refusedBy: answer, value)
            if answer.status == 401 { error.details.append("the key came from \(key.origin.printable)") }
            throw error
        }
        guard let value else { throw CommandError.unavailable("\(client.base) did not answer with JSON") }
        return (answer, value)
    }

    /// Prints a table.
    func tell(_ table: Table, ifEmpty: String) -> String { table.text(coloured: terminal.isColoured, ifEmpty: ifEmpty) }
}

extension Request {
    static func get(_ path: String..., query: [(String, String?)] = []) -> Request {
        Request(method: "GET", target: target(path, query))
    }

    static func delete(_ path: String..., query: [(String, String?)] = []) -> Request {
        Request(method: "DELETE", target: target(path, query))
    }

    static func post(_ path: String..., query: [(String, String?)] = [], body: JSONObject) -> Request {
        sending("POST", path, query, body)
    }
    static func put(_ path: String..., body: JSONObject) -> Request { sending("PUT", path, [], body) }
    static func patch(_ path: String..., body: JSONObject) -> Request { sending("PATCH", path, [], body) }

    private static func sending(
        _ method: String, _ path: [String], _ query: [(String, String?)], _ body: JSONObject
    ) -> Request {
        Request(method: method, target: target(path, query), body: Array(JSONValue.object(body).jsonText.utf8))
    }

    /// `/v1/` and the parts, each encoded so that it stays one part. What has no value in the query is left out.
    private static func target(_ path: [String], _ query: [(String, String?)]) -> String {
        let parts = path.map { "/" + encoded($0) }.joined()
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
        return "/v1" + parts + (pairs.isEmpty ? "" : "?" + pairs)
    }

    private static func encoded(_ text: String) -> String {
        // A part that is `.` or `..` would be taken for a step in the path.
        if text.allSatisfy({ $0 == "." }) { return text.map { _ in "%2E" }.joined() }
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x3A:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + padded(String(byte, radix: 16, uppercase: true))
            }
        }
        return result
    }

    private static func padded(_ digits: String) -> String { digits.count < 2 ? "0" + digits : digits }
}

import CCurl

/// What is sent to the service.
struct Request: Equatable {
    let method: String
    /// Percent-encoded, from the first slash on, with the query.
    let target: String
    var body: [UInt8]?
}

/// What came back.
struct Answer: Equatable {
    let status: Int
    let body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status) }
}

/// Asks over HTTP or HTTPS and waits for the answer.
struct HTTPClient {
    /// Scheme, host, port and perhaps a path, without a slash at its end.
    let base: String
    let key: String
    let timeoutSeconds: Int
    private static let connectTimeoutSeconds = 5
    fileprivate static let largestAnswer = 64 << 20

    func send(_ request: Request) throws(CommandError) -> Answer {
        guard let handle = curl_easy_init() else { throw .unavailable("libcurl does not start") }
        defer { curl_easy_cleanup(handle) }
        var headers: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(headers) }
        for header in ["Authorization: Bearer \(key)", "Content-Type: application/json", "Expect:"] {
            headers = curl_slist_append(headers, header)
        }
        let received = Received()
        let body = request.body ?? []
        let code = body.withUnsafeBytes { bytes in
            configure(handle, for: request, bytes, headers, received)
            return curl_easy_perform(handle)
        }
        guard code == CURLE_OK else {
            var error = CommandError.unavailable("\(base): \(String(cString: curl_easy_strerror(code)))")
            if code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST {
                error.details = ["start it with 'make run' or 'signalbox serve', or set SIGNALBOX_URL to where it is"]
            }
            throw error
        }
        return Answer(status: signalbox_curl_status(handle), body: received.bytes)
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer, for request: Request, _ body: UnsafeRawBufferPointer,
        _ headers: UnsafeMutablePointer<curl_slist>?, _ received: Received
    ) {
        signalbox_curl_set_text(handle, CURLOPT_URL, base + request.target)
        signalbox_curl_set_text(handle, CURLOPT_USERAGENT, "signalbox/\(version)")
        // A proxy for the outside must not see what is meant for this machine.
        if isLoopback { signalbox_curl_set_text(handle, CURLOPT_PROXY, "") }
        signalbox_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, Self.connectTimeoutSeconds)
        signalbox_curl_set_number(handle, CURLOPT_TIMEOUT, timeoutSeconds)
        signalbox_curl_set_headers(handle, headers)
        signalbox_curl_set_writer(handle, keepBytes, Unmanaged.passUnretained(received).toOpaque())
        if request.body != nil {
            signalbox_curl_set_number(handle, CURLOPT_POST, 1)
            signalbox_curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress)
            signalbox_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        }
        signalbox_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
    }

    private var isLoopback: Bool {
        let rest = base.drop { $0 != ":" }.dropFirst(3)
        return ["127.0.0.1", "localhost", "[::1]"].contains { host in
            rest.hasPrefix(host) && [nil, ":", "/"].contains(rest.dropFirst(host.count).first)
        }
    }
}

/// The bytes of an answer as they arrive.
private final class Received {
    var bytes: [UInt8] = []
}

/// Gives libcurl the number of bytes taken; any other number ends the transfer.
private func keepBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
    let length = size * count
    guard received.bytes.count + length <= HTTPClient.largestAnswer else { return 0 }
    received.bytes += UnsafeRawBufferPointer(start: bytes, count: length)
    return length
}

extension CommandError {
    /// The service did not answer.
    static func unavailable(_ message: String) -> CommandError {
        CommandError(status: .unavailable, code: "service_unreachable", message: message)
    }
}

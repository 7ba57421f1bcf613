import CEvHTTP

extension Refusal {
    /// The refusals of the gate, by the reasons of `CEvHTTP`.
    init(_ reason: sbx_reason) {
        self =
            switch reason {
            case SBX_MALFORMED_REQUEST_LINE: .malformedRequestLine
            case SBX_MALFORMED_HEADER: .malformedHeader
            case SBX_HOST_REQUIRED: .hostRequired
            case SBX_MALFORMED_CHUNK: .malformedChunk
            case SBX_UNSUPPORTED_TRANSFER_ENCODING: .unsupportedTransferEncoding
            case SBX_TARGET_TOO_LONG: .targetTooLong
            case SBX_HEADER_TOO_LARGE: .headerTooLarge
            case SBX_BODY_TOO_LARGE: .bodyTooLarge
            case SBX_EXPECTATION_FAILED: .expectationFailed
            case SBX_METHOD_NOT_IMPLEMENTED: .methodNotImplemented
            case SBX_VERSION_NOT_SUPPORTED: .versionNotSupported
            case SBX_REQUEST_TIMEOUT: .requestTimeout
            case SBX_TOO_MANY_CONNECTIONS: .tooManyConnections
            default: .ambiguousLength
            }
    }

    static let malformedRequestLine = Refusal(
        status: 400, code: "malformed_request_line",
        message: "the first line must be a method, a path and HTTP/1.0 or HTTP/1.1, one space apart, ended by CRLF")
    static let malformedHeader = Refusal(
        status: 400, code: "malformed_header",
        message: "each header must be one line of name, colon and value without controls, ended by CRLF")
    static let hostRequired = Refusal(
        status: 400, code: "host_required", message: "a request needs exactly one Host header with a host in it")
    static let ambiguousLength = Refusal(
        status: 400, code: "ambiguous_length",
        message: "the length of the body must be given once: one Content-Length, or Transfer-Encoding: chunked")
    static let malformedChunk = Refusal(
        status: 400, code: "malformed_chunk",
        message: "a chunk must be its size in hexadecimal, CRLF, data, CRLF; extensions and trailers are not taken")
    static let unsupportedTransferEncoding = Refusal(
        status: 400, code: "unsupported_transfer_encoding", message: "the only transfer encoding taken is chunked")
    static let targetTooLong = Refusal(
        status: 414, code: "target_too_long", message: "the path and query are longer than the server takes")
    static let headerTooLarge = Refusal(
        status: 431, code: "header_too_large", message: "the header is larger, or has more lines, than the server takes"
    )
    static let expectationFailed = Refusal(
        status: 417, code: "expectation_failed", message: "the only expectation taken is 100-continue")
    static let methodNotImplemented = Refusal(
        status: 501, code: "method_not_implemented",
        message: "the methods taken are GET, HEAD, POST, PUT, PATCH and DELETE")
    static let versionNotSupported = Refusal(
        status: 505, code: "version_not_supported", message: "the versions taken are HTTP/1.0 and HTTP/1.1")
    static let requestTimeout = Refusal(
        status: 408, code: "request_timeout", message: "the request took too long to arrive")
    static let tooManyStreams = Refusal(
        status: 503, code: "too_many_streams", message: "the server has all the event streams it takes; poll instead")
    static let tooManyConnections = Refusal(
        status: 503, code: "too_many_connections", message: "the server has all the connections it takes; try again")
}

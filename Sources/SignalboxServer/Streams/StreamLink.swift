import FlagEvaluation
import HTTPServer
import Storage

/// Who may keep a stream, and until when (milliseconds since 1970).
struct StreamRight {
    let keyID: String
    let end: Int64
}

/// The address of an event stream: it opens the stream for whoever has it, for a day or so, and nothing else.
///
/// Browsers cannot send a header with an event stream, and a key does not belong in an address, which gets logged. So
/// the address carries the id of the key, an end, and a code made from both with the key's stored hash, which is never
/// shown.
enum StreamLink {
    /// Links of one such span are the same, so that an answer that carries one can be answered with 304.
    private static let span: Int64 = 43_200_000
    private static let path = "/ofrep/v1/sse"

    /// What a link of that time depends on besides the key.
    static func period(at now: Int64) -> Int64 { now / span }

    /// The target of a link for that key, which must be valid, to a stream that goes on from this snapshot.
    static func target(for keyID: String, at snapshot: Snapshot, now: Int64) -> String? {
        guard let secret = snapshot.keys.secret(of: keyID, at: now) else { return nil }
        let end = (period(at: now) + 3) * span
        let code = code(keyID, end, secret.digest).hexadecimal
        return "\(path)?token=\(keyID).\(end).\(code)&since=\(FlagEvents.id(of: snapshot))"
    }

    /// The right that a token proves. Fails with `unauthorized`.
    static func right(showing token: String, at snapshot: Snapshot, now: Int64) throws -> StreamRight {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = Int64(parts[1]), now < end, let shown = SHA256Digest(hexadecimal: parts[2]),
            let secret = snapshot.keys.secret(of: String(parts[0]), at: now),
            code(String(parts[0]), end, secret.digest).isEqualInConstantTime(to: shown)
        else {
            throw ServiceError(
                .unauthorized, "This link to the event stream has ended; fetch the flags again for another.")
        }
        return StreamRight(keyID: String(parts[0]), end: min(end, secret.end))
    }

    private static func code(_ keyID: String, _ end: Int64, _ digest: SHA256Digest) -> SHA256Digest {
        var mac = HMACSHA256(key: digest.withBytes { Array($0) })
        return Array("event stream \(keyID) \(end)".utf8).withUnsafeBytes { mac.code(of: $0) }
    }
}

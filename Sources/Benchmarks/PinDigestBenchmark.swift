#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import Storage

/// SHA-256 as the key check uses it, and HMAC as units are made with it: one context, 60 bytes.
func digestBenchmarks() {
    let text = [UInt8](repeating: 0x61, count: 60)
    var sha = SHA256()
    var hmac = HMACSHA256(key: text)
    var sum: UInt8 = 0
    let digest = median { text.withUnsafeBytes { sum &+= sha.digest(of: $0).withBytes { $0[0] } } }
    let code = median { text.withUnsafeBytes { sum &+= hmac.code(of: $0).withBytes { $0[0] } } }
    print(
        "digests of 60 bytes: SHA-256 \(Int(digest)) ns (target 250), HMAC-SHA256 \(Int(code)) ns", sum == 0 ? "" : " ")
}

/// Nanoseconds that the work takes, as the median of rounds.
private func median(of work: () -> Void) -> Double {
    let count = 100_000
    let rounds = (1...7).map { _ in
        let begin = clock()
        for _ in 0..<count { work() }
        return Double(clock() - begin) * 1e9 / Double(CLOCKS_PER_SEC) / Double(count)
    }
    return rounds.sorted()[3]
}

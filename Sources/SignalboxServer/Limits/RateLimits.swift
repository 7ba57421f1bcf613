import FlagEvaluation
import HTTPServer
import Rollouts
import Synchronization

/// How many requests a second are taken; 0 takes any number. A burst of ten seconds' worth passes at once.
package struct RateLimits: Sendable {
    /// Of one admin or server key.
    package var perKey = 100_000
    /// Of one unit, asked for with app keys: an app key is every phone's.
    package var perUnit = 200
    /// Of one address, with app keys. Requests from this machine itself are not counted.
    package var perAddress = 2_000
    package var burstSeconds = 10
    /// Whether a proxy in front says in `X-Forwarded-For` who asks.
    package var trustsForwardedAddress = false

    package init() {}
}

/// The buckets of everybody who asks.
final class RateLimiter: Sendable {
    private let keys: RateTable?
    private let units: RateTable?
    private let addresses: RateTable?
    private let trustsForwardedAddress: Bool
    private let refused = Atomic<UInt64>(0)

    init(_ limits: RateLimits) {
        keys = RateTable(perSecond: limits.perKey, burstSeconds: limits.burstSeconds)
        units = RateTable(perSecond: limits.perUnit, burstSeconds: limits.burstSeconds)
        addresses = RateTable(perSecond: limits.perAddress, burstSeconds: limits.burstSeconds)
        trustsForwardedAddress = limits.trustsForwardedAddress
    }

    /// Requests that were refused so far.
    var refusals: UInt64 { refused.load(ordering: .relaxed) }

    /// Takes a token of the key, or of the address when the key is an app's. Fails with `rate_limited`.
    func admit(_ principal: Principal, _ request: borrowing Request, at now: Int64) throws {
        if principal.key.kind == .app {
            guard let addresses, let address = address(of: request) else { return }
            try take(addresses, address, at: now)
        } else if let keys {
            try take(keys, principal.key.id, at: now)
        }
    }

    /// Takes a token of the address, or of the key where the address is not known: opening a stream costs the same
    /// whoever's key is in its address. Fails with `rate_limited`.
    func admitStream(of key: String, _ request: borrowing Request, at now: Int64) throws {
        if let addresses, let address = address(of: request) {
            try take(addresses, address, at: now)
        } else if let keys {
            try take(keys, key, at: now)
        }
    }

    /// Takes a token of the unit that an app asks for. Fails with `rate_limited`.
    func admit(unit: String, of principal: Principal, at now: Int64) throws {
        guard principal.key.kind == .app, let units else { return }
        try take(units, unit, at: now)
    }

    private func take(_ table: RateTable, _ caller: String, at now: Int64) throws {
        let wait = table.wait(of: caller, at: now)
        guard wait > 0 else { return }
        refused.add(1, ordering: .relaxed)
        // Whole seconds, and not the same for everybody: those who were refused together must not come back together.
        let seconds = Int64(min(3_600, 1 + wait / 1_000_000))
        throw ServiceError(
            .rateLimited, "Too many requests; wait for the seconds that Retry-After says.",
            details: ["retryAfterSeconds": .integer(seconds + Int64.random(in: 0...seconds))])
    }

    private func address(of request: borrowing Request) -> String? {
        if trustsForwardedAddress, let list = request.headerText("x-forwarded-for") {
            // The last is the one that our own proxy saw; what stands before it, anybody may have written.
            return list.split(separator: ",").last.map { String($0.filter { $0 != " " }) }
        }
        let address = request.remoteAddress
        return address.hasPrefix("127.") || address == "::1" ? nil : address
    }
}

import FlagEvaluation
import Foundation
import HTTPServer
import RouteContract
import Storage
import Synchronization

@testable import SignalboxServer

/// One run: everything that happens in it follows from its seed.
final class World {
    let seed: UInt64
    let mutation: Mutation?
    var random: SeededRandom
    let clock = SimulatedClock(Sample.noon)
    var disk: SimulatedDisk
    var process: ServiceProcess
    var history = History()
    let adminKey: String
    let path: DatabasePath

    /// Journeys that clients have asked for, newest last.
    var starts: [Start] = []
    var createdKeys: [(id: String, secret: String)] = []
    var revokedSecrets: [String] = []
    /// The last answer to each reading of the configuration, for a cache that a mutation puts in front of the service.
    var cachedItems: [String: (status: Int, json: JSONValue)] = [:]
    private var tick = 0
    private(set) var reasons = 0

    init(seed: UInt64, mutation: Mutation? = nil) async throws {
        let sample = try await Sample.prepared.value
        self.seed = seed
        self.mutation = mutation
        random = SeededRandom(seed: seed)
        adminKey = sample.key
        path = try DatabasePath()
        disk = sample.disk.copy(seed: random.next())
        if mutation == .acknowledgesBeforeSync { disk.lieAboutSyncs() }
        process = try ServiceProcess(
            on: disk, at: path.path, clock: clock.read, random: SeededRandom(seed: random.next()))
    }

    /// The whole run, and what it left.
    func run(steps: Int = 60) async -> History {
        if random.chance(15) { await startWithWrongClock() }
        for _ in 1...steps {
            let hasFailed = !disk.isDead && process.service.store.health.failure != nil
            if disk.isDead || hasFailed && random.chance(30) { await restart(as: .kill) }
            await step()
            clock.pass(random.number(in: 0...5_000))
            if !history.faults.isEmpty { break }
        }
        if history.faults.isEmpty { await end() }
        process.close()
        return history
    }

    /// A machine whose clock was wrong when the service was installed on it.
    private func startWithWrongClock() async {
        clock.turn(by: 400 * Sample.day)
        await sweep()
        clock.turn(by: 0)
    }

    private func step() async {
        switch random.number(in: 0...99) {
        case 0...34: await receive(sendStart())
        case 35...42: await receive(sendFinish())
        case 43...45: await showJourney()
        case 46...49: await resumeSome()
        case 50...66: await followUp(await receive(sendChange()))
        case 67...72: await readSomething()
        case 73...82: await burst()
        case 83...87: await turnClock()
        case 88...89: await sweep()
        case 90...93: await breakDisk()
        case 94...97: await crashSoon()
        case 98: await anchor()
        default: await restart(as: nil)
        }
    }

    func log(_ line: @autoclosure () -> String) { history.log.append("\(tick) \(line())") }

    func nextTick() -> Int {
        tick += 1
        return tick
    }

    /// A reason that stands for one change and no other.
    func nextReason() -> String {
        reasons += 1
        return "op-\(reasons)"
    }
}

extension World {
    /// A request on its way.
    struct Pending {
        fileprivate let index: Int
        fileprivate let sent: Sent
        fileprivate let line: String
    }

    /// Sends a request; nil when there is no process to take it.
    func send(
        _ purpose: Purpose, _ method: Method, _ target: String, _ body: JSONValue? = nil, key: String? = nil
    ) -> Pending? {
        guard !disk.isDead else { return nil }
        let now = clock.now
        let request = altered(Request(purpose: purpose, target: target, body: body, key: key ?? adminKey))
        let sent = process.send(method, request.target, request.body, key: request.key)
        history.exchanges.append(Exchange(purpose: purpose, asked: nextTick(), serverTime: now))
        let pending = Pending(
            index: history.exchanges.count - 1, sent: sent, line: "\(method) \(target) \(body?.jsonText ?? "")")
        if let answer = sent.immediate { note(answer, to: pending) }
        return pending
    }

    /// Waits for the answer; nil when the process died before it was sent.
    @discardableResult
    func receive(_ pending: Pending?) async -> Exchange.Answer? {
        guard let pending else { return nil }
        if pending.sent.immediate == nil {
            let answer = await pending.sent.received()
            if disk.isDead {
                log("\(pending.line) → nobody knows")
            } else {
                note(answer, to: pending)
            }
        }
        return history.exchanges[pending.index].answer
    }

    private func note(_ answer: (status: Int, json: JSONValue), to pending: Pending) {
        let answer = altered(answer, to: history.exchanges[pending.index].purpose)
        history.exchanges[pending.index].answer = Exchange.Answer(
            at: nextTick(), status: answer.status, json: answer.json)
        log("\(pending.line) → \(answer.status) \(answer.json.jsonText.prefix(400))")
    }
}

/// The service's time of day beside the true one.
final class SimulatedClock: Sendable {
    private struct State {
        var trueTime: Int64
        var skew: Int64 = 0
        var frozenAt: Int64?
    }
    private let state: Mutex<State>

    init(_ now: Int64) { state = Mutex(State(trueTime: now)) }

    var read: @Sendable () -> Int64 { { self.now } }
    var now: Int64 { state.withLock { $0.frozenAt ?? $0.trueTime + $0.skew } }
    var trueTime: Int64 { state.withLock { $0.trueTime } }

    func pass(_ milliseconds: Int64) { state.withLock { $0.trueTime += milliseconds } }

    /// Shows another time than the true one from now on.
    func turn(by skew: Int64) {
        state.withLock { state in
            state.frozenAt = nil
            state.skew = skew
        }
    }

    /// Shows the same time from now on.
    func freeze() { state.withLock { $0.frozenAt = $0.trueTime + $0.skew } }
}

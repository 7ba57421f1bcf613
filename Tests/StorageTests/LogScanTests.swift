import Foundation
import Rollouts
import Testing

@testable import Storage

@Suite struct `The log, before it is opened,` {
    /// The folder of a store that was killed with a log of several commits.
    private let folder: TestFolder
    private let log: [UInt8]
    private static let frameSize = 4_096 + 24

    init() throws {
        let running = try TestFolder()
        let store = try running.open()
        for number in 1...10 { _ = try store.start(draft(UInt64(number))) }
        _ = try store.put("trips")
        folder = try TestFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: running.database + suffix, toPath: folder.database + suffix)
        }
        log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")))
    }

    private var frames: Int { (log.count - 32) / Self.frameSize }

    private func verdict(_ log: [UInt8]) -> LogScan.Verdict { log.withUnsafeBytes { LogScan.verdict(of: $0) } }

    private func isDamaged(_ log: [UInt8]) -> Bool { if case .damaged = verdict(log) { true } else { false } }

    /// The frames that end a transaction.
    private var commits: [Int] {
        (0..<frames).filter { frame in log[offset(frame) + 4..<offset(frame) + 8].contains { $0 != 0 } }
    }

    private func offset(_ frame: Int) -> Int { 32 + frame * Self.frameSize }

    @Test func `is sound as it was left`() throws {
        #expect(verdict(log) == .sound(frames: frames))
        #expect(commits.count > 10)
        #expect(folder.refusal() == nil)
    }

    @Test func `may be missing or empty`() throws {
        #expect(try LogScan.verdict(ofLogAt: folder.path + "/none-wal") == .empty)
        #expect(verdict([]) == .empty)
        #expect(verdict(Array(repeating: 0, count: 10_000)) == .empty)
        #expect(verdict(Array(log.prefix(32))) == .empty)
    }

    @Test func `may end anywhere: what is cut off is a torn tail`() {
        for length in stride(from: 33, to: log.count, by: 1_777) { #expect(!isDamaged(Array(log.prefix(length)))) }
    }

    @Test func `shows one flipped bit, wherever it is`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var flipped = log
            let bit = Int.random(in: 0..<log.count * 8, using: &generator)
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(isDamaged(flipped), "bit \(bit)")
        }
    }

    @Test func `with a damaged page before the last commit is refused and kept`() throws {
        var damaged = log
        for index in offset(2) + 24..<offset(2) + 424 { damaged[index] = 0xA5 }
        try Data(damaged).write(to: URL(fileURLWithPath: folder.database + "-wal"))
        #expect(folder.refusal() == .corrupt)
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))) == damaged)
    }

    @Test func `whose last transaction is only partly there is what a power cut leaves`() throws {
        let last = try #require(commits.dropLast().last)
        // Its first page never reached the disk; a later one did.
        var torn = log
        for index in offset(last + 1)..<offset(last + 2) { torn[index] = 0 }
        #expect(commits.last.map { $0 > last + 1 } == true)
        #expect(verdict(torn) == .sound(frames: last + 1))
        try Data(torn).write(to: URL(fileURLWithPath: folder.database + "-wal"))
        let store = try folder.open()
        #expect(try store.read(draft(10).id).value??.pin == draft(10))
        #expect(store.configuration.flows.isEmpty)
    }

    @Test func `may hold pages of an earlier turn behind its end`() throws {
        var older = Array(log[offset(1)..<offset(2)])
        older[8] ^= 0xFF
        older[13] ^= 0x3C
        #expect(verdict(log + older) == .sound(frames: frames))
    }
}

import FlagEvaluation
import HTTPServer
import RouteContract
import Storage
import Testing

/// What runs have found, each on its own.
@Suite struct `A pin` {
    private let path: DatabasePath
    private let key: String
    private let disk: SimulatedDisk

    init() async throws {
        let sample = try await Sample.prepared.value
        path = try DatabasePath()
        key = sample.key
        disk = sample.disk.copy(seed: 1)
    }

    private func open(_ disk: SimulatedDisk) throws -> ServiceProcess {
        try ServiceProcess(on: disk, at: path.path, clock: { Sample.noon }, random: SeededRandom(seed: 1))
    }

    private func start(number: UInt64 = 1) -> Start {
        let id = JourneyID(milliseconds: Sample.noon, randomA: 0, randomB: number).description
        return Start(
            id: id, idTime: Sample.noon, flow: "trips", unit: "u-\(number)", build: "app:730", email: "mia@example.com")
    }

    private func start(_ number: UInt64 = 1, on process: ServiceProcess) async -> JSONValue {
        await process.send(.post, "/v1/journeys", start(number: number).json, key: key).received().json
    }

    @Test func `that cannot be stored is not called one`() async throws {
        let process = try open(disk)
        disk.set(.full)
        #expect(await start(on: process)["pinned"] == false)
        disk.set(.none)
        #expect(await start(on: process)["pinned"] == true)
        process.close()
    }

    @Test(arguments: [SimulatedDisk.Fault.full, .syncFails, .busy])
    func `stands when nothing can be stored, whatever would be chosen by now`(_ fault: SimulatedDisk.Fault) async throws
    {
        var process = try open(disk)
        let first = await start(on: process)
        let body: JSONValue = ["reason": "test", "force": true]
        for _ in 1...2 { _ = await process.send(.post, "/v1/flows/trips/advance", body, key: key).received() }
        process.close()
        let reopened = disk.afterCrash(.kill)
        process = try open(reopened)
        reopened.set(fault)
        #expect(await start(on: process) == first)
        let batch: JSONValue = ["journeys": [start().json, start(number: 2).json]]
        let many = await process.send(.post, "/v1/journeys/batch", batch, key: key).received().json["journeys"]?.array
        #expect(many?.first?["journey"] == first)
        #expect(many?.last?["journey"]?["pinned"] == false)
        process.close()
    }

    /// What the first crash left behind the last commit must not lie behind those of the next life.
    @Test func `is not refused for a log that was torn twice`() async throws {
        for seed in [6, 7, 25] as [UInt64] {
            var disk = disk.copy(seed: seed)
            for life in 2...3 as ClosedRange<UInt64> {
                let process = try open(disk)
                #expect(await start(life, on: process)["pinned"] == true)
                disk.set(.syncFails)
                let reason: JSONValue = ["reason": "test", "force": true]
                _ = await process.send(.post, "/v1/flows/\(life == 2 ? "trips" : "orders")/advance", reason, key: key)
                    .received()
                let cut = disk.afterCrash(.powerCut)
                process.close()
                disk = cut
                let verdict = disk.content(ofEnding: "-wal").withUnsafeBytes { LogScan.verdict(of: $0) }
                if case .damaged(let what) = verdict { Issue.record("seed \(seed): \(what)") }
            }
        }
    }

    /// A failed sync leaves a log of which this process reads everything and the disk has parts.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `that was read after a failed sync and a restart is there after a power cut`(_ seed: UInt64) async throws {
        let failing = disk.copy(seed: seed)
        var process = try open(failing)
        // An empty log is synced before its first transaction, and this is to fail behind that.
        #expect(await start(2, on: process)["pinned"] == true)
        failing.set(.syncFails)
        #expect(await start(on: process)["pinned"] == false)
        let killed = failing.afterCrash(.kill)
        process.close()
        process = try open(killed)
        let target = "/v1/journeys/\(start().id)"
        let read = await process.send(.get, target, nil, key: key).received()
        #expect(read.status == 200)
        let cut = killed.afterCrash(.powerCut)
        process.close()
        process = try open(cut)
        let again = await process.send(.get, target, nil, key: key).received()
        #expect(again.status == 200)
        #expect(again.json == read.json)
        process.close()
    }
}

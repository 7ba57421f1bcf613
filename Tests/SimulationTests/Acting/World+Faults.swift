import FlagEvaluation
import HTTPServer
import Storage

@testable import SignalboxServer

/// What goes wrong: clocks, disks, processes, and too much at once.
extension World {
    /// Several requests at once: they come to the store in one transaction, or do not fit its queue.
    func burst() async {
        let letGo = process.holdWriter()
        var pending: [Pending?] = []
        for _ in 0...random.number(in: 1...5) {
            switch random.number(in: 0...9) {
            case 0...5: pending.append(sendStart())
            case 6...7: pending.append(sendFinish())
            default: pending.append(sendChange())
            }
            clock.pass(random.number(in: 0...2_000))
        }
        if random.chance(30) { pending.append(starts.last.flatMap { send($0) }) }
        if random.chance(10) { breakDiskNow() }
        letGo()
        for request in pending { await receive(request) }
        disk.set(.none)
    }

    func turnClock() async {
        // The service sweeps every hour, so also while its clock was still right.
        await sweep()
        switch random.number(in: 0...5) {
        case 0: clock.turn(by: -3_600_000)
        case 1: clock.turn(by: 3_600_000)
        case 2: clock.turn(by: 400 * Sample.day)
        case 3: clock.freeze()
        case 4: clock.pass(random.number(in: 0...(2 * Sample.day)))
        default: clock.turn(by: 0)
        }
        log("the clock shows \(clock.now), and it is \(clock.trueTime)")
        if random.chance(50) { await sweep() }
        if random.chance(50) { clock.turn(by: 0) }
    }

    func sweep() async {
        guard !disk.isDead else { return }
        let now = clock.now
        let report = await process.sweep(at: now, isConfirmed: mutation == .sweepsWithoutCaution)
        let isKnown = report != nil && !disk.isDead
        let deletes = report.map { $0.deletedRows > 0 } ?? true
        history.sweeps.append(
            SweepEvent(
                at: nextTick(), deletedBefore: deletes || !isKnown ? now - 8 * Sample.day : nil,
                trueTime: clock.trueTime))
        log("sweep at \(now) → \(report.map { "\($0)" } ?? "nobody knows")")
    }

    func breakDisk() async {
        breakDiskNow()
        for _ in 0...random.number(in: 0...2) {
            await receive(random.chance(60) ? sendStart() : sendChange())
        }
        disk.set(.none)
        if process.service.store.health.failure != nil, random.chance(70) { await restart(as: crashKind) }
    }

    private func breakDiskNow() {
        let fault = random.one(of: [.full, .syncFails, .busy], or: SimulatedDisk.Fault.full)
        log("the disk: \(fault)")
        disk.set(fault)
    }

    private var crashKind: SimulatedDisk.Crash { random.one(of: [.kill, .powerCut, .powerCut], or: .kill) }

    /// A crash now, or in the middle of a write that is still to come.
    func crashSoon() async {
        if random.chance(40) { return await restart(as: crashKind) }
        disk.crash(crashKind, afterOperations: Int(random.number(in: 0...12)))
        for _ in 1...4 where !disk.isDead {
            if random.chance(30) { await burst() } else { await receive(sendStart()) }
        }
        await restart(as: crashKind)
    }

    /// Ends the process, by a close when no crash is named, and starts another on what is left.
    ///
    /// `looksAtLog` is for runs that are about the log: to see that it is not damaged takes a while.
    func restart(as crash: SimulatedDisk.Crash?, looksAtLog: Bool = true) async {
        if crash == nil {
            if random.chance(20) { disk.crash(crashKind, afterOperations: Int(random.number(in: 0...20))) }
            process.close()
        }
        var left = disk.afterCrash(crash ?? .kill)
        process.close()
        log("restart after \(crash.map { "\($0)" } ?? "a close")")
        applyToDisk(left)
        if looksAtLog { checkLog(of: left) }
        for attempt in 1...6 {
            disk = left
            if attempt < 6, random.chance(25) {
                disk.crash(crashKind, afterOperations: Int(random.number(in: 0...15)))
            }
            do {
                process = try ServiceProcess(
                    on: disk, at: path.path, clock: clock.read, random: SeededRandom(seed: random.next()),
                    writeLimit: random.chance(15) ? 2 : 16_384)
                if !disk.isDead {
                    disk.cancelCrash()
                    await receive(send(.ready, .get, "/readyz"))
                    return
                }
                process.close()
            } catch {
                guard disk.isDead else {
                    return history.faults.append("After a crash the store does not open: \(error)")
                }
            }
            log("it died while it opened")
            left = disk.afterCrash(.kill)
            if looksAtLog { checkLog(of: left) }
        }
    }

    /// What a crash leaves of the log is the end of one transaction, and not damage. The scan tries every bit of a frame
    /// that is torn, so not every crash is looked at.
    private func checkLog(of disk: SimulatedDisk) {
        guard random.chance(10) else { return }
        let verdict = disk.content(ofEnding: "-wal").withUnsafeBytes { LogScan.verdict(of: $0) }
        if case .damaged(let what) = verdict, mutation != .acknowledgesBeforeSync {
            history.faults.append("The log that a crash left is called damaged: \(what)")
        }
    }

    /// Writes down outside the database how far it has come, as the service does every minute.
    func anchor() async {
        guard !disk.isDead else { return }
        let store = process.service.store
        await withCheckedContinuation { continuation in store.writeAnchor { _ in continuation.resume() } }
        log("anchor")
    }

    /// Puts everything right, and looks at what there is in the end.
    func end() async {
        disk.cancelCrash()
        disk.set(.none)
        clock.turn(by: 0)
        await restart(as: random.one(of: [.powerCut, .kill, nil], or: nil))
        guard history.faults.isEmpty else { return }
        let last = newStart(at: clock.now)
        let answer = await receive(send(last))
        if answer?.json["pinned"] != true {
            history.faults.append("With all well, nothing is pinned: \(String(describing: answer))")
        }
        for start in starts { await receive(send(.showJourney(start.id), .get, "/v1/journeys/\(start.id)")) }
        await readEverything()
    }

    private func readEverything() async {
        func ask(_ target: String) async -> JSONValue {
            await process.send(.get, target, nil, key: adminKey).received().json
        }
        history.finalRevision = await ask("/readyz")["revision"]?.integer ?? -1
        history.auditFault = await ask("/v1/audit/verify")["fault"] ?? "no verdict"
        while true {
            let page = await ask("/v1/audit?limit=1000&after=\(history.audit.count)")["entries"]?.array ?? []
            history.audit += page
            if page.count < 1_000 { break }
        }
        let lists = [
            ("flow", "key"), ("route", "key"), ("flag", "key"), ("cohort", "key"), ("build", "build"), ("key", "id"),
        ]
        for (kind, name) in lists {
            for item in await ask("/v1/\(kind)s")["\(kind)s"]?.array ?? [] {
                if let key = item[name]?.string { history.configuration["\(kind)/\(key)"] = item }
            }
        }
        for route in Sample.routes {
            let conditions = await ask("/v1/routes/\(route)/conditions")["conditions"]?.array ?? []
            for condition in conditions { history.configuration[Ledger.name(ofCondition: condition)] = condition }
        }
        for waiver in await ask("/v1/waivers")["waivers"]?.array ?? [] {
            if let route = waiver["route"]?.string { history.configuration["waiver/\(route)"] = waiver }
        }
    }
}

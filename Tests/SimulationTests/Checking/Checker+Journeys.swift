import FlagEvaluation

extension Checker {
    /// Every answer has a status that its request may get.
    mutating func checkAnswers() {
        for (exchange, answer) in answered {
            if answer.status == 500 { report("The service failed", exchange) }
            switch exchange.purpose {
            case .openWithRevokedKey:
                if answer.status != 401 { report("A revoked key opened something", exchange) }
            case .showJourney, .evaluate, .showItem, .ready:
                if answer.status >= 500, answer.json["ready"] == nil { report("A reading failed", exchange) }
            case .start(let start): checkStart(start, exchange, answer)
            case .resume(let start, _): checkResume(start, exchange, answer)
            case .finish, .change: break
            }
        }
    }

    private mutating func checkStart(_ start: Start, _ exchange: Exchange, _ answer: Exchange.Answer) {
        let isFarOff =
            start.idTime < exchange.serverTime - 7 * Sample.day || start.idTime > exchange.serverTime + Sample.day
        switch answer.status {
        case 200, 201:
            if isFarOff, answer.isNewChoice { report("An id from another time was taken", exchange) }
            if answer.json["id"]?.string != start.id || answer.json["flow"]?.string != start.flow
                || answer.json["unit"]?.string != start.unit
            {
                report("The answer is to another journey", exchange)
            }
        case 400:
            let isNear =
                start.idTime >= exchange.serverTime - 60_000 && start.idTime <= exchange.serverTime + Sample.day
            if answer.code != "journey_id_out_of_window" || isNear { report("A good start was refused", exchange) }
        case 409:
            if answer.code != "journey_mismatch" || answer.json["error"]?["details"] != nil
                || answer.json["details"] != nil
            {
                report("A stranger was told more than that the journey is another's", exchange)
            }
        default: report("A start was refused without a reason", exchange)
        }
    }

    private mutating func checkResume(_ start: Start, _ exchange: Exchange, _ answer: Exchange.Answer) {
        switch answer.status {
        case 200, 201:
            if answer.json["id"]?.string != start.id || answer.json["unit"]?.string != start.unit {
                report("The answer is to another journey", exchange)
            }
        case 404 where answer.code == "journey_not_found", 409 where answer.code == "journey_expired": break
        case 409 where answer.code == "journey_mismatch":
            if answer.json["error"]?["details"] != nil {
                report("A stranger was told more than that the journey is another's", exchange)
            }
        default: report("A resume was refused without a reason", exchange)
        }
    }

    /// What a resume answers is in the build that asks, and an attempt opens one segment.
    mutating func checkResumes() {
        var attempts: Set<String> = []
        var opened: [String: Int64] = [:]
        for (exchange, answer) in answered {
            guard case .resume(let start, let attempt) = exchange.purpose, answer.status <= 201 else { continue }
            let key = "\(start.id) \(attempt)"
            if answer.status == 201 {
                let segment = answer.json["segment"]?.integer ?? 0
                if let first = opened[key], first != segment, !wasSwept(start.idTime, before: answer.at) {
                    report("The attempt opened segment \(first) before", exchange)
                }
                opened[key] = segment
            }
            guard answer.json["outcome"]?.isNull == true, attempts.insert(key).inserted else { continue }
            let revisions = stride(from: revisionSeen(before: exchange.asked), through: ledger.lastRevision, by: 1)
            for (route, choice) in answer.json["choices"]?.object?.entries ?? [] {
                let renderer = choice["renderer"]?.string ?? ""
                let isClaimed = start.claims.map { $0.contains(renderer) } ?? true
                if !isClaimed
                    || !revisions.contains(where: {
                        ledger.renderers(of: route, in: start.build, at: $0).contains(renderer)
                    })
                {
                    report("The build that resumes lacks \(renderer) of \(route)", exchange)
                }
            }
        }
    }

    private func wasSwept(_ time: Int64, before tick: Int) -> Bool {
        history.sweeps.contains { $0.at < tick && time < $0.deletedBefore ?? .min }
    }

    /// Choices come from one revision that is not older than what was seen, give nothing that the build lacks, follow
    /// what stood at that revision, and are the same whenever all that they depend on is.
    mutating func checkChoices() {
        var known: [String: JSONValue] = [:]
        for (exchange, answer) in answered {
            if case .evaluate(let route, let build) = exchange.purpose, let renderer = answer.json["value"]?.string {
                let possible = stride(from: revisionSeen(before: exchange.asked), through: ledger.lastRevision, by: 1)
                if !possible.contains(where: { ledger.renderers(of: route, in: build, at: $0).contains(renderer) }) {
                    report("The build lacks that renderer", exchange)
                }
            }
            guard case .start(let start) = exchange.purpose, answer.isNewChoice else { continue }
            let revision = answer.json["revision"]?.integer ?? -1
            if revision < revisionSeen(before: exchange.asked) || revision > ledger.lastRevision {
                report("A choice by revision \(revision), which is not the newest", exchange)
            }
            for route in Sample.routes(of: start.flow) {
                check(answer.json["choices"]?[route]?["renderer"]?.string, of: route, start, at: revision, exchange)
            }
            let inputs = "\(start.json.jsonText) at \(revision)"
            if let first = known[inputs], first != answer.json["choices"] {
                report("Chosen differently before: \(first)", exchange)
            }
            known[inputs] = answer.json["choices"]
        }
    }

    private mutating func check(
        _ renderer: String?, of route: String, _ start: Start, at revision: Int64, _ exchange: Exchange
    ) {
        let registered = ledger.renderers(of: route, in: start.build, at: revision)
        let possible = start.claims.map { registered.intersection($0) } ?? registered
        guard let renderer else {
            if !possible.isEmpty { report("There is no choice for \(route)", exchange) }
            return
        }
        if !possible.contains(renderer) { report("The build has \(possible) of \(route)", exchange) }
        let state = ledger.value(of: "route/\(route)", at: revision)
        let isStopped = state["status"] == "rolledBack" || state["status"] == "island" || state["stage"] == "notStarted"
        if isStopped, renderer == "migrated", possible.contains("legacy") {
            report("\(route) gives legacy only at revision \(revision)", exchange)
        }
    }

    /// A register for each segment of a journey: one value in every answer marked as pinned, which is never lost again
    /// and which no later answer contradicts. Whoever has seen a segment never sees an earlier one afterwards, but for a
    /// resume that is repeated.
    mutating func checkPins() {
        var pins: [String: [Int64: (value: JSONValue, at: Int)]] = [:]
        for (exchange, answer) in answered {
            let isPinned = answer.json["pinned"] == true
            guard let id = exchange.journey, let time = exchange.journeyTime else { continue }
            let swept = history.sweeps.contains { $0.at < answer.at && time < $0.deletedBefore ?? .min }
            if swept, let known = pins[id]?.values.map(\.at).max(),
                history.sweeps.contains(where: { $0.at > known && time < $0.deletedBefore ?? .min })
            {
                pins[id] = nil
            }
            let before = pins[id]?.filter { $0.value.at < exchange.asked }.max { $0.key < $1.key }
            let segment = answer.json["segment"]?.integer ?? 0
            switch exchange.purpose {
            case .start(let start) where answer.status <= 201:
                guard let pin = before?.value else { break }
                if answer.status == 201 { report("It was pinned at \(pin.at) already", exchange) }
                if pin.value["unit"]?.string != start.unit || pin.value["flow"]?.string != start.flow {
                    report("It was another's journey", exchange)
                }
                if !isPinned, pin.value["choices"] != answer.json["choices"] {
                    report("It has another choice, pinned at \(pin.at)", exchange)
                }
            case .resume where answer.status <= 201:
                if let last = before?.key, answer.status == 201, segment <= last {
                    report("Segment \(last) was there before", exchange)
                }
                if answer.status == 201, segment < 2 { report("A resume opens no first segment", exchange) }
            case .showJourney where answer.status == 404, .resume where answer.code == "journey_not_found":
                if let pin = before?.value { report("It was pinned at \(pin.at)", exchange) }
            default: break
            }
            guard isPinned else { continue }
            if let last = before?.key, segment < last {
                if case .resume = exchange.purpose {} else { report("Segment \(last) was seen before", exchange) }
            }
            let value = answer.json.withoutOutcome
            if let pin = pins[id]?[segment], pin.value != value {
                report("Pinned otherwise at \(pin.at): \(pin.value.jsonText)", exchange)
            }
            pins[id, default: [:]][segment] = (value, answer.at)
        }
    }

    /// A journey ends once: the outcome that anybody has seen is the one that all see afterwards.
    mutating func checkOutcomes() {
        var outcomes: [String: (value: JSONValue, at: Int)] = [:]
        for (exchange, answer) in answered {
            guard let id = exchange.journey, let time = exchange.journeyTime ?? self.time(of: id) else { continue }
            if let known = outcomes[id],
                history.sweeps.contains(where: {
                    $0.at > known.at && $0.at < answer.at && time < $0.deletedBefore ?? .min
                })
            {
                outcomes[id] = nil
            }
            let told: JSONValue? =
                switch (exchange.purpose, answer.status) {
                case (.finish, 200): answer.json["outcome"]
                case (.finish, 409): answer.json["error"]?["details"]?["outcome"]
                case (.start, 200) where answer.json["pinned"] == true, (.showJourney, 200), (.resume, 200...201):
                    answer.json["outcome"]
                default: nil
                }
            guard let told else { continue }
            if case .finish(_, let wanted) = exchange.purpose, answer.status == 200, told != wanted {
                report("Another outcome than that was reported", exchange)
            }
            if let known = outcomes[id], known.value != told, known.at < exchange.asked || !told.isNull {
                report("It ended with \(known.value.jsonText) at \(known.at)", exchange)
            }
            if !told.isNull { outcomes[id] = (told, answer.at) }
        }
    }

    /// A sweep that nobody confirmed deletes at most a tenth of the journeys that are in flight by a good clock.
    mutating func checkSweeps() {
        for sweep in history.sweeps {
            guard let before = sweep.deletedBefore else { continue }
            var live: Set<String> = []
            var deleted: Set<String> = []
            for (exchange, answer) in answered where answer.at < sweep.at && answer.json["pinned"] == true {
                guard let id = exchange.journey, let start = answer.json["startedAt"]?.integer,
                    let end = answer.json["expiresAt"]?.integer, end > sweep.trueTime + 2 * 3_600_000
                else { continue }
                live.insert(id)
                if start < before { deleted.insert(id) }
            }
            if deleted.count * 10 > live.count {
                report("The sweep at \(sweep.at) deleted \(deleted.count) of \(live.count) journeys in flight")
            }
        }
    }

    private func time(of id: String) -> Int64? {
        for exchange in history.exchanges {
            if case .start(let start) = exchange.purpose, start.id == id { return start.idTime }
        }
        return nil
    }
}

extension Exchange {
    /// The journey that is asked for.
    var journey: String? {
        switch purpose {
        case .start(let start), .resume(let start, _): start.id
        case .showJourney(let id), .finish(let id, _): id
        default: nil
        }
    }

    /// The time inside its id.
    var journeyTime: Int64? {
        guard let journey else { return nil }
        return Int64(journey.filter { $0 != "-" }.prefix(12), radix: 16)
    }
}

extension JSONValue {
    fileprivate var withoutOutcome: JSONValue {
        var object = object ?? [:]
        object["outcome"] = nil
        // Says something of the build that asks, not of the journey.
        object["buildRegistered"] = nil
        object["end"] = nil
        return .object(object)
    }
}

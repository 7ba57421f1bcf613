import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Synchronization

extension Service {
    /// Everything that is counted, in the Prometheus text format.
    var metrics: [UInt8] {
        var text = MetricsText()
        if let counters = serverCounters { write(counters, to: &text) }
        writeEvaluations(to: &text)
        writeStore(to: &text)
        writeConfiguration(to: &text)
        writeStreams(to: &text)
        return text.body
    }

    private func write(_ counters: ServerCounters, to text: inout MetricsText) {
        let table = Array(zip(routes, counters.routes))
        text.family("http_requests_total", .counter, "Answers by route and class of status.")
        for (route, counts) in table {
            for (index, count) in counts.answersByStatusClass.enumerated() where count > 0 {
                text.sample(
                    count, ("method", "\(route.method.name)"), ("route", route.pattern), ("status", "\(index)xx"))
            }
        }
        for (index, count) in counters.unrouted.answersByStatusClass.enumerated() where count > 0 {
            text.sample(count, ("method", ""), ("route", ""), ("status", "\(index)xx"))
        }
        text.family(
            "http_request_duration_seconds", .histogram,
            "From a whole request to its answer, parked time included, by route.")
        let bounds = ServerCounters.latencyBoundsMicroseconds.map { MetricsText.seconds(microseconds: $0) }
        for (route, counts) in table where counts.latencies.contains(where: { $0 > 0 }) {
            text.histogram(
                bounds: bounds, counts: counts.latencies,
                sum: MetricsText.seconds(microseconds: counts.latencyMicroseconds),
                [("method", "\(route.method.name)"), ("route", route.pattern)])
        }
        text.family("http_refused_total", .counter, "Requests and connections refused before any route, by status.")
        for (status, count) in counters.refusedByStatus.sorted(by: { $0.key < $1.key }) {
            text.sample(count, ("status", "\(status)"))
        }
        text.family("http_connections_accepted_total", .counter, "Connections accepted.")
        text.sample(counters.acceptedConnections)
        text.family("http_connections_open", .gauge, "Connections open now.")
        text.sample(counters.openConnections)
        text.family("http_requests_parked", .gauge, "Requests that wait for the store now.")
        text.sample(counters.parkedRequests)
    }

    private func writeEvaluations(to text: inout MetricsText) {
        text.family("evaluations_total", .counter, "Flags and routes evaluated over OFREP, by reason.")
        for reason in Reason.allCases {
            text.sample(evaluations(reason), ("reason", reason.rawValue))
        }
        text.family("rate_limited_total", .counter, "Requests answered 429.")
        text.sample(rateLimits.refusals)
    }

    private func writeStore(to text: inout MetricsText) {
        let counters = store.counters.reading
        let health = store.health
        text.family("pins_total", .counter, "Starts of journeys: pinned, pinned before, or answered without a pin.")
        text.sample(counters.tally.started, ("result", "new"))
        text.sample(counters.tally.repeated, ("result", "repeated"))
        text.sample(unpinnedStarts.load(ordering: .relaxed), ("result", "unpinned"))
        write(counters.tally, to: &text)
        text.family("store_batch_jobs", .histogram, "Jobs in one transaction of the writer.")
        text.histogram(
            bounds: StoreCounters.batchBounds.map { "\($0)" }, counts: counters.batches, sum: "\(counters.jobs)")
        text.family("store_waiting_jobs", .gauge, "Jobs that wait for the store's threads.")
        text.sample(health.waitingWrites, ("queue", "write"))
        text.sample(health.waitingReads, ("queue", "read"))
        text.family("store_writes", .gauge, "1 while changes and pins are stored, 0 after a failure.")
        text.sample(health.failure == nil ? 1 : 0)
        text.family("evidence_damaged", .gauge, "Items of evidence that do not count because their rows are damaged.")
        text.sample(store.damagedEvidence)
    }

    private func write(_ tally: JourneyTally, to text: inout MetricsText) {
        text.family("journey_segments_total", .counter, "Segments that a resume opened, by reason.")
        for reason in SegmentReason.allCases { text.sample(tally.opened[reason] ?? 0, ("reason", reason.rawValue)) }
        text.family("journeys_ended_total", .counter, "Journeys that ended, by status.")
        for status in OutcomeStatus.allCases { text.sample(tally.ended[status] ?? 0, ("status", status.rawValue)) }
        text.family(
            "journeys_decided_total", .counter,
            "Journeys pinned as their device had decided offline: the service came to the same, or could not.")
        for origin in PinOrigin.allCases { text.sample(tally.decided[origin] ?? 0, ("origin", origin.rawValue)) }
        text.family("journey_conflicts_total", .counter, "Journeys whose device shows something else than is pinned.")
        text.sample(tally.conflicts)
        text.family(
            "journey_outcomes_unknown_total", .counter, "Outcomes with a name that no contract of the flow has.")
        text.sample(unknownOutcomes.load(ordering: .relaxed))
    }

    private func writeConfiguration(to text: inout MetricsText) {
        let snapshot = snapshot
        text.family("revision", .gauge, "The revision that is served.")
        text.sample(snapshot.configuration.revision)
        text.family("epoch", .gauge, "How often the configuration was restored.")
        text.sample(snapshot.configuration.epoch)
        text.family("revision_age_seconds", .gauge, "How long that revision has been served here.")
        text.sample(max(0, now() - snapshot.publishedAt) / 1_000)
        text.family("build_info", .gauge, "The version that runs.")
        text.sample(1, ("version", options.version))
    }

    private func writeStreams(to text: inout MetricsText) {
        let counters = events.channel.counters
        text.family("streams_open", .gauge, "Event streams open now.")
        text.sample(counters.open)
        text.family("streams_opened_total", .counter, "Event streams opened.")
        text.sample(counters.opened)
        text.family("streams_dropped_total", .counter, "Event streams ended because their reader was too slow.")
        text.sample(counters.dropped)
        text.family("stream_events_total", .counter, "Events written to streams, heartbeats not counted.")
        text.sample(counters.sent)
    }
}

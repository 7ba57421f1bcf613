import FlagEvaluation
import HTTPServer
import Testing

@testable import SignalboxServer

@Suite struct `The metrics` {
    private func lines(_ service: TestService, key: String?? = .none) async throws -> [String] {
        let answer = try await service.ask(.get, "/metrics", key: key)
        #expect(answer.status == 200)
        #expect(answer.response.contentType.map { "\($0.name)" } == "text/plain; version=0.0.4; charset=utf-8")
        return String(decoding: answer.response.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `count evaluations by reason, pins and batches`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        for (key, state) in [("a", "ENABLED"), ("b", "DISABLED")] {
            _ = try await service.ask(
                .put, "/v1/flags/\(key)",
                [
                    "definition": ["state": .string(state), "variants": ["on": true], "defaultVariant": "on"],
                    "reason": "test",
                ])
        }
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags/a")
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags")
        for _ in 0..<2 { _ = try await service.start(1) }
        let lines = try await lines(service)
        for line in [
            "signalbox_evaluations_total{reason=\"STATIC\"} 2", "signalbox_evaluations_total{reason=\"DISABLED\"} 1",
            // Both routes: who names no build may have only legacy, whatever the flag gives.
            "signalbox_evaluations_total{reason=\"TARGETING_MATCH\"} 2",
            "signalbox_evaluations_total{reason=\"ERROR\"} 0", "signalbox_pins_total{result=\"new\"} 1",
            "signalbox_pins_total{result=\"unpinned\"} 0", "signalbox_store_writes 1", "signalbox_epoch 1",
            "signalbox_revision 19", "signalbox_revision_age_seconds 0", "signalbox_streams_open 0",
            "signalbox_rate_limited_total 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("signalbox_store_batch_jobs_count ") && !$0.hasSuffix(" 0") })
        service.pass(milliseconds: 61_500)
        #expect(try await self.lines(service).contains("signalbox_revision_age_seconds 61"))
    }

    @Test func `open to any key, and to nobody without one`() async throws {
        let service = try TestService()
        for (kind, role, _) in `An endpoint`.holders { _ = try await lines(service, key: service.key(kind, role)) }
        #expect(try await service.ask(.get, "/metrics", key: .some(nil)).status == 401)
    }

    @Test func `name the requests by route, with what the server has counted`() async throws {
        let service = try TestService()
        let server = HTTPServer(configuration: ServerConfiguration(), router: service.service.router())
        service.service.observe { [weak server] in server?.counters }
        let lines = try await lines(service)
        #expect(lines.contains("signalbox_http_connections_open 0"))
        #expect(lines.contains("# TYPE signalbox_http_request_duration_seconds histogram"))
        withExtendedLifetime(server) {}
    }

    @Test func `write a histogram whose buckets add up, and escape labels`() {
        var text = MetricsText()
        text.family("x", .histogram, "An x.")
        text.histogram(bounds: ["1", "2"], counts: [3, 0, 4], sum: "9", [("a", "q\"\\\n")])
        let label = #"a="q\"\\\n""#
        #expect(
            String(decoding: text.body, as: UTF8.self) == """
                # HELP signalbox_x An x.
                # TYPE signalbox_x histogram
                signalbox_x_bucket{\(label),le="1"} 3
                signalbox_x_bucket{\(label),le="2"} 3
                signalbox_x_bucket{\(label),le="+Inf"} 7
                signalbox_x_sum{\(label)} 9
                signalbox_x_count{\(label)} 7

                """)
    }

    @Test(arguments: [(0, "0"), (100, "0.0001"), (2_500, "0.0025"), (1_000_000, "1"), (1_250_000, "1.25")])
    func `write microseconds as seconds`(_ microseconds: UInt64, _ text: String) {
        #expect(MetricsText.seconds(microseconds: microseconds) == text)
    }
}

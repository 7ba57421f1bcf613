extension ComparedRecordings {
    /// A metric is worse when its median is, by more than the tolerance and more than chance explains; a time must
    /// also have moved by more than 5 ms, which nobody sees.
    func comparePerformance(_ findings: inout Findings) {
        let (olds, news) = (Self.metrics(old.samples), Self.metrics(new.samples))
        guard !olds.isEmpty || !news.isEmpty else { return }
        findings.compared(.performance)
        for metric in Set(olds.keys).union(news.keys).sorted() {
            guard let was = olds[metric], let now = news[metric], was.unit == now.unit, was.unit != nil else {
                findings.add(
                    .performance, .samples, metric, "\(metric) is not measured by both in one unit",
                    old: olds[metric]?.line, new: news[metric]?.line, effect: .inconclusive)
                continue
            }
            compare(metric, was, now, &findings)
        }
    }

    /// All samples of one metric in a recording. The unit is nil when they are in several.
    private struct Metric {
        var unit: String?
        var samples: [Double]
        let line: Int
    }

    private static let fewestSamples = 10
    private static let smallestMoveMilliseconds = 5.0

    private static func metrics(_ recorded: [Recorded<RecordedSamples>]) -> [String: Metric] {
        recorded.reduce(into: [:]) { metrics, next in
            let value = next.value
            var metric = metrics[value.metric] ?? Metric(unit: value.unit, samples: [], line: next.line)
            metric.samples += value.samples
            if metric.unit != value.unit { metric.unit = nil }
            metrics[value.metric] = metric
        }
    }

    private func compare(_ name: String, _ was: Metric, _ now: Metric, _ findings: inout Findings) {
        let bounds = Self.fewestSamples...ParityLimits.samplesOfMetric
        guard bounds.contains(was.samples.count), bounds.contains(now.samples.count) else {
            findings.add(
                .performance, .samples, name,
                "\(name) has \(was.samples.count) and \(now.samples.count) samples; each needs \(bounds.lowerBound) "
                    + "to \(bounds.upperBound)", old: was.line, new: now.line, effect: .inconclusive)
            return
        }
        let ratio = MedianRatio(old: was.samples, new: now.samples, seed: seed(name, was, now))
        guard ratio.isKnown else {
            findings.add(
                .performance, .samples, name, "\(name) has samples of 0, which have no ratio", old: was.line,
                new: now.line, effect: .inconclusive)
            return
        }
        let isWorse = ratio.lower > 1 + rules.performanceTolerance
        let isBetter = ratio.upper < 1 / (1 + rules.performanceTolerance)
        guard isWorse || isBetter, hasMoved(ratio, unit: now.unit) else { return }
        let unit = now.unit ?? ""
        findings.add(
            .performance, isWorse ? .slower : .faster, name,
            "the median of \(name) went from \(ratio.oldMedian.brief) to \(ratio.newMedian.brief) \(unit) "
                + "(ratio \(ratio.lower.brief) to \(ratio.upper.brief))",
            old: was.line, new: now.line, effect: isWorse || isControl ? .fails : .noted)
    }

    private func hasMoved(_ ratio: MedianRatio, unit: String?) -> Bool {
        let milliseconds: [String: Double] = ["ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3]
        guard let scale = unit.flatMap({ milliseconds[$0] }) else { return true }
        return abs(ratio.newMedian - ratio.oldMedian) * scale > Self.smallestMoveMilliseconds
    }

    /// From the input alone, so that one comparison gives one verdict on every machine. FNV-1a, 64 bits.
    private func seed(_ name: String, _ was: Metric, _ now: Metric) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in name.utf8 { mix(byte) }
        for sample in was.samples + now.samples {
            withUnsafeBytes(of: sample.bitPattern.littleEndian) { for byte in $0 { mix(byte) } }
        }
        return hash ^ UInt64(bitPattern: old.header?.seed ?? 0)
    }
}

extension Double {
    /// The number with three decimals at most.
    var brief: String { abs(self) < 1e12 ? ((self * 1_000).rounded() / 1_000).description : description }
}

// All of them, or those whose names are given: Benchmarks evaluation service
let benchmarks: [(name: String, run: () -> Void)] = [
    ("evaluation", evaluationBenchmarks),
    ("peers", evaluationPeerBenchmarks),
    ("requests", requestBenchmarks),
    ("interlocking", interlockingBenchmarks),
    ("digest", digestBenchmarks),
    ("http", httpBenchmarks),
    ("pins", pinBenchmarks),
    ("service", serviceBenchmarks),
    ("streams", streamBenchmarks),
    ("ofrep", peerBenchmarks),
]
let wanted = CommandLine.arguments.dropFirst()
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) { benchmark.run() }

evaluationBenchmarks()

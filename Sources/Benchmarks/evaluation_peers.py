"""Times the peers of the evaluator on a flag and a context from standard input: nanoseconds a call, medians of rounds."""
import json
import logging
import statistics
import sys
import time

import datalogic_py
from openfeature.contrib.tools.flagd.core import FlagdCore
from openfeature.evaluation_context import EvaluationContext

logging.disable(logging.CRITICAL)
given = json.load(sys.stdin)


def median(call, calls, rounds=9):
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        for _ in range(calls):
            call()
        times.append((time.process_time_ns() - start) / calls)
    return statistics.median(times)


rule = datalogic_py.Engine().compile(json.dumps(given["flag"]["targeting"]))
data = datalogic_py.DataHandle(json.dumps({**given["context"], "$flagd": {"flagKey": "peer"}}))
assert rule.evaluate_data(data) == given["variant"]
print("datalogic:", median(lambda: rule.evaluate_data(data), 100_000))

core = FlagdCore()
core.set_flags(json.dumps({"flags": {"peer": given["flag"]}}))
attributes = {name: value for name, value in given["context"].items() if name != "targetingKey"}
context = EvaluationContext(given["context"]["targetingKey"], attributes)
assert core.resolve_string_value("peer", "", context).variant == given["variant"]
print("flagd-core:", median(lambda: core.resolve_string_value("peer", "", context), 3_000))

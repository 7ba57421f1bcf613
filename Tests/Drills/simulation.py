"""Runs the seeded simulation of the service with many seeds: `swift test` runs it with 200.

SIGNALBOX_SEED=n swift test --filter 'A simulated service' repeats the run of one seed and prints what happened in it.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import swift_test  # noqa: E402

LINE = re.compile(r"^simulation: (\d+) seeds, (\d+) requests, (\d+) in doubt, (\d+) restarts, (\d+) failed in ", re.MULTILINE)

arguments = argparse.ArgumentParser()
arguments.add_argument("--seeds", type=int, default=10_000)
seeds = arguments.parse_args().seeds

output, code = swift_test.run("keeps its promises under faults", SIGNALBOX_SEEDS=str(seeds))
for line in output.splitlines():
    if line.startswith(("SIGNALBOX_SEED=", "    ", "simulation: ")):
        print(line)
found = LINE.search(output)
if found:
    ran, requests, in_doubt, restarts, failed = map(int, found.groups())
    print("FIGURES " + json.dumps({
        "drill": "simulation", "cycles": ran, "acknowledged": requests - in_doubt, "lost": failed, "in_doubt": in_doubt,
        "note": f"cycles are seeds, lost are seeds that broke a promise; {restarts} restarts"}))
    print(f"{ran - failed} passed, {failed} failed, 0 skipped")
else:
    print(output[-4000:])
    print("0 passed, 1 failed, 0 skipped")
raise SystemExit(code)

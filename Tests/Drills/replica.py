"""Runs random commands with crashes between them, beside a replica that follows the audit: `swift test` runs fewer.

SIGNALBOX_SEED=n SIGNALBOX_COMMANDS=10000 swift test --filter 'A replica' repeats the run of one seed.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import swift_test  # noqa: E402

LINE = re.compile(
    r"^replica: (\d+) seeds, (\d+) commands, (\d+) refused, (\d+) entries, (\d+) restarts, (\d+) revisions, "
    r"(\d+) walks, (\d+) failed in ", re.MULTILINE)

arguments = argparse.ArgumentParser()
arguments.add_argument("--commands", type=int, default=10_000)
commands = arguments.parse_args().commands

output, code = swift_test.run("follows the audit", SIGNALBOX_COMMANDS=str(commands))
found = LINE.search(output)
if found:
    print(found[0])
    seeds, asked, refused, entries, restarts, revisions, walks, failed = map(int, found.groups())
    print("FIGURES " + json.dumps({
        "drill": "replica", "cycles": restarts, "acknowledged": entries, "lost": failed,
        "note": f"cycles are crashes, lost are seeds at which the audit told something else; {asked} commands, "
                f"{revisions} revisions compared forward and backward, {walks} asked of the service"}))
if not found or code != 0:
    print(output[-4000:])
    failed = max(1, failed if found else 1)
    seeds = max(failed, seeds if found else 1)
print(f"{seeds - failed} passed, {failed} failed, 0 skipped")
raise SystemExit(code)

#!/usr/bin/env python3
"""The power goes while clients write: nothing that was acknowledged is lost.

An ext4 file system in a file is shut down by an ioctl, so that everything that was not synced is gone; then it is mounted
again. The control does the same with a server whose log is not synced at a commit (synchronous=NORMAL): it must lose.
power_cut.py [--cycles N] [--control N]
"""
import argparse
import random
import threading
import time

from faults import Connection, Checks, SpoiledService, Workspace, audit_entries, build_shim, figures, flip, prepared
from faults import start_journey
from mounts import LoopDisk, reason_without, served_from

parser = argparse.ArgumentParser()
parser.add_argument("--cycles", type=int, default=5)
parser.add_argument("--control", type=int, default=2)
parser.add_argument("--clients", type=int, default=6)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
options = parser.parse_args()
randomness = random.Random(options.seed)


class Load:
    """Clients until told to stop, and what was acknowledged to them."""

    def __init__(self, service):
        self.service, self.stopped = service, threading.Event()
        self.pins, self.revisions, self.asked, self.answered = [], [], 0, 0
        self.threads = [threading.Thread(target=self.client, args=(n,)) for n in range(options.clients)]
        for thread in self.threads:
            thread.start()

    def client(self, number):
        try:
            with Connection(self.service) as connection:
                turn = 0
                while not self.stopped.is_set():
                    self.asked += 1
                    if number == 0:
                        status, answer = flip(connection, turn)
                        if status == 200 and answer["changed"]:
                            self.revisions.append((time.monotonic(), answer["revision"]))
                    else:
                        identity, status, answer = start_journey(connection, f"u-{number}-{turn}")
                        if status in (200, 201) and answer["pinned"]:
                            self.pins.append((time.monotonic(), identity, answer["choices"]))
                    self.answered += 1
                    turn += 1
        except OSError:
            pass  # killed with a request under way

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def acknowledged(self, cut_at):
        """What was acknowledged before the power went: pins, revisions, and the number of later acknowledgements.

        A power cut ends the server as well. Here it lives on for a moment, and a sync that is under way while the
        kernel shuts the file system down may be reported as done although its journal never was.
        """
        pins = {identity: choices for at, identity, choices in self.pins if at < cut_at}
        revisions = [revision for at, revision in self.revisions if at < cut_at]
        return pins, revisions, len(self.pins) + len(self.revisions) - len(pins) - len(revisions)


def cycles(count, disk, service, is_control):
    """Cuts the power that often; gives what was acknowledged, lost and in doubt, and the times to ready."""
    sums = {"acknowledged": 0, "lost": 0, "in doubt": 0, "broken": 0}
    ready = []
    for _ in range(count):
        service.skips_syncs = int(is_control)
        service.start()
        load = Load(service)
        time.sleep(randomness.uniform(0.15, 0.6))
        cut_at = time.monotonic()
        disk.cut_power()
        time.sleep(0.02)
        service.kill()
        load.stop()
        pins, acknowledged, late = load.acknowledged(cut_at)
        disk.unmount()
        disk.mount()
        service.clear()
        try:
            service.start()
        except (RuntimeError, AssertionError):
            sums["broken"] += 1  # what a control may come to, and nothing else
            sums["lost"] += len(pins) + len(acknowledged)
            return sums, ready
        ready.append(service.ready_seconds)
        with Connection(service) as connection:
            revisions = [entry["revision"] for entry in audit_entries(connection)]
            lost = len(set(acknowledged) - set(revisions))
            for identity, choices in pins.items():
                status, answer = connection.call("GET", f"/v1/journeys/{identity}")
                lost += status != 200 or answer["choices"] != choices
        sums["broken"] += revisions != list(range(1, len(revisions) + 1)) or service.run("audit", "verify")[0] != 0
        sums["lost"] += lost
        sums["acknowledged"] += len(pins) + len(acknowledged)
        sums["in doubt"] += load.asked - load.answered + late
        service.stop()
    return sums, ready


with Workspace("cut") as directory:
    checks = Checks()
    shim = build_shim(directory)
    (directory / "probe").mkdir()
    missing = reason_without(directory / "probe") or (None if shim else "no C compiler here")
    if missing:
        checks.skip("the power cut drill", missing)
        checks.finish()
    print(f"seed {options.seed}")
    data = prepared(directory)
    results = {}
    for name, count, is_control in (("power cut", options.cycles, False), ("control", options.control, True)):
        (directory / name).mkdir()
        with LoopDisk(directory / name) as disk:
            home = served_from(disk, data, directory / name / "service")
            service = SpoiledService(home, shim)
            results[name] = cycles(count, disk, service, is_control)
    sums, ready = results["power cut"]
    control = results["control"][0]
    ready.sort()
    figures("power cut", cycles=options.cycles, acknowledged=sums["acknowledged"], lost=sums["lost"],
            in_doubt=sums["in doubt"], p99_ms=round(ready[int(len(ready) * 0.99)] * 1000) if ready else None,
            note=f"control without syncs lost {control['lost']} in {options.control}")
    checks.check("the load was real", sums["acknowledged"] > 20 * options.cycles, sums)
    checks.check("nothing that was acknowledged is lost", sums["lost"] == 0, sums)
    checks.check("revisions have no gap and the audit verifies", sums["broken"] == 0, sums)
    checks.check("without the sync of a commit it is lost", control["lost"] > 0, control)
    checks.finish()

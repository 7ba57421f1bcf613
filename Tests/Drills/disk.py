#!/usr/bin/env python3
"""The disk fails at the n-th write or sync, is full, or turns read-only, while clients write.

Whatever happens, what was acknowledged is there afterwards, flags are evaluated, changes and pins get their stable codes, a
full disk recovers by itself and a failed sync stays read-only until a restart. A small shim makes the calls fail; the
control acknowledges although the syncs are only pretended, so it does not notice a failing sync and must not stop.
disk.py [--calls N] [--every M]   calls 1, 1 + M, … up to N
"""
import argparse
import errno
import subprocess

from faults import NAMES, SYNCS, WRITES, Checks, Connection, SpoiledService, Workspace, audit_entries, build_shim, copy_of
from faults import evaluates, figures, flip, prepared, start_journey
from mounts import LoopDisk, reason_without, served_from

parser = argparse.ArgumentParser()
parser.add_argument("--calls", type=int, default=500)
parser.add_argument("--every", type=int, default=83)
options = parser.parse_args()

# What an administrator may be told while the store does not write.
CODES = {(503, "outcome_unknown"), (503, "store_writes_stopped"), (507, "store_disk_full"), (503, "store_read_only")}
sums = {"cycles": 0, "acknowledged": 0, "lost": 0, "unpinned": 0, "refused": 0, "not started": 0, "not hit": 0,
        "evaluations": 0, "in doubt": 0}
wrong = []


class Work:
    """One client: pins and changes in turn, an evaluation beside each, and what was acknowledged."""

    def __init__(self, service, label):
        self.service, self.label = service, label
        self.pins, self.revisions, self.turn = {}, [], 0

    def step(self, connection):
        """One request. Gives whether it was stored."""
        self.turn += 1
        sums["evaluations"] += 1
        if not evaluates(connection):
            wrong.append(f"{self.label}: a flag was not evaluated")
        if self.turn % 4 == 0:
            status, answer = flip(connection, self.turn // 4 - 1)
            if status == 200:
                self.revisions += [answer["revision"]] * answer["changed"]
                return True
            code = answer["error"]["code"]
            sums["refused"] += 1
            sums["in doubt"] += code == "outcome_unknown"
            # A change whose outcome is unknown may make the next one illegal: that is an answer of a rule.
            if (status, code) not in CODES and code != "illegal_move":
                wrong.append(f"{self.label}: a change was answered {status} {code}")
            return False
        identity, status, answer = start_journey(connection, f"u-{self.turn}")
        if status not in (200, 201):
            wrong.append(f"{self.label}: a journey was answered {status} {answer}")
            return False
        if answer["pinned"]:
            self.pins[identity] = answer["choices"]
        else:
            sums["unpinned"] += 1
        return answer["pinned"]

    def run(self, connection, steps):
        return [self.step(connection) for _ in range(steps)]

    def verify(self):
        """Starts the server without faults and looks for everything."""
        self.service.start()
        with Connection(self.service) as connection:
            for identity, choices in self.pins.items():
                status, answer = connection.call("GET", f"/v1/journeys/{identity}")
                sums["lost"] += status != 200 or answer["choices"] != choices
            revisions = [entry["revision"] for entry in audit_entries(connection)]
            sums["lost"] += len(set(self.revisions) - set(revisions))
            if revisions != list(range(1, len(revisions) + 1)):
                wrong.append(f"{self.label}: revisions have a gap")
            if not all(self.run(connection, 3)):
                wrong.append(f"{self.label}: nothing is stored after the restart")
        code, output = self.service.run("audit", "verify")
        if code != 0:
            wrong.append(f"{self.label}: {output}")
        self.service.stop()
        sums["acknowledged"] += len(self.pins) + len(self.revisions)
        sums["cycles"] += 1


def is_ready(service):
    status, answer = service.call("GET", "/readyz")
    return status == 200, answer["store"]


def failing_call(directory, shim, data, number, error, kinds):
    """The n-th call fails: once for EIO, from then on for a full disk."""
    label = f"{NAMES.get(error, error)} at call {number}"
    service = SpoiledService(copy_of(data, directory / "cycle"), shim)
    service.counts, service.failing_call, service.error = kinds, number, error
    service.is_lasting = int(error == errno.ENOSPC)
    work = Work(service, label)
    try:
        service.start()
    except (RuntimeError, AssertionError):
        sums["not started"] += 1
        if service.process.poll() is None:
            service.kill()  # it serves, and says that it is not ready
        elif service.process.returncode != 69:
            wrong.append(f"{label}: ended with {service.process.returncode} instead of starting")
    else:
        with Connection(service) as connection:
            for _ in range(60):
                work.run(connection, 4)
                if service.failures:
                    break
            work.run(connection, 8)
            ready, store = is_ready(service)
            sums["not hit"] += service.failures == 0
            service.failing_call = 0
            if error == errno.ENOSPC and store in ("ok", "store_disk_full"):
                if not all(work.run(connection, 8)) and kinds == WRITES:
                    wrong.append(f"{label}: there is room again and nothing is stored")
            elif not ready and any(work.run(connection, 8)):
                wrong.append(f"{label}: something is stored although writing has stopped")
        service.kill()
    service.clear()
    work.verify()


def full_disk(directory, data):
    """A real disk that fills up and is emptied again while the server runs."""
    with LoopDisk(directory, megabytes=24) as disk:
        service = SpoiledService(served_from(disk, data, directory / "service"), shim)
        service.start()
        work = Work(service, "full disk")
        with Connection(service) as connection:
            stored = all(work.run(connection, 40))
            subprocess.run(["dd", "if=/dev/zero", f"of={disk.path}/ballast", "bs=64k"], capture_output=True)
            subprocess.run(["dd", "if=/dev/zero", f"of={disk.path}/ballast2", "bs=1k"], capture_output=True)
            refused = not all(work.run(connection, 600))
            (disk.path / "ballast").unlink()
            (disk.path / "ballast2").unlink()
            recovered = all(work.run(connection, 40))
        checks.check("a full disk stops pins and changes, and room lets them go on without a restart",
                     stored and refused and recovered, (stored, refused, recovered))
        service.kill()
        work.verify()


def read_only(directory, data):
    """A real disk that turns read-only while the server runs, and one that is so at the start."""
    with LoopDisk(directory, megabytes=24) as disk:
        service = SpoiledService(served_from(disk, data, directory / "service"), shim)
        service.start()
        work = Work(service, "read-only disk")
        with Connection(service) as connection:
            stored = all(work.run(connection, 40))
            disk.turn_read_only()
            work.run(connection, 12)
            ready, store = is_ready(service)
        service.kill()
        checks.check("a disk that turns read-only stops pins and changes, and flags are evaluated",
                     stored and not ready and store in ("store_writes_stopped", "store_read_only"), (stored, store))
        try:
            service.start()
            started = True
            service.kill()
        except RuntimeError as error:
            started = str(error)
        checks.check("a read-only disk is refused at the start, by name",
                     started is not True and "signalbox: store_" in started, started)
        disk.unmount()
        disk.mount()
        work.verify()


with Workspace("disk", fast=True) as directory:
    checks = Checks()
    shim = build_shim(directory)
    if shim is None:
        checks.skip("the drill of a failing disk", "no C compiler here")
        checks.finish()
    data = prepared(directory)
    for error, kinds in ((errno.EIO, WRITES | SYNCS), (errno.ENOSPC, WRITES), (errno.EIO, SYNCS)):
        # A round of requests has three writes to one sync.
        last, step = (options.calls, options.every) if kinds & WRITES else (options.calls // 3, max(options.every, 3))
        for number in range(1, last + 1, step):
            failing_call(directory, shim, data, number, error, kinds)
    cycles = sums["cycles"]

    # The protection taken out: syncs that are not made cannot fail, and nothing stops.
    service = SpoiledService(copy_of(data, directory / "cycle"), shim)
    service.start()
    service.counts, service.failing_call, service.error = SYNCS, 1, errno.EIO
    with Connection(service) as connection:
        noticed = not all(Work(service, "sync").run(connection, 8)) and not is_ready(service)[0]
        service.kill()
    service.clear()
    service.start()
    service.skips_syncs = 1
    with Connection(service) as connection:
        unnoticed = all(Work(service, "control").run(connection, 8)) and is_ready(service)[0]
    service.kill()
    checks.check("a failed sync stops the writing; without syncs nothing would", noticed and unnoticed, (noticed, unnoticed))

    (directory / "probe").mkdir()
    missing = reason_without(directory / "probe")
    if missing:
        checks.skip("a full and a read-only disk", missing)
    else:
        for name, drill in (("full", full_disk), ("read-only", read_only)):
            (directory / name).mkdir()
            drill(directory / name, data)
    figures("failing disk", cycles=sums["cycles"], acknowledged=sums["acknowledged"], lost=sums["lost"],
            in_doubt=sums["in doubt"], note=f"{sums['evaluations']} evaluations, {sums['unpinned']} journeys answered "
            f"unpinned, {sums['refused']} changes refused, {sums['not started']} refused to start")
    checks.check("the faults happened", sums["not hit"] == 0 and sums["unpinned"] > cycles, sums)
    checks.check("nothing that was acknowledged is lost", sums["lost"] == 0 and sums["acknowledged"] > cycles, sums)
    checks.check("flags are evaluated and every answer has its code", not wrong, wrong[:5])
    checks.finish()

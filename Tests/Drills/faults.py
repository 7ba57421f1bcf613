"""A server whose disk and clock a drill can spoil: builds shim.c, loads it into the server and steers it."""
import errno
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import PROGRAM, Checks, Connection, Service, figures, journey_id  # noqa: E402,F401

FIELDS = ["calls", "failing_call", "error", "is_lasting", "failures", "skips_syncs", "clock_offset", "frozen_at",
          "tick", "counts"]
WRITES, SYNCS = 1, 2
KILL = -1


def build_shim(directory):
    """Compiles the shim; None where there is no C compiler."""
    library = pathlib.Path(directory) / "shim.so"
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = pathlib.Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class SpoiledService(Service):
    """A server with the shim in it. Every field of the shim's control is an attribute: service.tick = 1000."""

    def __init__(self, directory, library):
        path = pathlib.Path(directory) / "control"
        path.write_bytes(bytes(8 * len(FIELDS)))
        with open(path, "r+b") as file:
            object.__setattr__(self, "control", mmap.mmap(file.fileno(), 8 * len(FIELDS)))
        super().__init__(directory)
        self.environment = {"LD_PRELOAD": str(library), "SHIM_CONTROL": str(path)}

    def __setattr__(self, name, value):
        if name in FIELDS:
            struct.pack_into("q", self.control, 8 * FIELDS.index(name), value)
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name in FIELDS:
            return struct.unpack_from("q", self.control, 8 * FIELDS.index(name))[0]
        raise AttributeError(name)

    def clear(self):
        """No fault, and the real time."""
        for field in FIELDS:
            setattr(self, field, 0)


def prepared(directory):
    """A data directory with the sample and a route in partial rollout, to be copied for every cycle."""
    service = Service(directory).start()
    service.sample()
    service.roll_out()
    assert service.stop() == 0
    return pathlib.Path(directory) / "data"


def copy_of(data, directory):
    """A fresh copy of a data directory under another folder."""
    target = pathlib.Path(directory)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copytree(data, target / "data", ignore=shutil.ignore_patterns("*.lock", "backups"))
    (target / "data").chmod(0o700)
    return target


def start_journey(connection, unit="u-1"):
    """Starts a journey; gives its id, the status and the answer."""
    identity = journey_id()
    status, answer = connection.call(
        "POST", "/v1/journeys", {"id": identity, "flow": "trips", "unit": unit, "build": "app:730"})
    return identity, status, answer


def flip(connection, number):
    """Moves the route down or up again."""
    verb, extra = (("rollback", {}), ("resume", {"cause": "drill"}))[number % 2]
    return connection.call("POST", f"/v1/routes/trips.edit/{verb}", {"reason": "drill", **extra})


def evaluates(connection):
    """Whether a flag is evaluated as it should be."""
    status, answer = connection.call(
        "POST", "/ofrep/v1/evaluate/flags/new-search", {"context": {"targetingKey": "u-1", "build": "app:730"}})
    return status == 200 and "value" in answer


def audit_entries(connection):
    entries, after = [], 0
    while True:
        page = connection.call("GET", f"/v1/audit?after={after}&limit=1000")[1]["entries"]
        if not page:
            return entries
        entries += page
        after = page[-1]["sequence"]


NAMES = {errno.EIO: "EIO", errno.ENOSPC: "ENOSPC"}


class Workspace:
    """A temporary directory for a drill; under /dev/shm when `fast`, because a drill of faults need not be slow too."""

    def __init__(self, name, fast=False):
        parent = "/dev/shm" if fast and os.access("/dev/shm", os.W_OK) else None
        self.directory = tempfile.TemporaryDirectory(prefix=f"signalbox-{name}-", dir=parent)

    def __enter__(self):
        return pathlib.Path(self.directory.__enter__())

    def __exit__(self, *error):
        return self.directory.__exit__(*error)

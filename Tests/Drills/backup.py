#!/usr/bin/env python3
"""A backup while pins are written, and its restore.

Clients start journeys at a steady rate while copies are made; the log must stay bounded meanwhile and be given back after.
Every pin that was acknowledged before a copy began must be in it. Then the copy is restored and served; the time until
that is ready is the figure.  backup.py [--pins N] [--rate N] [--seconds N]
"""
import argparse
import json
import shutil
import sqlite3
import threading
import time
import uuid

from faults import Checks, Connection, Service, Workspace, copy_of, figures, flip, prepared, start_journey

parser = argparse.ArgumentParser()
parser.add_argument("--pins", type=int, default=20_000, help="pins that are there before")
parser.add_argument("--rate", type=int, default=400, help="pins a second while the copy is made")
parser.add_argument("--seconds", type=float, default=2)
options = parser.parse_args()
CLIENTS = 8
MASK = (1 << 64) - 1


def checksum(parts):
    """RowChecksum.swift in Python."""
    value = 0xCBF29CE484222325
    for part in parts:
        if isinstance(part, int):
            words = [part & MASK]
        else:
            full = len(part) & ~7
            words = [len(part)] + [int.from_bytes(part[i:i + 8], "little") for i in range(0, full, 8)]
            words.append(int.from_bytes(part[full:], "big"))
        for word in words:
            value = ((value ^ word) * 0x100000001B3) & MASK
            value ^= value >> 32
    return value - (1 << 64) if value >> 63 else value


def fill(path, count):
    """Adds pins past the server, as it would have stored them."""
    database = sqlite3.connect(path)
    environment, = database.execute("SELECT id FROM environments").fetchone()
    now = int(time.time() * 1000)
    choices = b"trips.detail=legacy/stage;trips.edit=legacy/share"

    def rows():
        for number in range(count):
            value = ((now - 3_600_000 + number // 1000) << 80) | (7 << 76) | (2 << 62) | number
            identity = uuid.UUID(int=value).bytes
            unit = b"unit-%d" % number
            row = (1, b"trips", unit, b"app", 730, 0, 0, 1, 1, now, now + 86_400_000, choices)
            sum_ = checksum((value >> 64, value & MASK) + row)
            yield (environment, identity, 1, "trips", unit.decode(), "app", 730, None, 1, 1, now, now + 86_400_000,
                   choices.decode(), sum_)

    with database:
        database.executemany(
            "INSERT INTO journey_segments (environment, journey, segment, flow, unit, app, build_number, parent, epoch,"
            " revision, started_at, expires_at, choices, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
        database.execute("UPDATE environments SET pins_stored = pins_stored + ?", (count,))
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


class Writers:
    """Clients that start journeys at a rate, and how long each took."""

    def __init__(self, service):
        self.service, self.stopped = service, threading.Event()
        self.pins, self.times, self.unpinned = {}, [], 0
        self.threads = [threading.Thread(target=self.client, args=(n,)) for n in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def client(self, number):
        with Connection(self.service) as connection:
            due = time.monotonic()
            while not self.stopped.is_set():
                due += CLIENTS / options.rate
                time.sleep(max(0, due - time.monotonic()))
                began = time.monotonic()
                identity, status, answer = start_journey(connection, f"w-{number}")
                self.times.append((began, time.monotonic() - began))
                if status in (200, 201) and answer["pinned"]:
                    self.pins[identity] = answer["choices"]
                else:
                    self.unpinned += 1

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def p99(times):
    times = sorted(times)
    return round(times[int(len(times) * 0.99)] * 1000, 1) if times else 0


with Workspace("backup") as directory:
    checks = Checks()
    data = prepared(directory)
    home = copy_of(data, directory / "home")
    fill(home / "data/signalbox.db", options.pins)
    service = Service(home).start()
    log = home / "data/signalbox.db-wal"
    writers = Writers(service)
    largest, watching = 0, threading.Event()

    def watch():
        global largest
        while not watching.is_set():
            largest = max(largest, log.stat().st_size if log.exists() else 0)
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    time.sleep(options.seconds)
    before = dict(writers.pins)
    began = time.monotonic()
    code, output = service.run("backup", "drill.db", "--json", "--timeout", "300")
    took = time.monotonic() - began
    checks.check("a backup is made while pins are written", code == 0, output)
    copy = home / "data/backups/drill.db"
    time.sleep(options.seconds)
    with Connection(service) as connection:
        checks.check("changes go on as well", flip(connection, 0)[0] == 200)
    writers.stop()
    watching.set()
    watcher.join()
    during = [took_ for at, took_ in writers.times if began <= at <= began + took]
    quiet = [took_ for at, took_ in writers.times if at < began]
    checks.check("every journey was pinned meanwhile", writers.unpinned == 0, writers.unpinned)
    rate = round(len(writers.pins) / (writers.times[-1][0] - writers.times[0][0]))
    with Connection(service) as connection:
        for _ in range(1200):
            start_journey(connection)
    after = log.stat().st_size
    checks.check("the log stays bounded and is given back", largest < 64 << 20 and after <= 16 << 20, (largest, after))
    code, output = service.run("backup", "drill.db")
    checks.check("a copy never takes the place of another", code == 1 and "store_exists" in output, output)
    service.stop()

    restored = directory / "restored"
    restored.mkdir()
    began = time.monotonic()
    code, output = service.run("restore", copy, "--data", restored / "data", "--json")
    checks.check("the copy is restored", code == 0, output)
    again = Service(restored)
    again.start()
    ready = time.monotonic() - began
    shutil.copy2(home / "data/admin.key", restored / "data/admin.key")
    report = json.loads(output)
    checks.check("to serving in 60 s", ready < 60, ready)
    with Connection(again) as connection:
        lost = 0
        for identity, choices in before.items():
            status, answer = connection.call("GET", f"/v1/journeys/{identity}")
            lost += status != 200 or answer["choices"] != choices or not answer["pinned"]
        epoch = connection.call("GET", "/readyz")[1]["epoch"]
    figures("backup and restore", cycles=1, acknowledged=len(before), lost=lost, p99_ms=p99(during), bytes=copy.stat().st_size,
            note=f"{report['pins']} pins copied in {took:.1f} s at {rate} pins/s (p99 {p99(quiet)} ms before), served "
            f"{ready:.1f} s after the restore began, log at most {largest >> 20} MB, then {after >> 20} MB")
    checks.check("every pin from before the copy is in it", lost == 0 and report["pins"] >= options.pins + len(before),
                 (lost, report["pins"]))
    checks.check("the epoch is a later one", epoch > 1_600_000_000_000, epoch)
    checks.check("the audit verifies", again.run("audit", "verify")[0] == 0)
    again.stop()
    code, output = service.run("doctor", "--data", restored / "data")
    checks.check("the doctor finds nothing broken", code in (0, 2) and " fault " not in output, output)

    # An artefact that is not what its hash says.
    forged = directory / "forged.db"
    shutil.copy2(copy, forged)
    database = sqlite3.connect(forged)
    with database:
        database.execute("INSERT INTO evidence_artefacts SELECT id, 'x', 1, x'62' FROM environments")
    database.close()
    code, output = service.run("restore", forged, "--data", directory / "other")
    checks.check("a copy with a forged artefact is refused", code == 1 and "evidence" in output, output)

    # The protection taken out: a damaged copy must be refused, not restored.
    content = bytearray(copy.read_bytes())
    position = content.rfind(b"trips.edit=legacy")
    content[position + 12] ^= 1
    copy.write_bytes(content)
    code, output = service.run("restore", copy, "--data", directory / "other")
    checks.check("a copy with one flipped bit is refused", code == 1 and not (directory / "other/signalbox.db").exists(), output)
    checks.finish()

#!/usr/bin/env python3
"""Single flipped bits in the log and in the main file: who notices, and what passes unseen.

A store is filled and killed (for the log) or closed (for the main file). For every flip a fresh copy is served and read
from end to end: configuration, audit and every pin are compared with what was written; then the doctor looks at it.
Nothing in configuration and audit may be wrong without being noticed. The control flips in a store without the sum of
its configuration, where it must go unseen.  bits.py [--flips N]
"""
import argparse
import collections
import json
import random
import shutil
import sqlite3

from faults import Checks, Connection, Service, Workspace, audit_entries, copy_of, figures, flip, prepared, start_journey

parser = argparse.ArgumentParser()
parser.add_argument("--flips", type=int, default=12)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
options = parser.parse_args()
randomness = random.Random(options.seed)
print(f"seed {options.seed}")
PINS = 120


def configuration(connection):
    """All that an administrator sees, as text."""
    paths = ["/v1/flows", "/v1/routes", "/v1/flags", "/v1/cohorts", "/v1/builds", "/v1/keys"]
    return json.dumps([connection.call("GET", path)[1] for path in paths], sort_keys=True)


def examine(home, truth):
    """Who noticed, and what was wrong without anybody noticing."""
    service = Service(home)
    noticed, silent = [], set()
    try:
        service.start()
    except RuntimeError as error:
        text = str(error)
        return ["start: " + (text.split("signalbox: ")[1].split(":")[0] if "signalbox: " in text else "crash")], silent
    except AssertionError:
        noticed.append("start: /readyz")
    try:
        with Connection(service) as connection:
            if service.run("audit", "verify")[0] != 0:
                noticed.append("audit verify")
            is_known = bool(noticed)
            if configuration(connection) != truth["configuration"] and not is_known:
                silent.add("configuration")
            try:
                audit = json.dumps(audit_entries(connection))
            except KeyError:  # an error instead of entries
                noticed.append("reading the audit")
            else:
                if audit != truth["audit"] and not is_known:
                    silent.add("audit")
            damaged = missing = other = 0
            for identity, choices in truth["pins"].items():
                status, answer = connection.call("GET", f"/v1/journeys/{identity}")
                damaged += status == 503
                missing += status == 404
                other += status == 200 and answer["choices"] != choices
            if damaged:
                noticed.append("row checksum")
            if other:
                silent.add("choices")
            if missing and not is_known:
                silent.add("missing pins")
    except OSError:
        noticed.append("crash")
    service.stop()
    code, output = service.run("doctor", "--data", home / "data")
    if code == 1:
        noticed.append("doctor: " + next(line.split()[0] for line in output.splitlines() if " fault " in line))
        silent.discard("missing pins")
    return noticed, silent


def flipped(source, directory, name, position):
    home = copy_of(source, directory / "flip")
    path = home / "data" / name
    content = bytearray(path.read_bytes())
    content[position // 8] ^= 1 << (position % 8)
    path.write_bytes(content)
    return home


def drill(directory, source, name, truth):
    size = (source / name).stat().st_size * 8
    by, silent, unharmed = collections.Counter(), collections.Counter(), 0
    for _ in range(options.flips):
        noticed, unseen = examine(flipped(source, directory, name, randomness.randrange(size)), truth)
        by[noticed[0] if noticed else "nobody"] += 1
        silent.update(unseen)
        unharmed += not noticed and not unseen
    kind = "log" if name.endswith("-wal") else "main file"
    detail = ", ".join(f"{who} {number}" for who, number in by.most_common() if who != "nobody")
    figures(f"bits of the {kind}", cycles=options.flips, lost=sum(silent.values()),
            note=f"{options.flips - by['nobody']} noticed ({detail}), {unharmed} without effect, silent {dict(silent)}")
    checks.check(f"no flip in the {kind} changes configuration or audit unseen",
                 not silent["configuration"] and not silent["audit"], silent)
    checks.check(f"no flip in the {kind} changes a choice unseen", not silent["choices"], silent)
    return by, silent


with Workspace("bits", fast=True) as directory:
    checks = Checks()
    data = prepared(directory)
    home = copy_of(data, directory / "filled")
    service = Service(home).start()
    truth = {"pins": {}}
    with Connection(service) as connection:
        for number in range(PINS):
            identity, _, answer = start_journey(connection, f"u-{number}")
            truth["pins"][identity] = answer["choices"]
            if number % 20 == 0:
                flip(connection, number // 20)
            if number % 3 == 0:
                connection.call("POST", f"/v1/journeys/{identity}/outcome", {"status": "completed"})
        truth["configuration"] = configuration(connection)
        truth["audit"] = json.dumps(audit_entries(connection))
    service.kill()
    killed = directory / "killed"
    shutil.copytree(home / "data", killed, ignore=shutil.ignore_patterns("*.lock", "*-shm"))
    service.start()
    service.stop()
    closed = directory / "closed"
    shutil.copytree(home / "data", closed, ignore=shutil.ignore_patterns("*.lock", "*-shm", "*-wal"))

    by, _ = drill(directory, killed, "signalbox.db-wal", truth)
    checks.check("every flip in the log that matters is noticed at the start",
                 sum(by.values()) - by["nobody"] == sum(n for who, n in by.items() if who.startswith("start")), by)
    drill(directory, closed, "signalbox.db", truth)

    # The protection taken out: a row is changed, and the sum of the configuration with it.
    home = copy_of(closed, directory / "control")
    connection = sqlite3.connect(home / "data/signalbox.db")
    connection.execute("UPDATE flags SET document = replace(document, 'ENABLED', 'DISABLED')")
    connection.execute("UPDATE environments SET configuration_sum = NULL")
    connection.commit()
    connection.close()
    noticed, silent = examine(home, truth)
    checks.check("without the sum of the configuration a change of it is not seen", silent == {"configuration"},
                 (noticed, silent))

    # The protection taken out: the log is cut where a flipped bit would have ended it for SQLite.
    home = copy_of(killed, directory / "control")
    (home / "data/anchor.json").unlink()
    path = home / "data/signalbox.db-wal"
    path.write_bytes(path.read_bytes()[:32 + 4120 * 20])
    noticed, silent = examine(home, truth)
    checks.check("without scan and anchor commits are lost without a word",
                 not noticed and "audit" in silent, (noticed, silent))
    checks.finish()

#!/usr/bin/env python3
"""Wrong clocks: an hour back, an hour ahead, 400 days ahead, standing still, 2038. Pins stay, revisions rise, nothing
expires in masses.

The server's time of day is moved while it runs and before it starts; sweeps come every second instead of every minute. The
control deletes as a confirmed sweep would, so it shows that the pins were there to be swept away.
"""
import sqlite3
import time

from faults import Checks, Connection, SpoiledService, Workspace, audit_entries, build_shim, copy_of, evaluates, figures, flip
from faults import journey_id, prepared

HOUR = 3_600_000
DAY = 24 * HOUR
CLOCKS = [("an hour back", -HOUR, 0), ("an hour ahead", HOUR, 0), ("400 days ahead", 400 * DAY, 0),
          ("standing still", 0, int(time.time() * 1000)), ("in 2038", 0, 2_147_483_648_000)]
PINS = 60


def journey(connection, identity, unit):
    return connection.call("POST", "/v1/journeys", {"id": identity, "flow": "trips", "unit": unit, "build": "app:730"})


def count(home):
    """Rows that are stored, read past the server."""
    connection = sqlite3.connect(f"file:{home}/data/signalbox.db?mode=ro", uri=True)
    try:
        return connection.execute("SELECT count(*) FROM journey_segments").fetchone()[0]
    finally:
        connection.close()


with Workspace("clock", fast=True) as directory:
    checks = Checks()
    shim = build_shim(directory)
    if shim is None:
        checks.skip("the drill of wrong clocks", "no C compiler here")
        checks.finish()
    data = prepared(directory)
    changed = lost = rows = revisions_seen = 0
    for name, offset, frozen in CLOCKS:
        home = copy_of(data, directory / "home")
        service = SpoiledService(home, shim)
        service.tick = 30
        service.start()
        pins = {}
        revisions = []
        with Connection(service) as connection:
            for number in range(PINS):
                identity = journey_id()
                pins[identity] = (f"u-{number}", journey(connection, identity, f"u-{number}")[1]["choices"])

            def look(when):
                global changed
                for identity, (unit, choices) in pins.items():
                    status, answer = journey(connection, identity, unit)
                    # A clock that is far off may say that the id is out of its window; it may never choose anew.
                    if status == 400 and answer["error"]["code"] == "journey_id_out_of_window":
                        continue
                    if status != 200 or answer["choices"] != choices or not answer["pinned"]:
                        changed += 1
                for number in range(2):
                    status, answer = flip(connection, number)
                    checks.check(f"a change is stored with the clock {name}, {when}", status == 200, answer)
                    revisions.append(answer.get("revision"))
                if not evaluates(connection):
                    changed += 1

            service.clock_offset, service.frozen_at = offset, frozen
            look("moved while it runs")
            time.sleep(0.8)  # sweeps come and go
        service.stop()
        service.start()
        with Connection(service) as connection:
            look("moved before it starts")
            time.sleep(0.8)
        service.stop()
        service.clear()
        service.start()
        with Connection(service) as connection:
            look("right again")
            for identity, (unit, choices) in pins.items():
                status, answer = connection.call("GET", f"/v1/journeys/{identity}")
                lost += status != 200 or answer["choices"] != choices
            entries = audit_entries(connection)
            inner = [entry["revision"] for entry in entries]
        checks.check(f"revisions rise without a gap with the clock {name}",
                     inner == list(range(1, len(inner) + 1)) and revisions == sorted(revisions), revisions)
        revisions_seen += len(revisions)
        service.stop()
        rows += count(home)
    figures("wrong clocks", cycles=len(CLOCKS), acknowledged=PINS * len(CLOCKS) + revisions_seen, lost=lost,
            note=f"{rows} of {PINS * len(CLOCKS)} pins are stored afterwards")
    checks.check("no pin was answered otherwise than before", changed == 0, changed)
    checks.check("no pin is gone once the clock is right", lost == 0 and rows == PINS * len(CLOCKS), (lost, rows))

    # The protection taken out: with no memory of the last sweep the time of day is believed.
    home = copy_of(data, directory / "home")
    service = SpoiledService(home, shim)
    service.start()
    with Connection(service) as connection:
        for number in range(PINS):
            journey(connection, journey_id(), f"u-{number}")
    service.stop()
    connection = sqlite3.connect(home / "data/signalbox.db")
    connection.execute("UPDATE environments SET swept_at = 9000000000000000")
    connection.commit()
    connection.close()
    service.tick, service.clock_offset = 30, 400 * DAY
    service.start()
    for _ in range(40):
        if count(home) == 0:
            break
        time.sleep(0.1)
    service.stop()
    checks.check("without that memory the sweep would have taken all of them", count(home) == 0, count(home))
    checks.finish()

#!/usr/bin/env python3
"""64 clients ask for the same journeys at once while the route flips: each journey has one answer. Then they all resume
some of them at once, after a crash: each gets one more segment, the same for all.

pin_race.py [--journeys N] [--clients N]
"""
import argparse
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import Checks, Connection, Service, figures, journey_id  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--journeys", type=int, default=1000)
parser.add_argument("--clients", type=int, default=64)
options = parser.parse_args()

with tempfile.TemporaryDirectory(prefix="signalbox-race-") as directory:
    checks = Checks()
    service = Service(directory).start()
    service.sample()
    service.roll_out()
    journeys = [(journey_id(), f"u-{n}") for n in range(options.journeys)]
    answers = [{} for _ in range(options.clients)]
    created = [0] * options.clients
    begin = threading.Barrier(options.clients + 1)
    racing = threading.Event()
    flips = []

    def client(number):
        with Connection(service) as connection:
            begin.wait()
            for identity, unit in journeys:
                status, answer = connection.call("POST", "/v1/journeys", {
                    "id": identity, "flow": "trips", "unit": unit, "build": "app:730",
                    "context": {"email": f"{unit}@example.com"}})
                answers[number][identity] = (answer["pinned"], answer["revision"], str(answer["choices"]))
                created[number] += status == 201

    def operator():
        with Connection(service) as connection:
            while racing.is_set():
                for verb, extra in (("rollback", {}), ("resume", {"cause": "race"})):
                    status, answer = connection.call(
                        "POST", f"/v1/routes/trips.edit/{verb}", {"reason": "race", **extra})
                    flips.append(status == 200 and answer["changed"])

    threads = [threading.Thread(target=client, args=(n,)) for n in range(options.clients)]
    for thread in threads:
        thread.start()
    racing.set()
    flipper = threading.Thread(target=operator)
    begin.wait()
    flipper.start()
    for thread in threads:
        thread.join()
    racing.clear()
    flipper.join()

    several = [identity for identity, _ in journeys if len({answer.get(identity) for answer in answers}) != 1]
    chosen = [answers[0][identity] for identity, _ in journeys]
    migrated = sum("migrated" in choices for _, _, choices in chosen)
    print(f"{options.clients} clients, {options.journeys} journeys, {sum(flips)} flips, {migrated} journeys with migrated")
    checks.check("each journey has one answer for all clients", not several, several[:3])
    checks.check("every answer was pinned", all(pinned for pinned, _, _ in chosen))
    checks.check("each journey was created once", sum(created) == options.journeys, sum(created))
    checks.check("the route flipped in between", sum(flips) > 1 and 0 < migrated < options.journeys,
                 f"{sum(flips)} flips, {migrated} migrated")
    figures("pin race", cycles=options.journeys, acknowledged=sum(created), lost=len(several),
            note=f"cycles are journeys that {options.clients} clients ask for at once, lost are those with two answers; "
                 f"{sum(flips)} flips")
    # Every client is the process after the one that died, and sends its resume twice, as after a lost answer.
    died = [(identity, unit) for identity, unit in journeys if "migrated" in answers[0][identity][2]][:100]
    resumed = [{} for _ in range(options.clients)]
    opened = [0] * options.clients
    start = threading.Barrier(options.clients)

    def resume(number):
        with Connection(service) as connection:
            start.wait()
            for identity, unit in died:
                body = {"attempt": journey_id(), "flow": "trips", "unit": unit, "build": "app:730",
                        "lastProcessDied": True, "context": {"email": f"{unit}@example.com"}}
                for _ in range(2):
                    status, answer = connection.call("POST", f"/v1/journeys/{identity}/resume", body)
                    opened[number] += status == 201
                    resumed[number].setdefault(identity, set()).add(
                        (answer.get("segment"), answer.get("pinned"), str(answer.get("choices"))))

    threads = [threading.Thread(target=resume, args=(n,)) for n in range(options.clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    several = [identity for identity, _ in died if len(set().union(*(told[identity] for told in resumed))) != 1]
    print(f"{len(died)} journeys resumed by {options.clients} clients at once, {sum(opened)} segments opened")
    checks.check("each resumed journey has one answer for all clients", died and not several, several[:3])
    checks.check("each got one segment more", sum(opened) == len(died), sum(opened))
    checks.check("that is legacy after the crash", all(
        segment == 2 and pinned and "crashLoopBreaker" in choices
        for told in resumed for answers_of in told.values() for segment, pinned, choices in answers_of))
    checks.check("the server ends cleanly when asked", service.stop() == 0)
    checks.finish()

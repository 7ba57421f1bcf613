#!/usr/bin/env python3
"""kill -9 under load, with an acknowledgement log kept by the clients.

Clients start journeys and an operator moves a route up and down, so that choices differ from one moment to the next, while the
server is killed again and again. After each restart the journeys whose answer never came are asked for again. Afterwards every acknowledged
journey must still have the choices that were acknowledged, every acknowledged change must be in the audit, and the
revisions must have no gap.  kill.py [--cycles N] [--clients N]
"""
import argparse
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import Checks, Connection, Service, figures, journey_id  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--cycles", type=int, default=8)
parser.add_argument("--clients", type=int, default=16)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
options = parser.parse_args()
randomness = random.Random(options.seed)
print(f"seed {options.seed}")


class Load:
    """Clients that go on until stopped, and remember what they were told."""

    def __init__(self, service):
        self.service = service
        self.stopped = threading.Event()
        self.acknowledged = {}   # journey id: choices
        self.asked = {}          # journey id: the body of its start
        self.outcomes = {}       # journey id: outcome status
        self.revisions = []      # acknowledged changes
        self.contradictions = []
        self.lock = threading.Lock()

    def client(self, number):
        while not self.stopped.is_set():
            try:
                with Connection(self.service) as connection:
                    while not self.stopped.is_set():
                        self.journey(connection, f"u-{number}-{randomness.randrange(1000)}")
            except (OSError, ValueError, KeyError):
                time.sleep(0.01)  # the server is down; a client comes back
            except Exception as error:  # http.client has many ways to say that the connection went away
                if type(error).__module__ != "http.client":
                    raise
                time.sleep(0.01)

    def journey(self, connection, unit):
        identity = journey_id()
        # A member of the cohort of the first step: migrated while the ladder decides, legacy while it is rolled back.
        body = {"id": identity, "flow": "trips", "unit": unit, "build": "app:730",
                "context": {"email": f"{unit}@example.com"}}
        self.asked[identity] = body
        status, answer = connection.call("POST", "/v1/journeys", body)
        if status not in (200, 201) or not answer["pinned"]:
            return
        with self.lock:
            self.acknowledged[identity] = answer["choices"]
        status, again = connection.call("POST", "/v1/journeys", body)
        if status in (200, 201) and again["choices"] != answer["choices"]:
            self.contradictions.append(identity)
        if randomness.random() < 0.3:
            status, ended = connection.call("POST", f"/v1/journeys/{identity}/outcome", {"status": "completed"})
            if status == 200:
                with self.lock:
                    self.outcomes[identity] = ended["outcome"]["status"]

    def doubtful(self):
        """Journeys whose answer never came."""
        with self.lock:
            return [identity for identity in list(self.asked) if identity not in self.acknowledged]

    def ask_again(self):
        """Asks for every journey in doubt, twice: whatever it was before, from now on it has one answer."""
        asked = 0
        with Connection(self.service) as connection:
            for identity in self.doubtful():
                answers = [connection.call("POST", "/v1/journeys", self.asked[identity])[1] for _ in range(2)]
                if not all(answer.get("pinned") for answer in answers):
                    continue
                if answers[0]["choices"] != answers[1]["choices"]:
                    self.contradictions.append(identity)
                with self.lock:
                    first = self.acknowledged.setdefault(identity, answers[0]["choices"])
                if first != answers[0]["choices"]:
                    self.contradictions.append(identity)
                asked += 1
        return asked

    def operator(self):
        while not self.stopped.is_set():
            try:
                with Connection(self.service) as connection:
                    while not self.stopped.is_set():
                        for verb, extra in (("rollback", {}), ("resume", {"cause": "drill"})):
                            status, answer = connection.call(
                                "POST", f"/v1/routes/trips.edit/{verb}", {"reason": "drill", **extra})
                            if status == 200 and answer["changed"]:
                                self.revisions.append(answer["revision"])
            except (OSError, ValueError, KeyError):
                time.sleep(0.01)
            except Exception as error:
                if type(error).__module__ != "http.client":
                    raise
                time.sleep(0.01)


with tempfile.TemporaryDirectory(prefix="signalbox-kill-") as directory:
    checks = Checks()
    service = Service(directory).start()
    service.sample()
    service.roll_out()
    load = Load(service)
    threads = [threading.Thread(target=load.client, args=(n,)) for n in range(options.clients)]
    threads.append(threading.Thread(target=load.operator))
    for thread in threads:
        thread.start()
    ready = []
    asked_again = 0
    try:
        for _ in range(options.cycles):
            time.sleep(randomness.uniform(0.3, 1.2))
            service.kill()
            service.start()
            ready.append(service.ready_seconds)
            asked_again += load.ask_again()
    finally:
        load.stopped.set()
        for thread in threads:
            thread.join()

    lost, changed = [], []
    with Connection(service) as connection:
        for identity, choices in load.acknowledged.items():
            status, answer = connection.call("GET", f"/v1/journeys/{identity}")
            if status != 200:
                lost.append(identity)
            elif answer["choices"] != choices or not answer["pinned"]:
                changed.append(identity)
            elif identity in load.outcomes and (answer["outcome"] or {}).get("status") != load.outcomes[identity]:
                lost.append(identity)
        entries, after = [], 0
        while True:
            page = connection.call("GET", f"/v1/audit?after={after}&limit=1000")[1]["entries"]
            if not page:
                break
            entries += page
            after = page[-1]["sequence"]
    revisions = [entry["revision"] for entry in entries]
    ready.sort()
    renderers = {choices["trips.edit"]["renderer"] for choices in load.acknowledged.values()}
    print(f"{options.cycles} kills, {len(load.acknowledged)} journeys, {len(load.outcomes)} outcomes and "
          f"{len(load.revisions)} changes acknowledged, {asked_again} journeys in doubt asked again, "
          f"{len(lost)} lost, "
          f"start to ready at most {ready[-1] * 1000:.0f} ms")
    figures("kill -9", cycles=options.cycles, acknowledged=len(load.acknowledged) + len(load.outcomes) + len(load.revisions),
            lost=len(lost) + len(set(load.revisions) - set(revisions)), in_doubt=asked_again,
            p99_ms=round(ready[int(len(ready) * 0.99)] * 1000), note="p99 is from start to ready")
    checks.check("the load was real", len(load.acknowledged) > 50 * options.cycles and load.revisions,
                 f"{len(load.acknowledged)} journeys, {len(load.revisions)} changes")
    checks.check("choices differed", renderers == {"legacy", "migrated"}, renderers)
    checks.check("no acknowledged journey or outcome is missing", not lost, lost[:3])
    checks.check("no journey has two answers", not changed and not load.contradictions,
                 changed[:3] + load.contradictions[:3])
    checks.check("every acknowledged change is in the audit", set(load.revisions) <= set(revisions),
                 sorted(set(load.revisions) - set(revisions))[:3])
    checks.check("revisions have no gap", revisions == list(range(1, len(revisions) + 1)), revisions[:5])
    code, output = service.run("audit", "verify")
    checks.check("the audit verifies", code == 0, output)
    checks.check("the server ends cleanly when asked", service.stop() == 0)
    checks.finish()

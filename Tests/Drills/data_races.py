#!/usr/bin/env python3
"""The server under load, built with the thread sanitizer: no two threads touch one thing without order.

data_races.py [--seconds N]

SQLite and libevent are not built so, and what they do inside is not seen; what our threads hand over to them is.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import service as services  # noqa: E402
from service import Checks, Connection, Service, figures, journey_id  # noqa: E402

RACE = """
import Glibc
nonisolated(unsafe) var value = 0
var threads = [pthread_t](repeating: 0, count: 2)
for index in threads.indices {
    pthread_create(&threads[index], nil, { _ in
        for _ in 0..<100_000 { value += 1 }
        return nil
    }, nil)
}
for thread in threads { pthread_join(thread, nil) }
"""


def control(directory):
    """Whether the sanitizer reports a race where there is one, on this machine."""
    source = directory / "race.swift"
    source.write_text(RACE)
    subprocess.run(["swiftc", "-g", "-sanitize=thread", source, "-o", directory / "race"], check=True)
    # The two threads may by chance run one after the other.
    return any("WARNING: ThreadSanitizer" in subprocess.run([directory / "race"], capture_output=True, text=True).stderr
               for _ in range(10))


def journeys(service, until, counts, number):
    with Connection(service) as connection:
        while time.monotonic() < until:
            identity = journey_id()
            unit = f"u-{number}"
            start = {"id": identity, "flow": "trips", "unit": unit, "build": "app:730",
                     "context": {"email": f"{unit}@example.com"}}
            counts["journeys"] += connection.call("POST", "/v1/journeys", start)[0] == 201
            connection.call("GET", f"/v1/journeys/{identity}")
            connection.call("POST", f"/v1/journeys/{identity}/outcome", {"status": "completed", "name": "saved"})


def evaluations(service, until, counts, number):
    with Connection(service) as connection:
        while time.monotonic() < until:
            body = {"context": {"targetingKey": f"u-{number}", "build": "app:730"}}
            counts["evaluations"] += connection.call("POST", "/ofrep/v1/evaluate/flags", body)[0] == 200
            connection.call("POST", "/ofrep/v1/evaluate/flags/new-search", body)


def operators(service, until, counts, number):
    with Connection(service) as connection:
        while time.monotonic() < until:
            for verb in ("disable", "enable"):
                counts["changes"] += connection.call("POST", f"/v1/flags/new-search/{verb}", {"reason": "race"})[0] == 200
            for path in ("/v1/routes", "/v1/routes/trips.edit", "/v1/keys", "/v1/audit?limit=5"):
                connection.call("GET", path)


def streams(service, until, counts, number):
    """Opens a stream, reads some of it and hangs up."""
    while time.monotonic() < until:
        with Connection(service) as connection:
            connection.http.request("GET", "/ofrep/v1/sse", headers=connection.headers)
            answer = connection.http.getresponse()
            counts["streams"] += answer.status == 200
            answer.read1(64)


def metrics(service, until, counts, number):
    with Connection(service) as connection:
        while time.monotonic() < until:
            connection.http.request("GET", "/metrics", headers=connection.headers)
            connection.http.getresponse().read()
            connection.call("GET", "/readyz")


parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=float, default=8)
options = parser.parse_args()

checks = Checks()
scratch = services.ROOT / ".build/thread-sanitizer"
build = ["swift", "build", "--sanitize", "thread", "--product", "signalbox", "--scratch-path", scratch]
subprocess.run(build, cwd=services.ROOT, check=True, stdout=subprocess.DEVNULL)
services.PROGRAM = scratch / "debug/signalbox"

with tempfile.TemporaryDirectory(prefix="signalbox-races-") as directory:
    directory = pathlib.Path(directory)
    checks.check("the sanitizer reports a race where there is one", control(directory))
    service = Service(directory)
    # What the Swift library does out of the sanitizer's sight: see the file.
    seen = directory / "mutex.so"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", services.ROOT / "Tests/Drills/tsan_mutex.c", "-o", seen], check=True)
    service.environment["LD_PRELOAD"] = str(seen)
    service.environment["TSAN_OPTIONS"] = "halt_on_error=0 exitcode=66 second_deadlock_stack=1"
    service.start()
    service.sample()
    counts = dict.fromkeys(("journeys", "evaluations", "changes", "streams"), 0)
    until = time.monotonic() + options.seconds
    jobs = [journeys] * 6 + [evaluations] * 3 + [operators] * 2 + [streams] * 2 + [metrics]
    threads = [threading.Thread(target=job, args=(service, until, counts, number)) for number, job in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    code = service.stop()
    log = (directory / "server.log").read_text()
    found = log.count("WARNING: ThreadSanitizer")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    checks.check("there was load of every kind", all(count > 10 for count in counts.values()), counts)
    checks.check("no data race was reported", found == 0, f"{found}, the first:\n{log[log.find('WARNING: Thread'):][:3000]}")
    checks.check("the server ends cleanly when asked", code == 0, code)
    figures("data races", cycles=sum(counts.values()), lost=found, note="cycles are requests, lost are races")
    checks.finish()

#!/usr/bin/env python3
"""Thousands of open event streams: what each takes, that every change reaches all of them in order, and what an honest
client notices of it.  streams.py [--streams N] [--changes N]
"""
import argparse
import pathlib
import selectors
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bystander import Good, descriptors, memory, with_descriptors  # noqa: E402
from service import Checks, Service, figures  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--streams", type=int, default=2_000)
parser.add_argument("--changes", type=int, default=20)
options = parser.parse_args()
#: A stream takes about 3 kB; the rest is what the machine's allocator keeps.
MOST_KILOBYTES = 6
checks = Checks()
allowed = with_descriptors(options.streams + 2_000)
COUNT = min(options.streams, allowed - 1_000)
if COUNT < options.streams:
    print(f"only {allowed} descriptors are allowed, so {COUNT} streams")


class Streams:
    """Open streams, each with the id of the event that it carried last and whether one ever came out of order."""

    def __init__(self, service):
        answer = service.call("POST", "/ofrep/v1/evaluate/flags", {"context": {"targetingKey": "u"}})[1]
        path = answer["eventStreams"][0]["endpoint"]["requestUri"]
        self.request = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        self.selector = selectors.DefaultSelector()
        self.last, self.rest, self.disorder, self.ended = {}, {}, 0, 0
        for _ in range(COUNT):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=20)
            connection.sendall(self.request)
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ)
            self.last[connection], self.rest[connection] = 0, b""

    def read(self, seconds):
        for found, _ in self.selector.select(seconds):
            self.take(found.fileobj)

    def take(self, connection):
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.ended += 1
            self.selector.unregister(connection)
            return
        *lines, self.rest[connection] = (self.rest[connection] + data).split(b"\n")
        for line in lines:
            if line.startswith(b"id: "):
                revision = int(line.rsplit(b"-", 1)[1])
                # Whoever connects while a change is being told may hear of it twice, and of one that was overtaken never.
                self.disorder += revision < self.last[connection]
                self.last[connection] = revision

    def wait(self, revision, seconds=20):
        """Until all have been told of that revision: how many were, and after how many milliseconds."""
        began = time.monotonic()
        while self.told(revision) < COUNT and time.monotonic() < began + seconds:
            self.read(0.05)
        return self.told(revision), (time.monotonic() - began) * 1000

    def told(self, revision):
        return sum(last >= revision for last in self.last.values())

    def close(self):
        for connection in self.last:
            connection.close()


def flip(service, number):
    verb = "disable" if number % 2 == 0 else "enable"
    return service.call("POST", f"/v1/flags/watched/{verb}", {"reason": "drill"})[1]["revision"]


def fill(service, quiet):
    before, open_before = memory(service), descriptors(service)
    streams = Streams(service)
    told, _ = streams.wait(flip(service, 0))
    checks.check(f"{COUNT} streams open", told == COUNT, told)
    with Good(service) as good:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            streams.read(0.1)
    used = memory(service) - before
    good.report(checks, f"{COUNT} open streams", quiet)
    print(f"{COUNT} streams take {used} kB, {used / COUNT:.1f} kB each")
    checks.check(f"a stream takes at most {MOST_KILOBYTES} kB", used <= MOST_KILOBYTES * COUNT + 4096, used)
    return streams, used, open_before


def change(service, streams, quiet):
    """One change after the other, each waited for, then a burst of which only the last has to arrive."""
    took, missed = [], 0
    with Good(service) as good:
        for number in range(1, options.changes + 1):
            told, milliseconds = streams.wait(flip(service, number))
            missed += COUNT - told
            took.append(milliseconds)
            time.sleep(0.1)
    good.report(checks, f"{options.changes} changes told to {COUNT} streams", quiet)
    took.sort()
    print(f"a change reaches {COUNT} streams in {took[len(took) // 2]:.0f} ms, at most {took[-1]:.0f} ms")
    checks.check("every change reaches every stream", missed == 0, missed)
    for number in range(options.changes + 1, options.changes + 51):
        last = flip(service, number)
    told, _ = streams.wait(last)
    checks.check("after a burst of changes every stream knows the last", told == COUNT, told)
    checks.check("no stream was told of an older state after a newer one", streams.disorder == 0, streams.disorder)
    return took[-1], good.p99, missed


with tempfile.TemporaryDirectory(prefix="signalbox-streams-") as directory:
    service = Service(directory).start()
    service.sample()
    definition = {"state": "ENABLED", "variants": {"on": True}, "defaultVariant": "on"}
    service.call("PUT", "/v1/flags/watched", {"reason": "drill", "definition": definition})
    with Good(service) as good:
        time.sleep(5)
    streams, used, open_before = fill(service, good.p99)
    slowest, p99, missed = change(service, streams, good.p99)
    checks.check("no stream ended", streams.ended == 0, streams.ended)
    streams.close()
    for _ in range(100):
        if descriptors(service) <= open_before + 4:
            break
        time.sleep(0.05)
    checks.check("closed streams leave no descriptor behind", descriptors(service) <= open_before + 4,
                 (open_before, descriptors(service)))
    checks.check("the server ends cleanly when asked", service.stop() == 0)
figures("streams", cycles=options.changes, lost=missed, p99_ms=round(p99, 1), bytes=used * 1024,
        note=f"cycles are changes told to {COUNT} streams, the slowest in {slowest:.0f} ms; p99 is an honest client's meanwhile")
checks.finish()

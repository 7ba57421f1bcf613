#!/usr/bin/env python3
"""What a crowd does to the service, and what an honest client notices of it: idle connections, slow headers, bodies and
readers, a flood with one key, bad keys, a storm of reconnects, and SIGTERM under load.  crowds.py [--long]
"""
import argparse
import http.client
import json
import pathlib
import selectors
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bystander import BODY, Good, descriptors, memory, with_descriptors  # noqa: E402
from service import Checks, Service, figures, journey_id  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--long", action="store_true")
options = parser.parse_args()
IDLE = 10_000 if options.long else 2_000
SLOW = 1_000 if options.long else 200
READERS = 200 if options.long else 50
BAD_KEYS = 1_000_000 if options.long else 20_000
STORM = 5_000 if options.long else 1_000
SECONDS = 10 if options.long else 2
checks = Checks()

allowed = with_descriptors(IDLE + 2_000)
if allowed < IDLE + 2_000:
    IDLE = allowed - 1_000
    print(f"only {allowed} descriptors are allowed, so {IDLE} idle connections")

#: A request of its own kind, for a body to be sent slowly behind.
HEAD = "POST /ofrep/v1/evaluate/flags/new-search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: {count}\r\n\r\n"
def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=20)


def closes_within(connections, seconds):
    """How many of them the service closes in that time."""
    selector = selectors.DefaultSelector()
    for connection in connections:
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ)
    closed, end = 0, time.monotonic() + seconds
    while selector.get_map() and time.monotonic() < end:
        for found, _ in selector.select(0.5):
            try:
                data = found.fileobj.recv(65536)
            except OSError:
                data = b""
            if not data:
                closed += 1
                selector.unregister(found.fileobj)
    return closed


def close_all(connections):
    for connection in connections:
        connection.close()


def idle(service, quiet):
    before = memory(service)
    connections = [connect(service) for _ in range(IDLE)]
    with Good(service) as good:
        time.sleep(SECONDS)
    used = memory(service) - before
    good.report(checks, f"{IDLE} idle connections", quiet)
    print(f"{IDLE} idle connections take {used} kB, {used / IDLE:.1f} kB each")
    checks.check("an idle connection takes at most 16 kB", used <= 16 * IDLE + 4096, used)
    close_all(connections)


def slow(service, quiet):
    """Bytes one by one: the deadline is for the whole head or body, so trickling does not put it off."""
    head = HEAD.format(key=service.key, count=len(BODY)).encode()
    headers = [connect(service) for _ in range(SLOW)]
    bodies = [connect(service) for _ in range(SLOW)]
    for connection in bodies:
        connection.sendall(head)
    began = time.monotonic()
    limit = 40 if options.long else 13
    with Good(service) as good:
        place = 0
        while time.monotonic() - began < limit:
            for group, data in ((headers, head), (bodies, BODY)):
                for connection in group:
                    try:
                        connection.send(data[place % 40:place % 40 + 1])
                    except OSError:
                        pass
            place += 1
            time.sleep(0.5)
    good.report(checks, f"{SLOW} slow headers and {SLOW} slow bodies", quiet)
    closed = closes_within(headers, 3)
    checks.check("headers that trickle are cut after their deadline of 10 s", closed == SLOW, closed)
    if options.long:
        closed = closes_within(bodies, 3)
        checks.check("bodies that trickle are cut after their deadline of 30 s", closed == SLOW, closed)
    close_all(headers + bodies)


def slow_readers(service, quiet):
    """Clients that ask for much and never read: what waits for them is bounded, and they are cut."""
    definition = {"state": "ENABLED", "variants": {"long": {"text": "x" * 60_000}}, "defaultVariant": "long"}
    service.call("PUT", "/v1/flags/large", {"reason": "drill", "definition": definition})
    request = HEAD.replace("new-search", "large").format(key=service.key, count=len(BODY)).encode() + BODY
    before = memory(service)
    connections = []
    for _ in range(READERS):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", service.port))
        connection.setblocking(False)
        connections.append(connection)
    with Good(service) as good:
        for _ in range(20):
            for connection in connections:
                try:
                    connection.send(request * 8)
                except BlockingIOError:
                    pass  # not even its questions are read any more, as it should be
            time.sleep(SECONDS / 10)
    used = memory(service) - before
    good.report(checks, f"{READERS} readers that do not read", quiet)
    print(f"{READERS} readers that do not read take {used} kB, {used / READERS:.1f} kB each")
    checks.check("a reader that does not read takes at most 256 kB", used <= 256 * READERS, used)
    if options.long:
        open_then = descriptors(service)
        # From when a connection takes no more, and the kernel takes megabytes before that.
        time.sleep(33)
        cut = open_then - descriptors(service)
        checks.check("readers that do not read are cut after 30 s", cut >= READERS, cut)
    close_all(connections)


def flood(service, quiet):
    """One key asks as fast as it can, for what costs most: journeys, each of them durable."""
    key = service.call("POST", "/v1/keys", {"kind": "server", "holder": "flooder", "reason": "drill"})[1]["secret"]
    stopped = threading.Event()
    answered = [0] * 4

    def ask(number):
        headers = {"Authorization": f"Bearer {key}"}
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
        while not stopped.is_set():
            body = json.dumps({"id": journey_id(), "flow": "trips", "unit": f"u-{number}", "build": "app:730"})
            connection.request("POST", "/v1/journeys", body, headers)
            answer = connection.getresponse()
            answer.read()
            answered[number] += answer.status == 201
        connection.close()

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(len(answered))]
    for thread in threads:
        thread.start()
    with Good(service) as good:
        time.sleep(SECONDS)
    stopped.set()
    for thread in threads:
        thread.join()
    print(f"flood: {sum(answered) / SECONDS:.0f} journeys a second with one key")
    good.report(checks, "a flood with one key", quiet)


def bad_keys(service, quiet):
    """Keys that are none: each refused, and nothing remembered of any."""
    wrong = 0
    before = 0
    with Good(service) as good:
        connection = connect(service)
        for first in range(0, BAD_KEYS, 100):
            requests = b"".join(
                b"GET /v1/flags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sb_admin_%012d_%043d_%06d\r\n\r\n" % (n, n, n)
                for n in range(first, first + 100))
            connection.sendall(requests)
            answers = b""
            while answers.count(b"HTTP/1.1 ") < 100 or not answers.endswith(b"}}"):
                chunk = connection.recv(1 << 20)
                if not chunk:
                    break
                answers += chunk
            wrong += 100 - answers.count(b"HTTP/1.1 401 ")
            if first * 10 >= BAD_KEYS and not before:
                before = memory(service)
        connection.close()
    after = memory(service)
    print(f"{BAD_KEYS} bad keys: {wrong} not refused, memory {before} → {after} kB")
    checks.check("every bad key is refused", wrong == 0, wrong)
    checks.check("bad keys leave memory flat within 10 %", after <= before * 1.1, (before, after))
    good.report(checks, f"{BAD_KEYS} bad keys", quiet)


def storm(service):
    """All clients come back at once, each with a request."""
    request = HEAD.format(key=service.key, count=len(BODY)).encode() + BODY
    before = descriptors(service)
    began = time.monotonic()
    selector, opened = selectors.DefaultSelector(), []
    for _ in range(STORM):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", service.port))
        selector.register(connection, selectors.EVENT_WRITE)
        opened.append(connection)
    served, end = 0, began + 30
    while selector.get_map() and time.monotonic() < end:
        for found, events in selector.select(1):
            try:
                if events & selectors.EVENT_WRITE:
                    found.fileobj.sendall(request)
                    selector.modify(found.fileobj, selectors.EVENT_READ)
                    continue
                served += found.fileobj.recv(65536).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
            selector.unregister(found.fileobj)
    print(f"{STORM} clients reconnect: {served} served in {time.monotonic() - began:.2f} s")
    checks.check("every client that comes back is served", served == STORM, served)
    close_all(opened)
    for _ in range(100):
        if descriptors(service) <= before + 4:
            break
        time.sleep(0.05)
    checks.check("closed connections leave no descriptor behind", descriptors(service) <= before + 4,
                 (before, descriptors(service)))


def drain(service):
    """SIGTERM under load: whatever was begun is answered whole, and whatever was acknowledged is there."""
    stopped = threading.Event()
    torn, acknowledged, unanswered = [], [], []

    def ask():
        while not stopped.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
            try:
                while not stopped.is_set():
                    identity = journey_id()
                    body = json.dumps({"id": identity, "flow": "trips", "unit": "u", "build": "app:730"})
                    connection.request("POST", "/v1/journeys", body, {"Authorization": f"Bearer {service.key}"})
                    answer = connection.getresponse()
                    data = json.loads(answer.read())
                    if answer.status == 201 and data["pinned"]:
                        acknowledged.append(identity)
                    elif answer.status >= 500 or not data.get("pinned", True):
                        torn.append((answer.status, data))
            except http.client.IncompleteRead as error:
                torn.append(str(error))
            except (OSError, http.client.HTTPException):
                unanswered.append(identity)  # refused, or closed before an answer began: the client may ask again
            connection.close()
            time.sleep(0.005)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    slowest, codes, rounds = 0, [], 10 if options.long else 3
    for _ in range(rounds):
        time.sleep(0.5)
        began = time.monotonic()
        codes.append(service.stop())
        slowest = max(slowest, time.monotonic() - began)
        service.start()
    stopped.set()
    for thread in threads:
        thread.join()
    done = [one for one in unanswered if service.call("GET", f"/v1/journeys/{one}")[0] == 200]
    missing = [one for one in acknowledged if service.call("GET", f"/v1/journeys/{one}")[0] != 200]
    print(f"SIGTERM {rounds} times under load: {len(acknowledged)} journeys, {len(unanswered)} not answered, of which "
          f"{len(done)} done, {len(torn)} failed answers, {len(missing)} lost, the slowest stop {slowest * 1000:.0f} ms")
    checks.check("a stop under load fails no request whose answer began", not torn, torn[:3])
    checks.check("a stop under load does nothing that it does not answer", unanswered and not done, (len(unanswered), done[:3]))
    checks.check("a stop under load loses nothing that was acknowledged", acknowledged and not missing, missing[:3])
    checks.check("a stop under load ends with 0 within 5 s", not any(codes) and slowest < 5, (codes, slowest))


with tempfile.TemporaryDirectory(prefix="signalbox-crowds-") as directory:
    service = Service(directory).start()
    service.sample()
    # Quiet for the service, on a machine that is as busy as a crowd makes it.
    with Good(service) as good:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            pass
    quiet = good.p99
    print(f"quiet: p99 {quiet:.1f} ms")
    for turn in range(2):
        idle(service, quiet)
        slow_readers(service, quiet)
        storm(service)
        if turn == 0:
            warm = memory(service)
    print(f"memory after one round of crowds {warm} kB, after two {memory(service)} kB")
    checks.check("a second round of crowds leaves memory flat within 10 %", memory(service) <= warm * 1.1,
                 (warm, memory(service)))
    slow(service, quiet)
    flood(service, quiet)
    bad_keys(service, quiet)
    drain(service)
    checks.check("the server ends cleanly when asked", service.stop() == 0)
figures("crowds", cycles=2 * (IDLE + READERS + STORM) + 2 * SLOW + BAD_KEYS, p99_ms=round(Good.slowest, 1), bytes=warm * 1024,
        note=f"cycles are hostile clients and bad keys; p99 is the worst of the honest client beside them (quiet {quiet:.1f}); "
             "bytes is the memory after the first round")
checks.finish()

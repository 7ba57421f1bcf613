#!/usr/bin/env python3
"""What a hostile stranger sends, and what an app's key must never reach: hostile JSON, smuggled requests directly and behind
nginx, path tricks against every administrative route, every route by every kind of key and role, and secrets that must
not appear in logs, errors or the audit.  hostile.py [--long]
"""
import argparse
import json
import pathlib
import random
import re
import socket
import ssl
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from hostile_requests import json_bodies, path_tricks, smuggling  # noqa: E402
from proxy import Proxy, find  # noqa: E402
from service import Checks, Service, figures  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--long", action="store_true", help="all bodies at all routes, and requests spoilt at random")
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
options = parser.parse_args()
randomness = random.Random(options.seed)
print(f"seed {options.seed}")
checks = Checks()

#: Every route with what it asks for. Checked against the service's own list where it has one (/openapi.json).
ROUTES = [line.split() for line in """
POST /ofrep/v1/evaluate/flags/new-search evaluate
POST /ofrep/v1/evaluate/flags evaluate
POST /v1/journeys start
POST /v1/journeys/batch start
GET /v1/journeys/ID evaluate
POST /v1/journeys/ID/resume start
POST /v1/journeys/ID/conflict start
POST /v1/journeys/ID/outcome start
GET /v1/flows read
POST /v1/flows change
GET /v1/flows/trips read
PATCH /v1/flows/trips change
POST /v1/flows/trips/advance change
POST /v1/flows/trips/retreat change
POST /v1/flows/trips/hold change
POST /v1/flows/trips/resume change
POST /v1/flows/trips/rollback change
POST /v1/flows/trips/approve change
POST /v1/flows/trips/island change
GET /v1/routes read
POST /v1/routes change
GET /v1/routes/trips.edit read
PATCH /v1/routes/trips.edit change
GET /v1/routes/trips.edit/gates read
GET /v1/routes/trips.edit/flag read
GET /v1/routes/trips.edit/journeys read
GET /v1/routes/trips.edit/conditions read
GET /v1/routes/trips.edit/conditions/crash read
PUT /v1/routes/trips.edit/conditions/crash change
DELETE /v1/routes/trips.edit/conditions/crash change
POST /v1/routes/trips.edit/conditions/freeze change
GET /v1/waivers read
GET /v1/gates read
GET /v1/forecast read
GET /v1/status read
GET /v1/evidence read
GET /v1/evidence/ID read
POST /v1/routes/trips.edit/evidence change
POST /v1/routes/trips.edit/waivers change
DELETE /v1/routes/trips.edit/waivers change
POST /v1/routes/trips.edit/advance change
POST /v1/routes/trips.edit/retreat change
POST /v1/routes/trips.edit/hold change
POST /v1/routes/trips.edit/resume change
POST /v1/routes/trips.edit/rollback change
POST /v1/routes/trips.edit/approve change
POST /v1/routes/trips.edit/rehearse change
POST /v1/routes/trips.edit/island change
POST /v1/rollback change
POST /v1/hold change
GET /v1/flags read
GET /v1/flags/new-search read
PUT /v1/flags/new-search change
DELETE /v1/flags/new-search change
POST /v1/flags/new-search/enable change
POST /v1/flags/new-search/disable change
GET /v1/cohorts read
GET /v1/cohorts/internal read
PUT /v1/cohorts/internal change
DELETE /v1/cohorts/internal change
GET /v1/builds read
GET /v1/builds/app:730 read
PUT /v1/builds/app:730 change
GET /v1/doctor audit
POST /v1/backup administer
GET /v1/keys audit
POST /v1/keys administer
POST /v1/keys/none/revoke administer
POST /v1/keys/none/rotate administer
GET /v1/overrides read
POST /v1/overrides change
DELETE /v1/overrides change
POST /v1/flags/import change
GET /v1/flags/export read
POST /v1/evaluate/new-search read
POST /v1/journeys/ID/explain read
GET /v1/environment read
GET /v1/config/export read
POST /v1/config/apply change
POST /v1/config/rollback change
PATCH /v1/environment change
POST /v1/sweep administer
GET /v1/audit audit
GET /v1/audit/verify audit
""".replace("ID", "01890a5d-ac96-774b-bcce-b302099a8057").split("\n") if line]

READS = {"evaluate", "read"}
CHANGES = {"evaluate", "read", "start", "change"}
HOLDERS = {("app", None): {"evaluate", "start"}, ("server", None): {"evaluate", "start"}, ("admin", "viewer"): READS,
           ("admin", "auditor"): READS | {"audit"}, ("admin", "editor"): CHANGES, ("admin", "approver"): CHANGES,
           ("admin", "admin"): CHANGES | {"audit", "administer"}}

#: Marked texts that only a log or an error that tells too much would show again.
CANARY = "canary7Qx"


#: Requests that were sent.
exchanged = 0


def exchange(connection, data):
    """Sends, says that no more comes, and reads to the end."""
    global exchanged
    exchanged += 1
    answer = b""
    try:
        connection.sendall(data)
        if not isinstance(connection, ssl.SSLSocket):
            connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(65536):
            answer += chunk
            if isinstance(connection, ssl.SSLSocket):
                connection.settimeout(0.4)
    except (OSError, ssl.SSLError):
        pass
    connection.close()
    return answer


def statuses(answer):
    return [int(code) for code in re.findall(rb"(?:^|\n|\}|>)HTTP/1\.[01] (\d{3})", answer)]


def ask(service, method, target, key=None, body=b"", more=""):
    """One request as bytes: nothing between us and the service may tidy the target."""
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    head = (f"{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{authorization}{more}"
            f"Content-Length: {len(body)}\r\n\r\n")
    answer = exchange(socket.create_connection(("127.0.0.1", service.port), timeout=20), head.encode() + body)
    found = statuses(answer)
    return (found[0] if found else 0), answer


def is_well(service):
    return service.process.poll() is None and ask(service, "GET", "/healthz")[0] == 200


def hostile_json(service):
    targets = [route for route in ROUTES if route[0] in ("POST", "PUT", "PATCH")]
    if not options.long:
        targets = [route for route in targets if route[1].startswith(("/ofrep", "/v1/journeys"))] + targets[-4:]
    wrong, count = [], 0
    for method, target, _ in targets:
        for name, body in json_bodies():
            status, answer = ask(service, method, target, service.key, body)
            count += 1
            # To OFREP null is the same as no context.
            if not 400 <= status < 500 and not (name == "null" and target.startswith("/ofrep")):
                wrong.append((method, target, name, status))
    print(f"{count} hostile bodies at {len(targets)} routes")
    checks.check("hostile JSON is refused everywhere", not wrong, wrong[:5])
    checks.check("the process is well after hostile JSON", is_well(service))


def smuggled_directly(service):
    wrong = []
    for name, data in smuggling():
        found = statuses(exchange(socket.create_connection(("127.0.0.1", service.port), timeout=5), data))
        if len(found) != 1 or found[0] < 400:
            wrong.append((name, found))
    print(f"{len(list(smuggling()))} smuggling requests directly")
    checks.check("a request that is not one request gets one refusal, directly", not wrong, wrong[:5])


def smuggled_behind(service, proxy):
    code, words = proxy.test()
    checks.check("nginx takes the site of deploy/", code == 0, words)
    before = seen_by(service)
    for _, data in smuggling():
        exchange(proxy.connect(), data)
    with proxy.connect("h2") as connection:
        checks.check("the site speaks HTTP/2", connection.selected_alpn_protocol() == "h2")
    seen = seen_by(service)[len(before):]
    known = set(proxy.request_ids())
    strange = [request for request in seen if request not in known]
    print(f"{len(list(smuggling()))} smuggling requests behind nginx: {len(known)} at nginx, {len(seen)} at the service")
    checks.check("the service sees no request that nginx did not send, nor one twice",
                 not strange and len(set(seen)) == len(seen) > 0, (strange[:3], len(seen)))


def seen_by(service):
    """The ids of all requests in the service's log."""
    lines = (service.directory / "server.log").read_text().splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return [event["request"] for event in events if event["event"] == "request"]


def tricks(service, app_key):
    reached, count = [], 0
    for method, target, permission in ROUTES:
        if permission not in ("read", "audit", "administer", "change"):
            continue
        for trick in path_tricks(target):
            for key in (None, app_key) + ((service.key,) if method == "GET" else ()):
                status, answer = ask(service, method, trick, key, b'{"reason":"trick"}')
                count += 1
                if not 400 <= status < 500:
                    reached.append((method, trick, status))
    print(f"{count} path tricks against {len(ROUTES)} routes")
    checks.check("no way of writing a path reaches an administrative route", not reached, reached[:5])


def matrix(service):
    wrong, count = [], 0
    listed = service.call("GET", "/openapi.json")
    if listed[0] == 200:
        # The event stream never ends, so it is not called here; it opens to what evaluates.
        patterns = {re.sub(r"\{[^}]*\}", "*", path) for path in listed[1]["paths"] if path.startswith(("/v1", "/ofrep"))}
        known = {tuple(target.split("/")) for _, target, _ in ROUTES}
        missing = [pattern for pattern in patterns - {"/ofrep/v1/sse"} if not any(
            len(target) == len(pattern.split("/")) and all(p in ("*", t) for p, t in zip(pattern.split("/"), target))
            for target in known)]
        checks.check("the matrix has every route that the service lists", not missing, missing[:5])
    keys = {}
    for (kind, role), _ in HOLDERS.items():
        body = {"kind": kind, "holder": f"{kind} {role}", "reason": "matrix"} | ({"role": role} if role else {})
        keys[kind, role] = service.call("POST", "/v1/keys", body)[1]["secret"]
    for holder, allowed in HOLDERS.items():
        for method, target, permission in ROUTES:
            # An empty object is nobody's valid body, so what is open answers otherwise than 401 and 403, and changes nothing.
            status, _ = ask(service, method, target, keys[holder], b"{}")
            count += 1
            if (status not in (401, 403)) != (permission in allowed) or status >= 500 or status == 0:
                wrong.append((holder, method, target, status))
    for method, target, _ in ROUTES:
        for key in (None, "sb_admin_x_y_z", keys["app", None][:-1] + "~", keys["app", None].replace("_app_", "_admin_")):
            status, _ = ask(service, method, target, key, b"{}")
            count += 1
            if status != 401:
                wrong.append((key, method, target, status))
    print(f"{count} calls: {len(ROUTES)} routes by {len(HOLDERS)} kinds of key, and by none and wrong ones")
    checks.check("each route opens to exactly the keys that are for it", not wrong, wrong[:5])
    return keys


def secrets(service, keys):
    """Sends marked texts wherever a client may send text, then looks for them where they must not be."""
    app = keys["app", None]
    wrong = app[:-8] + CANARY
    ask(service, "GET", f"/v1/flags?token={CANARY}-query", wrong, more=f"Cookie: {CANARY}-cookie\r\nX-Request-Id: a b\r\n")
    ask(service, "POST", "/ofrep/v1/evaluate/flags/new-search", app,
        json.dumps({"context": {"targetingKey": f"{CANARY}-unit", "email": f"{CANARY}-value"}}).encode())
    cut, _ = ask(service, "POST", f"/v1/journeys?{CANARY}-query", app, f'{{"id": "{CANARY}-body'.encode())
    unknown, _ = ask(service, "GET", f"/v1/flags?{CANARY}-query", service.key)
    ask(service, "PUT", "/v1/flags/marked", service.key, f'{{"reason": "r", "definition": {{"{CANARY}-body": 1}}}}'.encode())
    for key in keys.values():
        ask(service, "GET", "/v1/keys", key)
    status, _ = ask(service, "GET", "/healthz", more="X-Request-Id: from-the-client.1\r\n")
    log = (service.directory / "server.log").read_text()
    found = sorted(set(re.findall(rf"{CANARY}[-a-z]*", log)))
    checks.check("the log holds no body, query, header or context value", (cut, unknown, found) == (400, 400, []),
                 (cut, unknown, found))
    checks.check("the log names requests by the id that the client sent", status == 200 and "from-the-client.1" in log)
    audit = json.dumps(service.call("GET", "/v1/audit?limit=1000")[1])
    metrics = ask(service, "GET", "/metrics", service.key)[1].decode()
    everything = {"log": log, "audit": audit, "metrics": metrics, "keys": json.dumps(service.call("GET", "/v1/keys")[1])}
    shown = [(name, kind) for name, text in everything.items() for kind, key in keys.items()
             if key.split("_")[3] in text]
    checks.check("no secret of a key is in the log, the audit, the metrics or the list of keys", not shown, shown)
    refused = ask(service, "GET", "/v1/flags", wrong)[1].decode()
    checks.check("a refused key is not repeated in the answer", CANARY not in refused)


def spoilt(service):
    """Requests spoilt at random: whatever comes back is ours, and the process lives."""
    seeds = [data for _, data in smuggling()]
    strange = []
    for _ in range(20_000):
        data = bytearray(randomness.choice(seeds))
        for _ in range(randomness.randrange(1, 5)):
            place = randomness.randrange(len(data))
            data[place:place + randomness.randrange(3)] = randomness.randbytes(randomness.randrange(3))
        answer = exchange(socket.create_connection(("127.0.0.1", service.port), timeout=5), bytes(data))
        if answer and (not answer.startswith(b"HTTP/1.") or b"<html" in answer.lower()):
            strange.append(bytes(data)[:80])
    print("20000 requests spoilt at random")
    checks.check("every answer to a spoilt request is ours", not strange, strange[:2])


with tempfile.TemporaryDirectory(prefix="signalbox-hostile-") as directory:
    service = Service(directory, "--log-level", "debug").start()
    service.sample()
    hostile_json(service)
    smuggled_directly(service)
    keys = matrix(service)
    tricks(service, keys["app", None])
    secrets(service, keys)
    if options.long:
        spoilt(service)
    if find():
        proxy = Proxy(directory, service.port).start()
        smuggled_behind(service, proxy)
        proxy.stop()
    else:
        print("SKIPPED: nginx is not installed, so nothing was tried behind it")
        checks.skipped += 3
    checks.check("the process is well at the end, and ends cleanly", is_well(service) and service.stop() == 0)
figures("hostile", cycles=exchanged, note="cycles are requests, each answered as it must be")
checks.finish()

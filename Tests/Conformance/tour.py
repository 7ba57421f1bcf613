#!/usr/bin/env python3
"""What the README promises, done as its reader would: through the command line, and once through an OpenFeature client."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import Checks, Service, journey_id  # noqa: E402

from openfeature import api  # noqa: E402
from openfeature.contrib.provider.ofrep import OFREPProvider  # noqa: E402
from openfeature.evaluation_context import EvaluationContext  # noqa: E402

COLLEAGUE = '{"email": "mia@example.com"}'


def start(service, unit, *more, build="app:730"):
    """Starts a journey through the command line; gives what the service answered."""
    return json.loads(service.must("journey", "start", "trips", "--unit", unit, "--build", build, "--json", *more))


def renderer(journey, route="trips.edit"):
    return journey["choices"][route]["renderer"]


def route(service, key="trips.edit"):
    return json.loads(service.must("route", "show", key, "--json"))


with tempfile.TemporaryDirectory(prefix="signalbox-tour-") as directory:
    checks = Checks()
    check = checks.check
    service = Service(directory).start()
    service.sample()
    service.sample()  # registering again is not an error

    first = start(service, "u-1")
    check("a first journey gets legacy, because its route has not started to move",
          renderer(first) == "legacy" and first["choices"]["trips.edit"]["reason"] == "stage" and first["pinned"], first)

    gates = json.loads(service.must("route", "gates", "trips.edit", "--json"))
    check("the gates of the first move pass", gates["move"] == "compatible" and gates["gates"]
          and all(g["verdict"] != "fail" for g in gates["gates"]), gates)
    service.must("route", "advance", "trips.edit", "--reason", "contract reviewed")
    check("the route is compatible", route(service)["stage"] == "compatible")
    gates = json.loads(service.must("route", "gates", "trips.edit", "--json"))
    missing = [g["name"] for g in gates["gates"] if g["blocks"]]
    check("evidence that is missing blocks the next move", missing == ["parity", "rehearsal"], gates)
    code, output = service.run("route", "advance", "trips.edit", "--reason", "start with colleagues")
    check("which is refused with what would make it pass", code == 1 and "gate_not_met" in output and "→" in output, output)
    artefact = pathlib.Path(__file__).resolve().parents[2] / "deploy/sample-evidence/trips.edit.parity.json"
    push = ("evidence", "push", "trips.edit", "--kind", "parity", "--build", "app:730", "--artefact", str(artefact),
            "--reason", "CI run 512")
    output = service.must(*push)
    check("evidence is judged by the service and passes", "pass" in output and "trips.edit at largest" in output, output)
    check("pushed again it changes nothing",
          service.must(*push) == output and len(json.loads(service.must("evidence", "list", "--json"))["evidence"]) == 1)
    code, output = service.run("route", "gates", "trips.edit", "--require")
    check("one gate is left", code == 1 and "rehearsal" in output, output)
    service.must("waiver", "grant", "trips.edit", "rehearsal", "--move", "partialRollout", "--expires", "7d",
                 "--reason", "rehearsed by hand")
    code, output = service.run("route", "wait", "trips.edit", "--gate", "parity", "--for", "5s")
    check("route wait ends when a gate passes", code == 0 and "pass" in output, output)
    service.must("route", "gates", "trips.edit", "--require")
    service.must("route", "advance", "trips.edit", "--reason", "start with colleagues")
    shown = route(service)
    check("the route is in partial rollout at step 1", (shown["stage"], shown["step"]) == ("partialRollout", 1), shown)

    journeys = [start(service, f"u-{n}", "--context", COLLEAGUE) for n in range(40)]
    migrated = sum(renderer(j) == "migrated" for j in journeys)
    check("new journeys inside the step get migrated, the others legacy", 8 <= migrated <= 32, migrated)
    check("whoever is not in the cohort gets legacy",
          {renderer(start(service, f"u-{n}")) for n in range(10)} == {"legacy"})
    check("a build without the migrated renderer never gets it",
          {renderer(start(service, f"u-{n}", "--context", COLLEAGUE, build="app:720")) for n in range(40)} == {"legacy"})
    again = json.loads(service.must("journey", "show", first["id"], "--json"))
    check("the first journey still answers legacy", again["choices"] == first["choices"], again)

    some = next(j for j in journeys if renderer(j) == "migrated")
    service.kill()
    service.start()
    after = json.loads(service.must("journey", "show", some["id"], "--json"))
    check("a pin survives kill -9", after["choices"] == some["choices"] and after["pinned"], after)

    def evaluate(key, attributes, unit="u-1", default="none"):
        headers = {"Authorization": f"Bearer {service.key}"}
        api.set_provider(OFREPProvider(service.url, headers_factory=lambda: headers))
        ask = api.get_client().get_boolean_details if isinstance(default, bool) else api.get_client().get_string_details
        return ask(key, default, EvaluationContext(unit, attributes))

    details = evaluate("trips.edit", {"email": "mia@example.com", "build": "app:730"}, some["unit"])
    check("the OpenFeature client gets the same renderer for the route",
          (details.value, str(details.reason)) == ("migrated", "TARGETING_MATCH"), details)
    details = evaluate("trips.edit", {"email": "mia@example.com", "build": "app:720"}, some["unit"])
    check("and legacy for a build that lacks migrated", details.value == "legacy", details)
    details = evaluate("new-search", {"email": "mia@example.com"}, default=False)
    check("the OpenFeature client gets an ordinary flag", details.value is True, details)
    service.must("flag", "disable", "new-search", "--reason", "search is down")
    details = evaluate("new-search", {"email": "mia@example.com"}, default=False)
    check("flag disable changes the answer", details.value is False and str(details.reason) == "DISABLED", details)

    service.must("route", "rollback", "trips.edit", "--reason", "crash on open")
    check("after the rollback the next journey is legacy",
          {renderer(start(service, f"u-{n}", "--context", COLLEAGUE)) for n in range(40)} == {"legacy"})
    kept = json.loads(service.must("journey", "show", some["id"], "--json"))
    check("a journey in flight keeps what it has", renderer(kept) == "migrated", kept)
    shown = route(service)
    check("route show counts the journeys in flight",
          shown["live"]["migrated"] == migrated and shown["live"]["legacy"] > migrated, shown["live"])
    service.must("route", "resume", "trips.edit", "--cause", "fixed in 731", "--reason", "fixed")
    again = [renderer(start(service, f"u-{n}", "--context", COLLEAGUE)) for n in range(40)]
    check("resuming reassigns nobody", again == [renderer(j) for j in journeys])
    service.must("flow", "rollback", "trips", "--reason", "to be sure")
    check("flow rollback moves what can be moved",
          renderer(start(service, some["unit"], "--context", COLLEAGUE)) == "legacy")

    service.must("route", "advance", "orders.list", "--reason", "contract reviewed")
    output = service.must("route", "advance", "orders.list", "--force", "--reason", "a demo")
    check("an admin may force a move, loudly", "FORCED" in output and "parity, rehearsal" in output, output)
    check("and it is shown until the route moves on", "FORCED" in service.must("route", "show", "orders.list")
          and "forced" in service.must("status"))

    for arguments, code, word in [
        (("route", "advance", "orders.list"), 64, "reason"),
        (("route", "show", "nowhere"), 1, "route_not_found"),
        (("flow", "show", "nowhere"), 1, "flow_not_found"),
        (("flag", "show", "nothing"), 1, "flag_not_found"),
        (("cohort", "show", "nobody"), 1, "cohort_not_found"),
        (("build", "show", "app:1"), 1, "build_not_found"),
        (("journey", "show", journey_id()), 1, "journey_not_found"),
        (("journey", "start", "trips", "--unit", "u", "--build", "seven"), 64, "build"),
        (("route", "retreat", "orders.detail", "--reason", "x"), 1, "illegal_move"),
        (("cohort", "delete", "internal", "--reason", "x"), 1, "cohort_in_use"),
    ]:
        seen, output = service.run(*arguments)
        check(f"signalbox {' '.join(arguments[:2])} … ends with {code} and says {word}",
              seen == code and word in output, f"{seen}: {output}")
    second, output = service.run("serve", "--data", str(service.directory / "data"), "--listen", "127.0.0.1:0")
    check("a second server on the same data is refused", second == 69 and "store_locked" in output, output)
    other = pathlib.Path(directory) / "other"
    code, output = service.run("serve", "--data", str(other), "--listen", f"127.0.0.1:{service.port}")
    check("a port in use is refused", code == 69 and "address_in_use" in output, output)
    code, output = service.run("serve", "--data", str(other / "missing/deeper"))
    check("a missing directory is refused", code == 69 and "data_directory_missing" in output, output)
    code, output = service.run("audit", "verify")
    check("the audit verifies", code == 0, output)
    check("the server ends cleanly when asked", service.stop() == 0)
    checks.finish()

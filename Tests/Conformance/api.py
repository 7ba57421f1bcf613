#!/usr/bin/env python3
"""The service against its own /openapi.json with schemathesis, and its OFREP answers against the official document.

Failures are: a 5xx, a status, content type or body that the document does not declare. The seed is printed;
SIGNALBOX_SEED repeats a run.
"""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import jsonschema  # noqa: E402
import yaml  # noqa: E402
from service import Checks, Service, journey_id  # noqa: E402

SEED = int(os.environ.get("SIGNALBOX_SEED", random.randrange(1 << 31)))
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]
# TRACE is answered 501 on purpose: no path has it.
CONFIGURATION = """
[phases.coverage]
unexpected-methods = ["PUT", "PATCH", "DELETE"]
"""
# Half of the parameters of paths name something that exists, or every answer would be 404.
HOOKS = """
import schemathesis
KNOWN = {"key": ["trips", "trips.edit", "orders.detail", "new-search", "internal"], "build": ["app:730", "app:720"],
         "id": [%r]}

@schemathesis.hook
def map_path_parameters(context, path_parameters):
    for name, values in KNOWN.items():
        if path_parameters and name in path_parameters:
            place = sum(map(ord, str(path_parameters[name])))
            if place %% 2:
                path_parameters[name] = values[place // 2 %% len(values)]
    return path_parameters
"""


def document(service, checks):
    """Runs schemathesis for all operations but the stream, which never ends."""
    id = journey_id()
    service.call("POST", "/v1/journeys", {"id": id, "flow": "trips", "unit": "u", "build": "app:730"})
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        (directory / "hooks.py").write_text(HOOKS % id)
        (directory / "schemathesis.toml").write_text(CONFIGURATION)
        report = directory / "report.xml"
        done = subprocess.run(
            [pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", directory / "schemathesis.toml",
             "run", f"{service.url}/openapi.json", "--header", f"Authorization: Bearer {service.key}",
             "--checks", ",".join(CHECKS), "--exclude-path", "/ofrep/v1/sse", "--phases", "coverage,fuzzing",
             "--max-examples", "25", "--seed", str(SEED), "--no-color", "--report", "junit",
             "--report-junit-path", report, "--suppress-health-check", "all"],
            cwd=directory, env=dict(os.environ, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=str(directory)),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        count = re.search(r'tests="(\d+)"', report.read_text()) if report.exists() else None
    checks.check(f"schemathesis finds nothing in {count and count[1]} operations", done.returncode == 0,
                 done.stdout[-6000:])


def edited():
    """The official OFREP document with the three edits without which it refuses ordinary answers."""
    path = pathlib.Path(os.environ["SIGNALBOX_SUITES"]) / "ofrep/openapi.yaml"
    official = yaml.safe_load(path.read_text())
    schemas = official["components"]["schemas"]
    value = next(part for part in schemas["evaluationSuccess"]["allOf"] if "oneOf" in part)
    value["anyOf"] = value.pop("oneOf")
    reason = next(part for part in schemas["evaluationSuccess"]["allOf"] if "properties" in part)["properties"]["reason"]
    reason["enum"] += ["DEFAULT", "CACHED", "STALE", "ERROR"]
    schemas["evaluationFailure"]["properties"]["errorCode"]["enum"] += ["FLAG_NOT_FOUND", "TYPE_MISMATCH"]
    return official


def validator(official, path, status):
    schema = copy.deepcopy(official)
    answer = official["paths"][path]["post"]["responses"][str(status)]
    schema.update(answer["content"]["application/json"]["schema"])
    return jsonschema.Draft202012Validator(schema)


def official(service, checks):
    """Every kind of OFREP answer has the shape of the official document."""
    document = edited()
    flags = json.loads((pathlib.Path(__file__).resolve().parent / "ofrep-flags.json").read_text())["flags"]
    for key, definition in flags.items():
        status, body = service.call("PUT", f"/v1/flags/{key}", {"definition": definition, "reason": "test"})
        assert status == 201, body
    id = journey_id()
    service.call("POST", "/v1/journeys", {"id": id, "flow": "trips", "unit": "u", "build": "app:730"})
    single, bulk = "/ofrep/v1/evaluate/flags/{key}", "/ofrep/v1/evaluate/flags"
    contexts = [{}, {"targetingKey": "u"}, {"targetingKey": "u", "email": "mia@example.com", "build": "app:730"},
                {"journey": id}, {"journey": journey_id()}]
    seen = set()
    for context in contexts:
        for key in [*flags, "trips.edit", "trips", "none"]:
            status, body = service.call("POST", single.replace("{key}", key), {"context": context})
            errors = [error.message for error in validator(document, single, status).iter_errors(body)]
            seen.add((status, body.get("reason") or body.get("errorCode")))
            checks.check(f"{key} for {sorted(context)}: {status}", not errors, f"{body} {errors[:2]}")
        status, body = service.call("POST", bulk, {"context": context})
        errors = [error.message for error in validator(document, bulk, status).iter_errors(body)]
        checks.check(f"all flags for {sorted(context)}: {status}", status == 200 and not errors, f"{body} {errors[:2]}")
    status, body = service.call("POST", bulk, {"context": []})
    errors = list(validator(document, bulk, status).iter_errors(body))
    checks.check("all flags for a broken context", status == 400 and not errors, body)
    wanted = {(200, "STATIC"), (200, "DEFAULT"), (200, "TARGETING_MATCH"), (200, "DISABLED"), (400, "GENERAL"),
              (404, "FLAG_NOT_FOUND")}
    checks.check("every kind of answer was among them", wanted <= seen, wanted - seen)


def main():
    checks = Checks()
    print(f"seed {SEED}")
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory).start()
        service.sample()
        if os.environ.get("SIGNALBOX_SUITES"):
            official(service, checks)
        else:
            print("skipped: the official document, SIGNALBOX_SUITES is not set")
            checks.skipped += 1
        document(service, checks)
        checks.check("the server still lives", service.call("GET", "/readyz")[0] == 200)
        checks.check("the server ends cleanly when asked", service.stop() == 0)
    checks.finish()


main()

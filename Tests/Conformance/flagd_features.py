#!/usr/bin/env python3
"""The scenarios of flagd's public evaluator suite, asked over HTTP through the official OpenFeature Python client.

The feature files and their flags are found through SIGNALBOX_SUITES. Bucketing v1 (float percentages) is not
supported and v3 is a generation of its own, so scenarios with those tags are left out.
"""
import glob
import json
import logging
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import Service  # noqa: E402

suites = os.environ.get("SIGNALBOX_SUITES")
if not suites:
    print("SIGNALBOX_SUITES is not set: flagd's evaluator scenarios were not run")
    print("0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

from gherkin.parser import Parser  # noqa: E402
from gherkin.pickles.compiler import Compiler  # noqa: E402
from openfeature import api  # noqa: E402
from openfeature.contrib.provider.ofrep import OFREPProvider  # noqa: E402
from openfeature.evaluation_context import EvaluationContext  # noqa: E402

logging.getLogger("openfeature").setLevel(logging.CRITICAL)
SUITE = pathlib.Path(suites) / "flagd-testbed/evaluator"
LEFT_OUT = {"@fractional-v1", "@fractional-v3"}
READ = {
    "Integer": int,
    "Float": float,
    "String": str,
    "Object": lambda text: json.loads(text.replace('\\"', '"')),
    "Boolean": lambda text: text.lower() == "true",
}


class Scenario:
    """One scenario: what it asks, and what it got."""

    def __init__(self, client):
        self.client, self.key, self.kind, self.default = client, None, None, None
        self.unit, self.attributes, self.details = None, {}, None

    def attribute(self, name, kind, text):
        if name == "targetingKey":
            self.unit = text
        else:
            self.attributes[name] = READ[kind](text)

    def flag(self, kind, key, text):
        self.key, self.kind, self.default = key, kind, READ[kind](text)

    def evaluate(self):
        ask = getattr(self.client, f"get_{self.kind.lower()}_details")
        self.details = ask(self.key, self.default, EvaluationContext(self.unit, self.attributes))

    def value_is(self, text):
        expected, value = READ[self.kind](text), self.details.value
        same(value, expected)
        same(isinstance(value, bool), isinstance(expected, bool))

    def metadata_has(self, rows):
        for name, kind, text in rows[1:]:
            same((self.details.flag_metadata or {}).get(name), READ[kind](text))


def same(got, expected):
    if got != expected:
        raise AssertionError(f"{got!r} is not {expected!r}")


STEPS = [(re.compile(pattern + "$", re.DOTALL), action) for pattern, action in [
    (r"an evaluator", lambda s: None),
    (r'a (\w+)-flag with key "(.*?)" and a (?:fallback|default) value "(.*)"', Scenario.flag),
    (r'a context containing a targeting key with value "(.*)"', lambda s, text: s.attribute("targetingKey", "String", text)),
    (r'a context containing a key "(.*?)", with type "(.*?)" and with value "(.*)"', Scenario.attribute),
    (r'a context containing a key "(.*?)" with null value', lambda s, name: s.attributes.update({name: None})),
    (r'a context containing a nested property with outer key "(.*?)" and inner key "(.*?)", with value "(.*)"',
     lambda s, outer, inner, text: s.attributes.setdefault(outer, {}).update({inner: text})),
    (r"the flag was evaluated with details", Scenario.evaluate),
    (r'the resolved details value should be "(.*)"', Scenario.value_is),
    (r'the reason should be "(.*)"', lambda s, text: same(str(s.details.reason), text)),
    (r'the error-code should be "(.*)"', lambda s, text: same(s.details.error_code.value if s.details.error_code else "", text)),
    (r'the variant should be "(.*)"', lambda s, text: same(s.details.variant, text)),
    (r'the flag key should be "(.*)"', lambda s, text: same(s.key, text)),
    (r"the resolved metadata is empty", lambda s: same(s.details.flag_metadata or {}, {})),
    (r"the resolved metadata should contain", None),
]]


def run(pickle, client):
    scenario = Scenario(client)
    for step in pickle["steps"]:
        for pattern, action in STEPS:
            found = pattern.match(step["text"])
            if not found:
                continue
            if action:
                action(scenario, *found.groups())
            else:
                rows = step["argument"]["dataTable"]["rows"]
                scenario.metadata_has([[cell["value"] for cell in row["cells"]] for row in rows])
            break
        else:
            raise AssertionError(f"no such step: {step['text']}")


def store_flags(service):
    """Puts the suite's flags and evaluators into the service, as an administrator would."""
    file = json.loads((SUITE / "flags/testkit-flags.json").read_text())
    for name, rule in file.get("$evaluators", {}).items():
        status, answer = service.call("PUT", f"/v1/cohorts/{name}", {"rule": rule, "reason": "conformance"})
        assert status in (200, 201), answer
    for key, definition in file["flags"].items():
        # The metadata of a file belongs to each of its flags; the flag's own wins.
        definition["metadata"] = {**file.get("metadata", {}), **definition.get("metadata", {})}
        status, answer = service.call("PUT", f"/v1/flags/{key}", {"definition": definition, "reason": "conformance"})
        assert status in (200, 201), answer


with tempfile.TemporaryDirectory(prefix="signalbox-flagd-") as directory:
    service = Service(directory).start()
    store_flags(service)
    headers = {"Authorization": f"Bearer {service.key}"}
    api.set_provider(OFREPProvider(service.url, headers_factory=lambda: headers))
    passed = failed = left_out = 0
    for path in sorted(glob.glob(str(SUITE / "gherkin/*.feature"))):
        document = Parser().parse(pathlib.Path(path).read_text(encoding="utf8"))
        document["uri"] = path
        for pickle in Compiler().compile(document):
            if LEFT_OUT & {tag["name"] for tag in pickle["tags"]}:
                left_out += 1
                continue
            try:
                run(pickle, api.get_client())
                passed += 1
            except AssertionError as error:
                failed += 1
                print(f"FAIL {os.path.basename(path)}: {pickle['name']}: {error}")
    service.stop()
    print(f"flagd's evaluator scenarios over HTTP ({left_out} of bucketing v1 and v3 left out):")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    raise SystemExit(1 if failed else 0)

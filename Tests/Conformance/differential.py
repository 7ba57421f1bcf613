#!/usr/bin/env python3
"""Random flags and contexts, evaluated by Signalbox and by others: differences that have no reason fail.

Oracles: flagd's core 1.0.0 for bucketing v2 and 2.0.0 for v3, datalogic-py for plain JsonLogic. A seed repeats a run:
`differential.py SEED`.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / ".build/debug/EvaluationDriver"
ORACLE = ROOT / "Tests/Conformance/flagd_core.py"
CORE_2 = ROOT / ".venv/flagd-core-2"



def lacks(operators):
    """Whether one of those operators is given an attribute that the context does not have."""
    def found(rule, context):
        if isinstance(rule, list):
            return any(found(item, context) for item in rule)
        if not isinstance(rule, dict):
            return False
        for name, value in rule.items():
            arguments = value if isinstance(value, list) else [value]
            if name in operators and any(is_missing(argument, context) for argument in arguments):
                return True
            if found(value, context):
                return True
        return False
    return found


def is_missing(rule, context):
    if not isinstance(rule, dict) or list(rule) != ["var"]:
        return False
    path = rule["var"][0] if isinstance(rule["var"], list) else rule["var"]
    for name in str(path).split("."):
        if name.startswith("$flagd"):
            return False
        if not isinstance(context, dict) or context.get(name) is None:
            return True
        context = context[name]
    return False


def compares_strictly(rule):
    """Whether values that may be a truth and a number are compared by === or !==."""
    if isinstance(rule, list):
        return any(compares_strictly(item) for item in rule)
    if not isinstance(rule, dict):
        return False
    for name, value in rule.items():
        if name in ("===", "!==") and not any(isinstance(operand, str) or operand is None for operand in value):
            return True
        if compares_strictly(value):
            return True
    return False


ORDER, EQUALITY, ARITHMETIC = {"<", "<=", ">", ">="}, {"==", "!="}, {"+", "-", "*", "min", "max"}
lacks_number, lacks_equal, lacks_text = lacks(ORDER | ARITHMETIC), lacks(EQUALITY), lacks({"cat"})

# What differs, and why ours is as it is. Each tells from the flag or rule, the context, ours and theirs.
KNOWN = [
    ("the core in Python orders a missing number as no number at all; JsonLogic's reference takes null for 0",
     lambda rule, context, ours, theirs: lacks_number(rule, context)),
    ("the core in Python finds null loosely equal to 0 and to the empty text; JavaScript's == does not",
     lambda rule, context, ours, theirs: lacks_equal(rule, context)),
    ("the core in Python writes null out in cat; JsonLogic's reference adds nothing",
     lambda rule, context, ours, theirs: lacks_text(rule, context)),
    ("the core in Python takes true for 1 and false for 0 when it compares strictly: bool is an int there",
     lambda rule, context, ours, theirs: compares_strictly(rule)),
    ("the core in Python fails by an exception of its own, where misuse gives null",
     lambda rule, context, ours, theirs: theirs[0] == "fault"),
]
KNOWN_RULES = [
    ("datalogic refuses to reckon with null; JsonLogic's reference takes it for 0",
     lambda rule, context, ours, theirs: theirs == "fault" and lacks_number(rule, context)),
    ("datalogic finds null loosely equal to 0 and to the empty text; JavaScript's == does not",
     lambda rule, context, ours, theirs: theirs != "fault" and lacks_equal(rule, context)),
]

NAMES = ["email", "plan", "tier", "version", "beta", "groups", "ratio", "device.os", "missing"]
TEXTS = ["", "a", "10", "9", "pro", "mia@example.com", "1.2.3", "v2.0.0-rc.1", "1.2", "true", "Zürich", "😀"]
NUMBERS = [0, 1, -1, 2, 9, 10, 17, 100, 0.5, 1.0, -2.5, 1e6]


def literal(rng):
    return rng.choice([rng.choice(TEXTS), rng.choice(TEXTS), rng.choice(NUMBERS), True, False, None])


def variable(rng):
    name = rng.choice(NAMES + ["targetingKey", "$flagd.flagKey"])
    return {"var": name} if rng.random() < 0.7 else {"var": [name, literal(rng)]}


def text(rng):
    return rng.choice([rng.choice(TEXTS), {"var": rng.choice(["email", "plan", "version"])}])


def number(rng):
    return rng.choice([rng.choice(NUMBERS), {"var": rng.choice(["tier", "ratio"])}])


def operand(rng, depth):
    return rng.choice([lambda: literal(rng), lambda: variable(rng), lambda: condition(rng, depth - 1)])()


def condition(rng, depth):
    """A rule that gives a truth, or something taken for one."""
    if depth <= 0:
        return variable(rng)
    kinds = [
        lambda: {rng.choice(["===", "!=="]): [operand(rng, depth), operand(rng, depth)]},
        lambda: {rng.choice(["==", "!="]): [text(rng), text(rng)]},
        lambda: {rng.choice(["==", "!=", "<", "<=", ">", ">="]): [number(rng), number(rng)]},
        lambda: {rng.choice(["<", "<="]): [number(rng), number(rng), number(rng)]},
        lambda: {rng.choice(["and", "or"]): [condition(rng, depth - 1) for _ in range(rng.randint(1, 3))]},
        lambda: {rng.choice(["!", "!!"]): [condition(rng, depth - 1)]},
        lambda: {"in": [text(rng), rng.choice([[text(rng) for _ in range(rng.randint(0, 4))], text(rng)])]},
        lambda: {rng.choice(["<", ">"]): [arithmetic(rng, depth - 1), number(rng)]},
        lambda: {"if": [condition(rng, depth - 1), condition(rng, depth - 1), condition(rng, depth - 1)]},
        lambda: {rng.choice(["all", "some", "none"]): [
            rng.choice([{"var": "groups"}, ["a", "beta", "b"]]), {"===": [{"var": ""}, rng.choice(["a", "beta"])]}]},
    ]
    return rng.choice(kinds)()


def extension(rng, depth):
    return rng.choice([
        lambda: {rng.choice(["starts_with", "ends_with"]): [operand(rng, 1), operand(rng, 1)]},
        lambda: {"sem_ver": [text(rng), rng.choice(["=", "!=", ">", "<", ">=", "<=", "~", "^", "*"]), text(rng)]},
        lambda: {"$ref": rng.choice(["small", "large"])},
    ])()


def arithmetic(rng, depth):
    if depth <= 0:
        return number(rng)
    return {rng.choice(["+", "-", "*", "min", "max"]): [arithmetic(rng, depth - 1), arithmetic(rng, depth - 1)]}


def bucket_by(rng, version):
    choices = [lambda: {"cat": ["salt", {"var": "targetingKey"}]}, lambda: {"var": "email"}, lambda: text(rng)]
    if version == 3:
        choices += [lambda: {"var": rng.choice(NAMES)}, lambda: rng.choice(NUMBERS), lambda: {"var": "device"}]
    return rng.choice(choices)()


def split(rng, depth, version, variants):
    shares = []
    for _ in range(rng.randint(1, 5)):
        variant = rng.choice(variants) if rng.random() < 0.9 else targeting(rng, depth - 1, version, variants)
        weight = rng.choice([1, 2, 10, 50, 0, -5, 100_000, {"if": [condition(rng, 1), 10, 20]}])
        shares.append([variant] if rng.random() < 0.2 else [variant, weight])
    if rng.random() < 0.6:
        shares.insert(0, bucket_by(rng, version))
    return {"fractional": shares}


def targeting(rng, depth, version, variants):
    if depth <= 0:
        return rng.choice(variants + [None])
    kinds = [
        lambda: split(rng, depth, version, variants), lambda: split(rng, depth, version, variants),
        lambda: {"if": [
            test for _ in range(rng.randint(1, 3))
            for test in (rng.choice([condition, extension])(rng, 3), targeting(rng, depth - 1, version, variants))
        ] + ([targeting(rng, depth - 1, version, variants)] if rng.random() < 0.7 else [])},
        lambda: rng.choice([condition, extension])(rng, 3),
        lambda: rng.choice(variants),
    ]
    return rng.choice(kinds)()


def flag(rng, version):
    names, values = rng.choice([
        (["true", "false"], [True, False]), (["a", "b", "c"], ["x", "y", "z"]), (["on", "off", "1"], [1, 2.5, 0]),
    ])
    definition = {"state": "ENABLED" if rng.random() < 0.95 else "DISABLED", "variants": dict(zip(names, values))}
    if rng.random() < 0.8:
        definition["defaultVariant"] = rng.choice(names)
    rule = targeting(rng, 3, version, names)
    if isinstance(rule, dict):
        definition["targeting"] = rule
    return definition


def context(rng):
    made = {"email": rng.choice(TEXTS), "plan": rng.choice(TEXTS), "tier": rng.choice(NUMBERS),
            "version": rng.choice(TEXTS), "beta": rng.choice([True, False]), "ratio": rng.choice(NUMBERS),
            "groups": [rng.choice(["a", "b", "beta"]) for _ in range(rng.randint(0, 3))],
            "device": {"os": rng.choice(TEXTS), "scale": rng.choice(NUMBERS)}}
    made = {name: value for name, value in made.items() if rng.random() < 0.85}
    if rng.random() < 0.9:
        made["targetingKey"] = f"unit-{rng.randint(0, 10_000)}"
    return made


def batch(rng, version):
    evaluators = {"small": condition(rng, 2), "large": condition(rng, 2)}
    flags = {f"flag-{index:02}": flag(rng, version) for index in range(20)}
    return {"bucketing": f"v{version}", "file": {"flags": flags, "$evaluators": evaluators},
            "contexts": [context(rng) for _ in range(10)]}


def answers(command, requests, environment=None):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Count:
    """What agreed, what differed for a known reason, and what for none."""

    def __init__(self):
        self.passed, self.failed, self.known = 0, 0, collections.Counter()

    def compare(self, table, rule, context, ours, theirs):
        if ours == theirs:
            self.passed += 1
            return
        for reason, applies in table:
            if applies(rule, context, ours, theirs):
                self.known[reason] += 1
                return
        self.failed += 1
        if self.failed <= int(os.environ.get("SHOWN", 10)):
            print(f"  rule    {json.dumps(rule)}\n  context {json.dumps(context)}\n  ours    {ours}\n  theirs  {theirs}")


def compare_flags(version, seed, batches, count):
    rng = random.Random(f"{seed}/v{version}")
    requests = [batch(rng, version) for _ in range(batches)]
    environment = dict(os.environ)
    if version == 3:
        environment["PYTHONPATH"] = str(CORE_2)
    ours = answers([DRIVER], requests)
    theirs = answers([sys.executable, ORACLE], requests, environment)
    for request, our, their in zip(requests, ours, theirs, strict=True):
        if isinstance(our, dict):
            count.compare([], request["file"], None, our, "stored")
            continue
        cases = [(definition, context) for _, definition in sorted(request["file"]["flags"].items())
                 for context in request["contexts"]]
        for (definition, context), mine, other in zip(cases, our, their, strict=True):
            count.compare(KNOWN, {**definition, "$evaluators": request["file"]["$evaluators"]}, context, mine, other)


def compare_rules(seed, number_of_rules, count):
    import datalogic_py

    engine = datalogic_py.Engine()
    rng = random.Random(f"{seed}/rules")
    requests = [{"rule": condition(rng, 4), "data": context(rng)} for _ in range(number_of_rules)]
    ours = answers([DRIVER], requests)
    for request, mine in zip(requests, ours, strict=True):
        try:
            theirs = json.loads(engine.eval_str(json.dumps(request["rule"]), json.dumps(request["data"])))
        except datalogic_py.EvaluateError:
            theirs = "fault"
        count.compare(KNOWN_RULES, request["rule"], request["data"], mine, theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", nargs="?", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--batches", type=int, default=20)
    arguments = parser.parse_args()
    if not CORE_2.exists():
        print("skipped: no second core of flagd; deploy/bootstrap test installs it")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    total = [0, 0]
    for name, run in [
        ("flagd core 1.0.0, v2", lambda count: compare_flags(2, arguments.seed, arguments.batches, count)),
        ("flagd core 2.0.0, v3", lambda count: compare_flags(3, arguments.seed, arguments.batches, count)),
        ("datalogic, JsonLogic", lambda count: compare_rules(arguments.seed, arguments.batches * 100, count)),
    ]:
        count = Count()
        run(count)
        print(f"{name}, seed {arguments.seed}: {count.passed} agree, {count.failed} differ,"
              f" {sum(count.known.values())} differ for a known reason")
        for reason, times in count.known.most_common():
            print(f"  {times}: {reason}")
        total[0] += count.passed
        total[1] += count.failed
    print(f"{total[0]} passed, {total[1]} failed, 0 skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    raise SystemExit(main())

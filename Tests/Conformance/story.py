#!/usr/bin/env python3
"""Two routes on their whole way, through the command line alone: one to where its legacy entry is deleted, one into an
island and back."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from service import ROOT, Checks, Service  # noqa: E402

ROUTE = "trips.edit"
COLLEAGUE = '{"email": "mia@example.com"}'
WHY = ("--reason", "a story")


class Story:
    """What both routes need: steps that are checked by their exit code and one fact of what is said."""

    def __init__(self, service, directory):
        self.service = service
        self.directory = directory
        self.checks = Checks()
        self.journeys = 0
        self.legacy = []

    def step(self, what, *arguments, code=0, says=""):
        seen, output = self.service.run(*arguments)
        self.checks.check(what, seen == code and says in output, f"exit {seen}, asked {code} and '{says}': {output}")
        return output

    def json(self, *arguments):
        seen, output = self.service.run(*arguments, "--json")
        return json.loads(output) if output.startswith("{") else {"exit": seen, "output": output}

    def place(self, what, *expected, route=ROUTE):
        shown = self.json("route", "show", route)
        seen = tuple(shown.get(name) for name in ("stage", "status", "step"))
        self.checks.check(what, seen[:len(expected)] == expected, seen)

    def blocked(self, what, *gates, route=ROUTE):
        """The gates of the next move that block it, and no other."""
        shown = self.json("route", "gates", route)
        seen = sorted(gate["name"] for gate in shown["gates"] if gate["blocks"])
        self.checks.check(what, seen == sorted(gates), seen)

    def push(self, what, kind, artefact, build="app:730", route=ROUTE, code=0, says="pass"):
        file = artefact
        if not isinstance(artefact, pathlib.Path):
            file = self.directory / f"{kind}.json"
            file.write_text(artefact if isinstance(artefact, str) else json.dumps({"kind": kind, **artefact}))
        return self.step(what, "evidence", "push", route, "--kind", kind, "--build", build, "--artefact", str(file), *WHY,
                         code=code, says=says)

    def renderer(self, unit, build="app:730", route=ROUTE, context="{}"):
        journey = self.json("journey", "start", route.split(".")[0], "--unit", unit, "--build", build,
                            "--context", context)
        self.journeys += 1
        renderer = journey["choices"][route]["renderer"]
        if renderer == "legacy":
            self.legacy.append(journey["id"])
        return renderer

    def is_given(self, what, expected, unit, **more):
        seen = self.renderer(unit, **more)
        self.checks.check(what, seen == expected, seen)

    def build(self, number, version, renderers, *more, route=ROUTE):
        self.step(f"build {number} with {renderers} is registered", "build", "register", f"app:{number}",
                  "--version", version, "--released-at", "now", "--route", f"{route}={renderers}", *more, *WHY)


def recordings(flow, contract, build, samples):
    """Recordings of both entries with samples of one class of device."""
    def recording(renderer, run):
        lines = [{"kind": "header", "flow": flow, "scenario": ROUTE, "renderer": renderer, "run": run,
                  "contract": contract, "app": "app", "build": build, "os": "17.4", "device": "low", "locale": "en",
                  "contentSize": "default", "recorder": "story/1", "seed": 0},
                 {"kind": "perf", "metric": "open", "unit": "ms", "samples": samples}]
        lines.append({"kind": "end", "lines": len(lines) + 1})
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return {"legacy": recording("legacy", 1), "control": recording("legacy", 2), "migrated": recording("migrated", 1)}


def source_tree(directory):
    """A small app in a repository of its own, in which the legacy entry is still opened from one place."""
    tree = directory / "app"
    tree.mkdir()
    (tree / "Trips.swift").write_text("// TripEditController is gone one day\nlet editor = TripEditController()\n")
    (tree / "Home.swift").write_text('open("home")\n')
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tree, check=True)
    return tree, commit(tree, "with legacy")


def commit(tree, message):
    identity = ["-c", "user.name=story", "-c", "user.email=story@example.com"]
    subprocess.run(["git", *identity, "commit", "-qam", message], cwd=tree, check=True)
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree, check=True, capture_output=True,
                          text=True).stdout.strip()


def to_the_ladder(story):
    """notStarted to the first step."""
    story.step("a cohort is made", "cohort", "set", "internal", "--rule",
               '{"ends_with": [{"var": "email"}, "@example.com"]}', *WHY)
    story.step("a flow is made", "flow", "create", "trips", "--owner", "team", *WHY)
    story.step("a route is registered", "route", "register", ROUTE, "--flow", "trips", "--owner", "team", *WHY)
    story.blocked("it lacks nearly all that the first move asks", "purpose", "contract", "bothRenderers", "entryPoints")
    story.step("which no force gets past, because no build has both", "route", "advance", ROUTE, "--force", *WHY, code=1,
               says="bothRenderers")
    story.build(720, "7.20", "legacy")
    story.build(730, "7.30", "legacy,migrated")
    story.step("what is missing is said", "route", "edit", ROUTE, "--purpose", "SwiftUI", "--contract",
               str(ROOT / f"deploy/sample-contracts/{ROUTE}.json"), "--entry-point", "deepLink=trips/{id}/edit",
               "--legacy-symbol", "TripEditController", *WHY)
    story.step("the census is checked", "evidence", "list", "--route", ROUTE, says="no evidence")
    story.push("by a list of what the app has", "entryPoints",
               {"entryPoints": [{"kind": "deepLink", "source": "trips/{id}/edit"}]})
    story.step("the gates pass", "route", "gates", ROUTE, "--require")
    story.step("the route is compatible", "route", "advance", ROUTE, *WHY)
    story.place("and says so", "compatible", "active")

    story.is_given("who is not named gets legacy", "legacy", "u-1", context=COLLEAGUE)
    story.step("a tester is named", "override", "set", ROUTE, "--unit", "tester", "--renderer", "migrated", "--owner", "qa",
               "--expires", "1d", *WHY)
    story.is_given("and gets migrated", "migrated", "tester")
    story.is_given("but not in a build without it", "legacy", "tester", build="app:720")

    story.blocked("the ladder waits for proof", "plan", "deletion", "parity", "rehearsal", "stopConditions")
    story.step("it may not be forced while nothing watches", "route", "advance", ROUTE, "--force", *WHY, code=1,
               says="stopConditions")
    story.step("and that gate is not to be waived", "waiver", "grant", ROUTE, "stopConditions", "--move",
               "partialRollout", "--expires", "1d", *WHY, code=1)
    story.step("a plan is made", "route", "plan", ROUTE, "--step", "internal=100%", "--step", "100%,approval",
               "--legacy-share-at-deletion", "5%", *WHY)
    story.step("a plan that shrinks is refused", "route", "plan", ROUTE, "--step", "50%", "--step", "10%", *WHY, code=1,
               says="plan_shrinks")
    story.step("somebody will delete legacy", "route", "edit", ROUTE, "--deletion-date", "2031-12-31",
               "--deletion-owner", "team", *WHY)
    story.push("an artefact that is not what it says is refused", "parity", '{"kind":"entryPoints"}', code=1,
               says="artefact_invalid")
    story.push("recordings of both entries agree", "parity",
               ROOT / f"deploy/sample-evidence/{ROUTE}.parity.json", says="largest")
    story.service.freeze_conditions(ROUTE)
    story.step("conditions are frozen", "condition", "list", ROUTE, says="completion")
    story.step("a rehearsal begins", "route", "rehearse", ROUTE, "--cohort", "internal", "--time", "1m", *WHY)
    story.is_given("colleagues get migrated meanwhile", "migrated", "u-2", context=COLLEAGUE)
    story.is_given("and nobody else", "legacy", "u-2")
    story.step("it is ended early", "route", "rehearse", ROUTE, "--end", *WHY)
    story.is_given("and colleagues are back on legacy", "legacy", "u-3", context=COLLEAGUE)
    story.blocked("which proves nothing", "rehearsal")
    story.step("so it is waived", "waiver", "grant", ROUTE, "rehearsal", "--expires", "1d", *WHY)
    story.step("and the ladder is entered", "route", "advance", ROUTE, *WHY)
    story.place("at its first step", "partialRollout", "active", 1)


def to_the_end(story):
    """The first step to oldDeleted."""
    story.is_given("colleagues get migrated", "migrated", "u-4", context=COLLEAGUE)
    story.is_given("others get legacy", "legacy", "u-5")
    story.step("the next step waits for an approval", "route", "advance", ROUTE, *WHY, code=1, says="approval")
    story.step("it is given", "route", "approve", ROUTE, *WHY)
    story.step("and the step is taken", "route", "advance", ROUTE, *WHY)
    story.place("now all units are in", "partialRollout", "active", 2)
    story.step("something is wrong", "route", "rollback", ROUTE, *WHY)
    story.is_given("and everybody gets legacy", "legacy", "u-4", context=COLLEAGUE)
    story.step("nobody goes on without naming the cause", "route", "resume", ROUTE, *WHY, code=1, says="cause_required")
    story.step("nor advances", "route", "advance", ROUTE, *WHY, code=1, says="illegal_move")
    story.step("the cause is named", "route", "resume", ROUTE, "--cause", "fixed in 7.31", *WHY)
    story.place("it is back at step 1", "partialRollout", "active", 1)
    story.step("approved again", "route", "approve", ROUTE, *WHY)
    story.step("it climbs again", "route", "advance", ROUTE, *WHY)
    story.is_given("and all get migrated", "migrated", "u-6")

    story.blocked("the default waits for judgement and proof", "stopConditions", "performance", "accessibilityAudit")
    contract = story.json("route", "show", ROUTE)["contractHash"]
    values = [100 + n % 7 for n in range(200)]
    story.push("performance on a slow device is no worse", "performance",
               {"deviceTier": "low", "runs": [recordings("trips", contract, "730", values)]})
    story.push("an open defect of severity 1 fails", "accessibilityAudit",
               {"defects": [{"id": "A1", "severity": 1, "open": True}]}, code=1, says="fail")
    story.push("closed it passes", "accessibilityAudit", {"defects": [{"id": "A1", "severity": 1, "open": False}]})
    story.step("what is not judged cannot be forced", "route", "advance", ROUTE, "--force", *WHY, code=1,
               says="stopConditions")
    story.step("only a waiver passes it", "waiver", "grant", ROUTE, "stopConditions", "--move", "defaultNew", "--expires",
               "1d", *WHY)
    story.step("migrated is the default", "route", "advance", ROUTE, *WHY)
    story.place("and says so", "defaultNew", "active", 0)

    story.blocked("legacy stays until two releases are out", "releases", "restorationFixtures")
    story.build(731, "7.31", "legacy,migrated")
    story.build(732, "7.32", "legacy,migrated")
    story.push("a fixture that does not decode fails", "restorationFixtures",
               {"fixtures": [{"release": "7.31", "fixture": "trip.json", "decodes": False}]}, "app:732", code=1, says="fail")
    story.push("the fixtures of both decode", "restorationFixtures", {"fixtures": [
        {"release": release, "fixture": "trip.json", "decodes": True} for release in ("7.31", "7.32")]}, "app:732")
    story.step("legacy is disabled", "route", "advance", ROUTE, *WHY)
    story.place("and says so", "oldDisabled", "active")

    delete(story)


def delete(story):
    """oldDisabled to oldDeleted."""
    tree, first = source_tree(story.directory)
    story.blocked("it is not deleted while no build is without it", "codeReferences", "deletionBuild", "livePins",
                  "oldBuilds")
    story.build(733, "7.33", "legacy,migrated", "--commit", first)
    found = story.step("the source still names legacy", "refs", "scan", str(tree), "--route", ROUTE, "--json", code=1)
    story.push("and its scan shows it, as it was printed", "codeReferences", found, "app:733", code=1,
               says="Trips.swift:2")
    (tree / "Trips.swift").write_text("// TripEditController is gone\nlet editor = TripEditor()\n")
    story.step("a tree that was changed is not its commit", "refs", "scan", str(tree), "--route", ROUTE, says="differs")
    second = commit(tree, "without legacy")
    story.build(734, "7.34", "migrated", "--commit", second)
    clean = story.step("nothing is left in the next commit", "refs", "scan", str(tree), "--route", ROUTE, "--json")
    story.push("which is not the commit of another build", "codeReferences", clean, "app:733", code=1,
               says="artefact_invalid")
    story.blocked("journeys of old builds keep it", "codeReferences", "livePins", "oldBuilds")
    story.push("nothing refers to legacy in the build without it", "codeReferences", clean, "app:734")
    story.step("no force gets past journeys in flight", "route", "advance", ROUTE, "--force", *WHY, code=1,
               says="livePins")
    for journey in story.legacy:
        story.service.must("journey", "finish", journey, "--status", "completed")
    story.blocked("they end, and old builds are still in use", "oldBuilds")
    for number in range(25 * story.journeys):
        story.renderer(f"n-{number}", build="app:734")
    story.blocked("until most use the new one")
    story.step("legacy is deleted", "route", "advance", ROUTE, *WHY)
    story.place("and says so", "oldDeleted", "active")
    story.is_given("everybody gets migrated", "migrated", "u-9", build="app:734")
    story.is_given("who has only legacy compiled keeps it", "legacy", "u-9", build="app:720")
    story.step("a rollback names who could still obey", "route", "rollback", ROUTE, *WHY, code=1, says="app:733")
    story.step("a later build has legacy no more", "build", "register", "app:735", "--version", "7.35", "--route",
               f"{ROUTE}=legacy,migrated", *WHY, code=1, says="renderer_deleted")


def to_an_island(story):
    """Another route, which stays legacy for a time."""
    route = "trips.legal"
    story.step("another route is registered", "route", "register", route, "--flow", "trips", "--owner", "team",
               "--purpose", "SwiftUI", "--contract", str(ROOT / "deploy/sample-contracts/trips.detail.json"),
               "--entry-point", "inApp=settings", *WHY)
    story.step("it is to stay as it is", "route", "island", route, "--owner", "team", "--review-date", "2031-01-31", *WHY)
    story.place("and does", "notStarted", "island", 0, route=route)
    story.step("an island does not advance", "route", "advance", route, *WHY, code=1, says="illegal_move")
    story.step("without a build it does not come back", "route", "resume", route, *WHY, code=1, says="bothRenderers")
    story.step("nor is it rolled back", "route", "rollback", route, *WHY, code=1, says="illegal_move")
    story.build(736, "7.36", "legacy,migrated", route=route)
    story.is_given("it gives legacy", "legacy", "u-1", build="app:736", route=route)
    story.step("it comes back", "route", "resume", route, *WHY)
    story.place("to compatible", "compatible", "active", 0, route=route)
    story.step("and leaves again", "route", "island", route, "--owner", "team", "--review-date", "2031-01-31", *WHY)
    story.step("a review in the past is refused", "route", "island", route, "--owner", "team", "--review-date",
               "2020-01-31", *WHY, code=1, says="invalid_field")
    story.step("its owner stands in what is shown", "route", "show", route, says="2031-01-31")
    story.step("it comes back again", "route", "resume", route, *WHY)
    story.place("to compatible, the ladder still before it", "compatible", "active", 0, route=route)


with tempfile.TemporaryDirectory(prefix="signalbox-story-") as directory:
    service = Service(directory).start()
    story = Story(service, pathlib.Path(directory))
    to_the_ladder(story)
    to_the_end(story)
    to_an_island(story)
    story.step("the audit verifies", "audit", "verify")
    story.checks.check("the server ends cleanly when asked", service.stop() == 0)
    story.checks.finish()

"""A signalbox server for a test: started on a free port over a directory, and spoken to over HTTP."""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("SIGNALBOX_PROGRAM", ROOT / ".build/release/signalbox"))


class Service:
    """One server process over one data directory. It can be killed and started again."""

    def __init__(self, directory, *arguments):
        self.directory = pathlib.Path(directory)
        self.arguments = arguments
        self.process = None
        self.environment = {}
        self.port = 0
        self.ready_seconds = 0.0

    def start(self, is_ready=True):
        """Starts the server and returns when it answers /readyz. The port is kept across restarts."""
        began = time.monotonic()
        self.log = open(self.directory / "server.log", "ab")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--data", self.directory / "data", "--listen", f"127.0.0.1:{self.port}",
             *self.arguments],
            stdout=subprocess.PIPE, stderr=self.log, env=dict(os.environ, **self.environment))
        for line in iter(self.process.stdout.readline, b""):
            if line.startswith(b"listening on http://"):
                break
        else:
            log = (self.directory / "server.log").read_text()
            raise RuntimeError(f"the server did not start: {log}")
        self.port = int(line.rsplit(b":", 1)[1])
        status, _ = self.call("GET", "/readyz")
        assert (status == 200) == is_ready, status
        self.ready_seconds = time.monotonic() - began
        return self

    def kill(self):
        """kill -9, at whatever instruction it is."""
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self):
        """Asks it to end, and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self):
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()
        return code

    @property
    def key(self):
        return (self.directory / "data/admin.key").read_text().strip()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def run(self, *arguments):
        """Runs a command of the command line against the server; gives its exit code and its output."""
        environment = dict(os.environ, SIGNALBOX_URL=self.url,
                           SIGNALBOX_KEY_FILE=str(self.directory / "data/admin.key"))
        done = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def must(self, *arguments):
        """The same, for a command that has to succeed."""
        code, output = self.run(*arguments)
        assert code == 0, f"signalbox {' '.join(map(str, arguments))}: exit {code}\n{output}"
        return output

    def sample(self):
        """Registers the sample flows."""
        environment = dict(os.environ, SIGNALBOX_URL=self.url,
                           SIGNALBOX_KEY_FILE=str(self.directory / "data/admin.key"))
        subprocess.run([ROOT / "deploy/sample", PROGRAM], env=environment, check=True, stdout=subprocess.DEVNULL,
                       timeout=120)

    def roll_out(self, route="trips.edit", reason="test"):
        """Brings a route to the first step of its ladder: conditions are frozen, missing evidence is passed by force."""
        self.freeze_conditions(route, reason)
        self.must("route", "advance", route, "--reason", reason)
        self.must("route", "advance", route, "--force", "--reason", reason)

    def freeze_conditions(self, route, reason="test"):
        """Writes and freezes what a route must be watched by."""
        for metric, options in (("crash", ("--margin", "2")), ("hang", ("--margin", "2")),
                                ("completion", ("--margin", "0.01", "--planned-units", "20000"))):
            self.must("condition", "put", route, metric, "--metric", metric, *options, "--alpha-share", "0.015",
                      "--action", "rollback", "--reason", reason)
        self.must("condition", "freeze", route, "--reason", reason)

    def call(self, method, path, body=None):
        """One request on a connection of its own: status and decoded body."""
        with Connection(self) as connection:
            return connection.call(method, path, body)


class Connection:
    """A connection that is kept open, as an app's would be."""

    def __init__(self, service):
        self.http = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
        key = service.directory / "data/admin.key"
        self.headers = {"Content-Type": "application/json"}
        if key.exists():
            self.headers["Authorization"] = "Bearer " + key.read_text().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.close()

    def call(self, method, path, body=None):
        self.http.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.http.getresponse()
        data = answer.read()
        return answer.status, json.loads(data) if data else None


_counter = threading.Lock()


def journey_id(now=None):
    """A UUIDv7 of this moment."""
    milliseconds = int((time.time() if now is None else now) * 1000)
    with _counter:
        random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds << 80) | (0x7 << 76) | ((random >> 68 & 0xFFF) << 64) | (0b10 << 62) | (random & (1 << 62) - 1)
    return str(uuid.UUID(int=value))


def figures(drill, **values):
    """What a drill counted: a line for people that the table at the end of `make drill` is made of."""
    print("FIGURES " + json.dumps({"drill": drill, **values}), flush=True)


class Checks:
    """Counts what held and what did not, and prints each."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, what, holds, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f' ({seen})'}", flush=True)
        return holds

    def skip(self, what, why):
        """Something that cannot be looked at here. Said loudly: it is not proved."""
        self.skipped += 1
        print(f"SKIP {what}: {why}", flush=True)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        raise SystemExit(1 if self.failed else 0)

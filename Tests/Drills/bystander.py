"""What a crowd does to others: an honest client that measures, and what the server holds meanwhile."""
import http.client
import json
import multiprocessing
import pathlib
import resource
import time

#: What the honest client asks.
BODY = json.dumps({"context": {"targetingKey": "u-1", "email": "mia@example.com"}}).encode()


class Good:
    """An honest client on one connection that evaluates and measures. A process, so that the crowd's own threads do not hold
    it up."""

    #: The highest 99th percentile that was reported, in milliseconds.
    slowest = 0

    def __init__(self, service):
        self.service = service
        self.latencies, self.failures = [], []
        self.stopped = multiprocessing.Event()
        self.results = multiprocessing.SimpleQueue()
        self.process = multiprocessing.Process(target=self.run, daemon=True)

    def run(self):
        latencies, failures = [], []
        headers = {"Authorization": f"Bearer {self.service.key}"}
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=20)
        while not self.stopped.is_set():
            began = time.monotonic()
            try:
                connection.request("POST", "/ofrep/v1/evaluate/flags/new-search", BODY, headers)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failures.append(answer.status)
            except (OSError, http.client.HTTPException) as error:
                failures.append(type(error).__name__)
                connection.close()
            latencies.append(time.monotonic() - began)
            time.sleep(0.002)
        self.results.put((latencies, failures))

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.latencies, self.failures = self.results.get()
        self.process.join()

    @property
    def p99(self):
        ordered = sorted(self.latencies)
        return ordered[len(ordered) * 99 // 100] * 1000

    def report(self, checks, what, quiet):
        Good.slowest = max(Good.slowest, self.p99)
        # Below that it is the machine's scheduler that is measured.
        bound = max(3 * quiet, 25)
        print(f"{what}: good clients' p99 {self.p99:.1f} ms (quiet {quiet:.1f}), {len(self.latencies)} requests")
        checks.check(f"good clients stay served and fast during: {what}", not self.failures and self.p99 <= bound,
                     (self.failures[:3], self.p99))


def memory(service):
    """Resident memory in kilobytes."""
    for line in open(f"/proc/{service.process.pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def descriptors(service):
    return len(list(pathlib.Path(f"/proc/{service.process.pid}/fd").iterdir()))


def with_descriptors(wanted):
    """Lets this program and what it starts have as many descriptors as that, or as many as are allowed; says how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = max(soft, min(wanted, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed

#!/usr/bin/env python3
"""A server under steady load for a long time: memory, descriptors and answer times must not drift.

Clients start and end journeys, evaluate flags and change a route at a rate that is about half of what the machine takes.
soak.py [--minutes N] [--rate N]
"""
import argparse
import os
import threading
import time

from faults import Checks, Connection, Service, Workspace, copy_of, evaluates, figures, flip, prepared, start_journey

parser = argparse.ArgumentParser()
parser.add_argument("--minutes", type=float, default=60)
parser.add_argument("--rate", type=int, default=300, help="rounds a second: a pin, an evaluation, sometimes an outcome")
options = parser.parse_args()
CLIENTS = 6
SLICES = 12


def resident(process):
    """Resident memory in KB, and open descriptors."""
    with open(f"/proc/{process.pid}/status") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return memory, len(os.listdir(f"/proc/{process.pid}/fd"))


with Workspace("soak") as directory:
    checks = Checks()
    service = Service(copy_of(prepared(directory), directory / "home")).start()
    stopped = threading.Event()
    times, failures = [], []

    def client(number):
        turn, due = 0, time.monotonic()
        while not stopped.is_set():
            with Connection(service) as connection:  # a new connection now and then, as apps do
                for _ in range(200):
                    if stopped.is_set():
                        break
                    due = max(due + CLIENTS / options.rate, time.monotonic() - 1)
                    time.sleep(max(0, due - time.monotonic()))
                    began = time.monotonic()
                    identity, status, answer = start_journey(connection, f"s-{number}-{turn % 5000}")
                    times.append((began, time.monotonic() - began))
                    if status != 201 or not answer["pinned"] or not evaluates(connection):
                        failures.append(status)
                    if turn % 3 == 0:
                        connection.call("POST", f"/v1/journeys/{identity}/outcome", {"status": "completed"})
                    if number == 0 and turn % 100 < 2:
                        failures.extend([] if flip(connection, turn % 100)[0] == 200 else ["flip"])
                    turn += 1

    threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    memory, descriptors, p99s = [], [], []
    for number in range(SLICES):
        time.sleep(options.minutes * 60 / SLICES)
        kilobytes, count = resident(service.process)
        slice_, times[:] = sorted(took for _, took in times), []
        memory.append(kilobytes)
        descriptors.append(count)
        p99s.append(slice_[int(len(slice_) * 0.99)] * 1000 if slice_ else 0)
        print(f"{(number + 1) * options.minutes / SLICES:6.1f} min  {kilobytes / 1024:7.1f} MB  {count:4} descriptors  "
              f"p99 {p99s[-1]:6.1f} ms  {len(slice_)} journeys", flush=True)
    stopped.set()
    for thread in threads:
        thread.join()
    # The first third fills caches (journeys that are remembered, pages); after it nothing may grow.
    settled = memory[SLICES // 3:]
    growth = settled[-1] / settled[0] - 1
    middle = sorted(p99s[1:])[len(p99s) // 2]
    figures("soak", cycles=round(options.minutes), acknowledged=None, lost=len(failures), p99_ms=round(middle, 1),
            bytes=memory[-1] * 1024, note=f"memory {growth:+.1%} after the first third, descriptors {min(descriptors)} to "
            f"{max(descriptors)}, p99 {min(p99s):.1f} to {max(p99s):.1f} ms")
    checks.check("every request was answered well", not failures, failures[:5])
    checks.check("memory is flat within 10 %", growth < 0.10, memory)
    checks.check("descriptors do not pile up", max(descriptors) <= descriptors[0] + 4 * CLIENTS, descriptors)
    checks.check("the answer times do not drift", sorted(p99s[-3:])[1] <= 3 * max(sorted(p99s[:3])[1], 1), p99s)
    checks.check("the server ends cleanly when asked", service.stop() == 0)
    code, output = service.run("doctor", "--data", directory / "home/data")
    checks.check("the doctor finds nothing broken", code in (0, 2) and " fault " not in output, output)
    checks.finish()

#!/usr/bin/env python3
"""What people do to a store: a second server, the sqlite3 shell, an older release, a kill in the middle of a migration.

store_misuse.py [--every N]
"""
import argparse
import hashlib
import pathlib
import re
import sqlite3
import subprocess

from faults import KILL, PROGRAM, SYNCS, WRITES, Checks, Connection, Service, SpoiledService, Workspace, build_shim, copy_of
from faults import evaluates, figures, flip, prepared, start_journey

parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=9, help="kill at call 1, 1 + N, …")
options = parser.parse_args()


def digest(data):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in data.glob("signalbox.db*")
            if not path.name.endswith((".lock", "-shm")) and path.stat().st_size}


def serve(data):
    """Tries to serve a data directory that should be refused: exit code and output."""
    done = subprocess.run([PROGRAM, "serve", "--data", data, "--listen", "127.0.0.1:0"], capture_output=True, text=True,
                          timeout=20)
    return done.returncode, done.stdout + done.stderr


def shell(data, sql):
    connection = sqlite3.connect(data / "signalbox.db")
    connection.executescript(sql)
    connection.close()


def is_refused(data, code):
    """Whether the start is refused with that code, in one line, and changes no byte."""
    before = digest(data)
    status, output = serve(data)
    return status == 69 and f"signalbox: {code}:" in output and digest(data) == before, (status, output)


with Workspace("misuse", fast=True) as directory:
    checks = Checks()
    data = prepared(directory)

    service = Service(copy_of(data, directory / "second")).start()
    with Connection(service) as connection:
        status, output = serve(directory / "second/data")
        checks.check("a second server is refused with one line", status == 69 and "store_locked" in output, output)
        checks.check("and the first goes on", start_journey(connection)[2]["pinned"])

        code, output = service.run("doctor")
        checks.check("the doctor finds nothing broken", code in (0, 2) and " fault " not in output, output)

        shell(directory / "second/data", "UPDATE environments SET swept_at = swept_at + 1")
        identity, status, answer = start_journey(connection)
        checks.check("a write of the sqlite3 shell is noticed: no pin is promised", answer.get("pinned") is False, answer)
        status, answer = flip(connection, 0)
        checks.check("a change is refused by name", (status, answer["error"]["code"]) == (503, "store_foreign_writer"), answer)
        checks.check("flags are evaluated", evaluates(connection))
        status, answer = connection.call("GET", "/readyz")
        checks.check("/readyz says so", (status, answer["store"]) == (503, "store_foreign_writer"), answer)
        code, output = service.run("doctor")
        checks.check("the doctor says what to do", code == 1 and "restart" in output, output)
    service.stop()

    newer = copy_of(data, directory / "newer") / "data"
    shell(newer, "INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', 'x', 1)")
    checks.check("a newer schema is refused without changing a byte", *is_refused(newer, "store_newer_schema"))
    changed = copy_of(data, directory / "changed") / "data"
    shell(changed, "UPDATE schema_migrations SET checksum = 'x' WHERE number = 1")
    checks.check("a changed migration is refused", *is_refused(changed, "store_migration_changed"))

    # Changes behind the back of a server that is down.
    cut = copy_of(data, directory / "cut")
    shell(cut / "data", """DROP TRIGGER audit_entries_are_not_deleted;
        DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit);
        UPDATE environments SET revision = (SELECT max(revision) FROM audit);""")
    service = Service(cut).start(is_ready=False)
    with Connection(service) as connection:
        status, answer = flip(connection, 0)
        checks.check("a cut audit stops changes: 503 audit_cut", (status, answer["error"]["code"]) == (503, "audit_cut"), answer)
        checks.check("and pins", start_journey(connection)[2].get("pinned") is False)
        checks.check("flags are evaluated", evaluates(connection))
        checks.check("/readyz says audit_cut", connection.call("GET", "/readyz")[1]["store"] == "audit_cut")
        code, output = service.run("audit", "verify")
        checks.check("so does audit verify", code == 1 and "anchor" in output, output)
    service.stop()
    (cut / "data/anchor.json").unlink()
    service = Service(cut).start()
    checks.check("without the anchor it would not be seen", service.run("audit", "verify")[0] == 0)
    kept = data / "anchor.json"
    code, output = service.run("audit", "verify", "--anchor", kept)
    checks.check("but a copy of it kept elsewhere shows it", code == 1, output)
    service.stop()

    forged = copy_of(data, directory / "forged") / "data"
    shell(forged, "UPDATE flags SET document = replace(document, 'ENABLED', 'DISABLED')")
    checks.check("a configuration that was changed by hand is refused", *is_refused(forged, "store_corrupt"))

    # A kill at every write and every sync of a first start, and of a migration from the first schema.
    shim = build_shim(directory)
    if shim is None:
        checks.skip("kills in the middle of a migration", "no C compiler here")
        checks.finish()
    first = (pathlib.Path(PROGRAM).parent / "signalbox_Storage.resources/migrations/sqlite/"
             "0001_configuration_audit_and_journeys.sql")
    old = directory / "old"
    old.mkdir()
    sql = first.read_text()
    database = sqlite3.connect(old / "signalbox.db", isolation_level=None)
    for statement in re.split(r";\s*$(?!\s*END)", sql, flags=re.MULTILINE):
        if statement.strip():
            try:
                database.execute(statement)
            except sqlite3.OperationalError as error:
                raise SystemExit(f"{error}: {statement}")
    database.execute("INSERT INTO schema_migrations VALUES (1, ?, ?, 1)",
                     (first.name, hashlib.sha256(first.read_bytes()).hexdigest()))
    database.execute("INSERT INTO environments VALUES (1, 'production', 1, 0, 1)")
    database.close()
    kills, broken = 0, []
    for name, source in (("new", None), ("old", old)):
        number = 1 - options.every
        while True:
            number += options.every
            home = directory / "killed"
            if source:
                copy_of(source, home)
            else:
                subprocess.run(["rm", "-rf", home], check=True)
                home.mkdir()
            service = SpoiledService(home, shim)
            service.counts, service.failing_call, service.error = WRITES | SYNCS, number, KILL
            try:
                service.start()
                service.stop()
                is_through = service.failures == 0
            except (RuntimeError, AssertionError, OSError):
                is_through = False
            except Exception as error:
                if type(error).__module__ != "http.client":
                    raise
                is_through = False
            if service.process.poll() is None:
                service.kill()
            kills += service.failures
            service.clear()
            try:
                service.start()
                if service.run("audit", "verify")[0] != 0 or service.stop() != 0:
                    broken.append((name, number))
            except (RuntimeError, AssertionError) as error:
                broken.append((name, number, str(error)))
            if is_through or number > 400:
                break
    figures("migration killed", cycles=kills, lost=len(broken), note="a kill at every write and sync of a start")
    checks.check("a start that was killed at any write or sync is followed by one that works",
                 kills > 60 // options.every and not broken, broken[:3] or kills)
    checks.finish()

"""Builds the Swift tests as `make test` does, and runs one of them."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
STRICT = ["--explicit-target-dependency-import-check", "error", "-Xswiftc", "-warnings-as-errors"]


def run(name, **environment):
    """The output and the exit code of the test of that name, run with these environment variables."""
    subprocess.run(["swift", "build", "--build-tests", *STRICT], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        ["swift", "test", "--skip-build", *STRICT, "--filter", name], cwd=ROOT,
        env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    return done.stdout, done.returncode

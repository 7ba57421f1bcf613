"""Builds the Swift tests optimized, beside what `make test` builds, and runs one of them: drills run thousands of seeds."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIMIZED = ["-c", "release", "--scratch-path", ".build/optimized", "-Xswiftc", "-enable-testing"]


def run(name, **environment):
    """The output and the exit code of the test of that name, run with these environment variables."""
    subprocess.run(["swift", "build", "--build-tests", *OPTIMIZED], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        ["swift", "test", "--skip-build", *OPTIMIZED, "--filter", name], cwd=ROOT,
        env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    return done.stdout, done.returncode

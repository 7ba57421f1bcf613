"""A small disk of its own for a drill: an ext4 file system in a file, which can be cut off or turn read-only."""
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess

EXT4_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32)
WITHOUT_FLUSHING = 2        # what is not synced is lost, as in a power cut


class LoopDisk:
    """Mounted while the `with` block runs."""

    def __init__(self, directory, megabytes=64):
        self.image = pathlib.Path(directory) / "disk.img"
        self.path = pathlib.Path(directory) / "disk"
        self.path.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(megabytes << 20)
        _run("mkfs.ext4", "-q", "-F", self.image)

    def __enter__(self):
        self.mount()
        return self

    def __exit__(self, *_):
        self.unmount()

    def mount(self):
        _run("mount", "-o", "loop", self.image, self.path)

    def unmount(self):
        _run("umount", self.path)

    def flush(self):
        _run("sync", "-f", self.path)

    def cut_power(self):
        """Nothing reaches the disk from here on, and what was not synced never will."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, EXT4_SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING))
        finally:
            os.close(descriptor)

    def turn_read_only(self):
        """As ext4 does by itself when the disk reports an error, with files open for writing."""
        _run("mount", "-o", "remount,abort", self.path)


def served_from(disk, data, directory):
    """A folder for a service whose data directory is a copy on that disk. All else the drill writes stays off it."""
    shutil.copytree(data, disk.path / "data", ignore=shutil.ignore_patterns("*.lock"))
    (disk.path / "data").chmod(0o700)
    disk.flush()
    directory.mkdir()
    (directory / "data").symlink_to(disk.path / "data")
    return directory


def reason_without(directory):
    """Why there can be no disk here; None when there can."""
    try:
        with LoopDisk(directory, megabytes=16):
            pass
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        return "no loop-mounted disk here, it needs loop devices and CAP_SYS_ADMIN: " + said.decode().strip()
    return None


def _run(*command):
    subprocess.run(command, check=True, capture_output=True)

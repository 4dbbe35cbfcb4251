"""Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import resource
import stat
import sys

import pytest

from widemargin.base.errors import CannotWrite
from widemargin.base.files import write_atomically


@contextlib.contextmanager
def full_disk(size: int):
    """No file may grow beyond `size` bytes (Python ignores SIGXFSZ, so writes fail with EFBIG)."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_a_new_file_holds_the_bytes_and_nothing_else_is_left(tmp_path):
    write_atomically(tmp_path / "a", b"one")
    write_atomically(tmp_path / "a", lambda file: [file.write(b"t"), file.write(b"wo")])
    assert (tmp_path / "a").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("size", [0, 1, 4096, 99_999])
def test_a_full_disk_keeps_the_old_file_and_leaves_no_other(tmp_path, size):
    path = tmp_path / "model.wm"
    path.write_bytes(b"old and good")
    with full_disk(size), pytest.raises(CannotWrite, match=r"model\.wm.*untouched") as caught:
        write_atomically(path, bytes(100_000))
    assert caught.value.errno == errno.EFBIG
    assert path.read_bytes() == b"old and good"
    assert os.listdir(tmp_path) == ["model.wm"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_failure_at_any_step_keeps_the_old_file(tmp_path, monkeypatch, call):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    content = fail if call == "write" else b"new"
    if call != "write":
        monkeypatch.setattr(os, call, fail)
    with pytest.raises(CannotWrite, match="No space left"):
        write_atomically(path, content)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
def test_before_it_is_whole_a_file_has_no_name(tmp_path):
    """Whenever the process is killed, nothing half-written stays behind."""
    seen = []

    def write(file):
        file.write(b"half")
        file.flush()
        seen.extend(os.listdir(tmp_path))

    write_atomically(tmp_path / "a", write)
    assert seen == []
    assert (tmp_path / "a").read_bytes() == b"half"


def test_file_systems_without_nameless_files_get_a_named_one(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    write_atomically(tmp_path / "a", b"one")
    write_atomically(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a"]


def test_an_interrupted_writer_leaves_nothing_and_the_interrupt_passes(tmp_path):
    def interrupted(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a", interrupted)
    assert os.listdir(tmp_path) == []


def test_a_missing_directory_a_directory_and_a_null_byte_are_told(tmp_path):
    for path in (tmp_path / "no" / "a", tmp_path, str(tmp_path / "a\0b"), tmp_path / ("x" * 300)):
        with pytest.raises(CannotWrite, match="Cannot write"):
            write_atomically(path, b"x")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("failing", ["open", "access"])
def test_no_permission_is_told(tmp_path, monkeypatch, failing):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def refuse(*args):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, failing, refuse if failing == "open" else lambda *args: False)  # root may write anywhere
    with pytest.raises(CannotWrite, match=r"Permission denied|read-only"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"


def test_mode_and_link_of_the_old_file_stay(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to("a")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_streams_standard_output_and_devices_are_written_directly(capfdbinary):
    stream = io.BytesIO()
    write_atomically(stream, b"one")
    write_atomically(stream, lambda file: file.write(b"two"))
    assert stream.getvalue() == b"onetwo"
    write_atomically("-", b"out")
    write_atomically(sys.stdout, b"put")
    assert capfdbinary.readouterr().out == b"output"
    write_atomically("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_full_device_is_told():
    with pytest.raises(CannotWrite, match="No space left"):
        write_atomically("/dev/full", b"x")
    with open("/dev/full", "wb", buffering=0) as file, pytest.raises(CannotWrite, match="/dev/full"):
        write_atomically(file, b"x")


def test_a_raw_stream_that_takes_little_at_a_time_gets_all():
    class Slow(io.RawIOBase):
        taken = b""

        def write(self, data):
            self.taken += bytes(data[:3])
            return min(3, len(data))

    slow = Slow()
    write_atomically(slow, b"0123456789")
    assert slow.taken == b"0123456789"

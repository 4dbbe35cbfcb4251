"""Writing a file whole or not at all.

The bytes go to a new file beside the target (O_EXCL: nobody else's file is ever opened), are flushed to the disk, and
only then take the target's name, so that at any moment the name means either the old file or the whole new one. Where
the system can (Linux: O_TMPFILE), the new file has no name at all before it is whole: a process that is killed leaves
nothing half-written, under no name.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from .errors import CannotWrite

Content = bytes | bytearray | memoryview | Callable[[BinaryIO], object]


def write_atomically(target: str | os.PathLike[str] | Any, content: Content) -> None:
    """Write `content` to `target`, whole or not at all.

    Parameters
    ----------
    target : path, "-" or binary file object
        "-" means standard output. Streams, pipes and devices cannot be renamed into place and are written directly.
    content : bytes-like or callable
        A callable gets the open binary file and writes into it.

    Raises
    ------
    CannotWrite
        Permission, missing directory, full disk: what was there before is untouched and no temporary file is left.
    """
    stream = _as_stream(target)
    if stream is not None:
        _write_stream(stream, content, _name_of(target))
        return
    try:
        path = os.path.realpath(os.fsdecode(target))  # a symbolic link stays a link; its target is replaced
    except ValueError as error:
        raise _cannot_write(repr(target), error, 0) from error
    mode = _mode_of(path)
    if mode is None or stat.S_ISREG(mode):
        _replace(path, content, mode)
    elif stat.S_ISDIR(mode):
        raise CannotWrite(f"Cannot write {path}: it is a directory; give the name of a file.")
    else:
        try:
            with open(path, "wb", buffering=0) as device:
                _write_stream(device, content, path)
        except CannotWrite:
            raise
        except OSError as error:
            raise _cannot_write(path, error, 0) from error


def _as_stream(target: Any) -> Any:
    if isinstance(target, str) and target == "-":
        return sys.stdout.buffer
    if hasattr(target, "write"):
        return getattr(target, "buffer", target)  # the binary side of a text stream
    return None


def _name_of(target: Any) -> str:
    return "standard output" if isinstance(target, str) else str(getattr(target, "name", "the stream"))


def _fill(file: Any, content: Content) -> None:
    if callable(content):
        content(file)
        return
    rest = memoryview(content).cast("B")
    while len(rest):  # raw streams may take less than they are given
        taken = file.write(rest)
        rest = rest[len(rest) if taken is None else taken :]


def _write_stream(stream: Any, content: Content, name: str) -> None:
    try:
        _fill(stream, content)
        if hasattr(stream, "flush"):
            stream.flush()
    except OSError as error:
        raise _cannot_write(name, error, None) from error


def _mode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error, 0) from error


def _replace(path: str, content: Content, old_mode: int | None) -> None:
    if old_mode is not None and not os.access(path, os.W_OK):
        # a rename would succeed, but whoever made the file read-only meant it
        raise CannotWrite(f"Cannot write {path}: the file is read-only; make it writable or choose another name.")
    directory = os.path.dirname(path)
    temporary = os.path.join(directory, f".wm-{secrets.token_hex(8)}.tmp")
    try:
        descriptor, nameless = _new_file(directory, temporary)
    except OSError as error:
        raise _cannot_write(path, error, 0) from error
    written = 0
    try:
        with open(descriptor, "wb") as file:
            _fill(file, content)
            file.flush()
            written = file.tell()
            if old_mode is not None and hasattr(os, "fchmod"):
                with contextlib.suppress(OSError):  # another owner's file: the new one keeps our own mode
                    os.fchmod(descriptor, stat.S_IMODE(old_mode))
            os.fsync(descriptor)
            if nameless:
                # any src_dir_fd makes Python call linkat, which follows this link; link does not
                os.link(f"/proc/self/fd/{descriptor}", temporary, src_dir_fd=descriptor, follow_symlinks=True)
        os.replace(temporary, path)
    except BaseException as error:
        written = written or _size_of(temporary)
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise _cannot_write(path, error, written) from error
        raise
    _sync_directory(directory)


def _new_file(directory: str, name: str) -> tuple[int, bool]:
    """An open file that nobody else has, and whether it is still without its name."""
    flags = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system has files without a name
            return os.open(directory, flags | os.O_TMPFILE, 0o666), True
    return os.open(name, flags | os.O_CREAT | os.O_EXCL, 0o666), False


def _size_of(path: str) -> int:
    with contextlib.suppress(OSError):
        return os.stat(path).st_size
    return 0


def _sync_directory(directory: str) -> None:
    # The new file is whole and in place by now; a file system that cannot sync directories is no reason to fail.
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(directory, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _cannot_write(name: str, error: OSError | ValueError, written: int | None) -> CannotWrite:
    reason = getattr(error, "strerror", None) or str(error)
    if written is None:
        return _with_errno(CannotWrite(f"Cannot write to {name}: {reason}."), error)
    message = (
        f"Cannot write {name}: {reason} (after {written} bytes). What was there before is untouched; "
        "free space, check the permissions, or choose another place."
    )
    return _with_errno(CannotWrite(message), error)


def _with_errno(failure: CannotWrite, error: Exception) -> CannotWrite:
    failure.errno = getattr(error, "errno", None)
    return failure

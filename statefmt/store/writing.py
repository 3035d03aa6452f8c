"""Writing a file's bytes so that the old or the new content can always be read back in full.

An existing file is written in place and never replaced by rename: an OpenTofu or Terraform that waits for
the lock holds the file itself open, and would otherwise write into an orphan.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from statefmt.errors import StoreError
from statefmt.store.reading import check_regular, reason_of

# Backups and new files hold secrets in clear text.
_PRIVATE_MODE: Final = 0o600
# What a terminal or a scheduler sends, and what a write that has begun does not stop for.
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


def replace_content(path: Path, old: bytes, new: bytes, *, now: int) -> Path | None:
    """Replace a file's content in place, after a backup; the mode and the owner stay.

    `old` is the content that was read, `now` the time in Unix seconds for the backup's name. Gives the path of
    the backup, or None where there was nothing to do. Raises StoreError, with the file as it was, where it
    changed since it was read or cannot be written.
    """
    if old == new:
        return None
    _check_platform()
    with _explained(path):
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            check_regular(str(path), os.fstat(descriptor))
            if file.read() != old:
                raise StoreError(f"{path}: the file changed while it was worked on; nothing was written, try again")
            with _signals_held_back():
                backup = _backup(path, old, now)
                _overwrite_or_restore(path, descriptor, old, new, backup)
    return backup


def create_file(path: Path, content: bytes) -> None:
    """Create a new file with mode 0600, whole or not at all. Raises StoreError where it exists already."""
    _check_platform()
    # Not named after the file, whose name may be as long as names can be.
    temporary = path.with_name(f".statetool.{secrets.token_hex(8)}.tmp")
    with _explained(path), _signals_held_back():
        try:
            _write_new(temporary, content)
            _publish(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(path.parent)


def _backup(path: Path, content: bytes, now: int) -> Path:
    """A durable copy beside the file, named as `tofu state` names its own; never over another one."""
    for attempt in range(1000):
        extra = f"-{attempt}" if attempt else ""
        backup = path.with_name(f"{path.name}.{now}{extra}.backup")
        try:
            _write_new(backup, content)
            _sync_folder(path.parent)
        except FileExistsError:
            continue
        except OSError as error:
            reason = f"no backup could be made beside it ({reason_of(error)})"
            raise StoreError(f"{path}: {reason}; nothing was written") from error
        return backup
    raise StoreError(f"{path}: 1000 backups of this second exist already; nothing was written")


def _publish(temporary: Path, path: Path) -> None:
    """Give a file its name. A link fails where the name is taken, while a rename would replace what is there."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # Not every file system has links.
        if path.exists():
            raise FileExistsError(path) from None
        temporary.rename(path)


def _write_new(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_MODE)
    try:
        _write_all(descriptor, content)
        os.fsync(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _overwrite_or_restore(path: Path, descriptor: int, old: bytes, new: bytes, backup: Path) -> None:
    """Write over a file's content; where that fails, write the old content back."""
    try:
        _overwrite(descriptor, new)
    except OSError as error:
        reason = f"{path}: it could not be written ({error.strerror})"
        try:
            _overwrite(descriptor, old)
        except OSError:
            raise StoreError(f"{reason} and may be damaged; its old content is in {backup}") from error
        raise StoreError(f"{reason}; its content is as before, and also in {backup}") from error


def _overwrite(descriptor: int, content: bytes) -> None:
    """Write over a file's content and only then cut it to length, so that it is never seen empty."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write_all(descriptor, content)
    os.fsync(descriptor)
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        # Files can be made in a folder that may not be read, and there is no other way to make their names durable.
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let signals such as that of ^C wait, which would leave a file half written."""
    waiting = {signal.Signals[name] for name in _SIGNALS if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the system's errors into one that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise StoreError(f"{path}: the file exists already") from error
    except FileNotFoundError as error:
        raise StoreError(f"{path}: there is no such file or folder") from error
    except PermissionError as error:
        raise StoreError(f"{path}: permission denied; nothing was written") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was written") from error


def _check_platform() -> None:
    if sys.platform == "win32":
        raise StoreError(
            "statetool does not write files on Windows, where it cannot lock a state as OpenTofu does. "
            "Write to standard output and put the file in place yourself."
        )

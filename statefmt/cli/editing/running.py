"""Runs an editor on the terminal until it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from statefmt import StoreError
from statefmt.cli.editing.editors import Editor
from statefmt.cli.editing.terminal import terminal_kept

# Keys that a terminal sends to all programs on it: they are for the editor.
_KEYS: Final = ("SIGINT", "SIGQUIT")
# In seconds, for an editor to end after SIGHUP.
_PATIENCE: Final = 2.0


def run_editor(editor: Editor, path: Path, environment: Mapping[str, str], line: int | None = None) -> float:
    """Run an editor on a file, if possible from a line on, and wait for it; return how long it ran, in seconds.

    Its temporary files are in the folder of the file. If a signal ends the wait, the editor is ended as well. Raises
    StoreError if it cannot be started or fails.
    """
    start = time.monotonic()
    # What it prints must not get into a result that is piped.
    output = None if sys.stdout.isatty() else sys.stderr.fileno()
    with terminal_kept() as reset_screen, _keys_left_to_editor():
        try:
            process = subprocess.Popen(
                editor.command(path, line), stdout=output, env={**environment, "TMPDIR": str(path.parent)}
            )
        except OSError as error:
            raise StoreError(
                f"the editor {editor.name} cannot be run: {error.strerror}; nothing was written"
            ) from error
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        if status < 0:
            reset_screen()
    if status < 0:
        raise StoreError(f"the editor {editor.name} was ended by signal {-status}; nothing was written")
    if status:
        raise StoreError(f"the editor {editor.name} failed with exit status {status}; nothing was written")
    return time.monotonic() - start


def _end(process: subprocess.Popen[bytes]) -> None:
    """End an editor whose terminal may be gone."""
    process.send_signal(signal.SIGHUP)
    # A stopped process gets the signal when it continues.
    process.send_signal(signal.SIGCONT)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    finally:
        # Also if another signal ends this wait.
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def _keys_left_to_editor() -> Iterator[None]:
    """Do nothing on signals from keys. They are handled, not ignored, since a program inherits what is ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _KEYS if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

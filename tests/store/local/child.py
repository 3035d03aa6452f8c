"""Writing in a process of its own, which a test may starve of space, watch, or stop halfway."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.cli.run import system_context

CONTEXT: Final = system_context()
SILENT: Final = dataclasses.replace(CONTEXT, note=lambda note: None)

# Replaces the content of the file `state` by that of the file `new`.
_PROGRAM: Final = """
import sys
from pathlib import Path
from statefmt.cli.run import system_context
from statefmt.model.errors import StoreError
from statefmt.store.protocol import LockInfo
from tests.store.local.replacing import replace_content
info = LockInfo("id", "test", "", "me@here", "0", "2026-01-01T00:00:00Z", "state")
state, new = Path("state"), Path("new")
try:
    replace_content(state, state.read_bytes(), new.read_bytes(), info, system_context().note, now=1700000000)
except StoreError as error:
    sys.exit(str(error))
"""
# -P: the folder is searched for no modules.
COMMAND: Final = [sys.executable, "-P", "-c", _PROGRAM]
BACKUP: Final = "state.1700000000.backup"
JOURNAL: Final = ".state.statetool.journal"
HISTORY: Final = ".state.statetool"
INFO: Final = ".state.lock.info"

# Root may read and write everything, unless it gives that privilege up.
WITHOUT_PRIVILEGES: Final = ("setpriv", "--bounding-set=-all") if os.geteuid() == 0 else ()
MAY_NOT_GIVE_UP: Final = os.geteuid() == 0 and shutil.which("setpriv") is None


def files(folder: Path) -> dict[str, bytes]:
    """The files in a folder, without those in folders below it."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class Ended(NamedTuple):
    """How a process ended: its exit status (negative: the signal), and its standard error."""

    status: int
    err: str


def replace(folder: Path, *under: str) -> Ended:
    """Replace the content of `state` in a folder by that of `new`; `under` is the program that starts it."""
    done = subprocess.run([*under, *COMMAND], cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return Ended(done.returncode, done.stderr.decode())

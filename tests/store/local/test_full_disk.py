"""A disk that fills up: the old content is still there in full, and the message says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.store.local.child import COMMAND, replace

OLD = b"o" * 9000
NEW = b"n" * 50_000


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(OLD)
    (tmp_path / "new").write_bytes(NEW)


def test_no_room_for_the_journal(tmp_path: Path) -> None:
    """Room for the backup, and not for the new content: the file is not touched, and nothing is left behind."""
    ended = replace(tmp_path, "sh", "-c", 'ulimit -f 32; exec "$@"', "sh")
    assert ended == (1, "state: cannot create a journal beside it (File too large); nothing was written\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"state": OLD, "new": NEW}


def test_no_room_for_the_backup(tmp_path: Path) -> None:
    ended = replace(tmp_path, "sh", "-c", 'ulimit -f 8; exec "$@"', "sh")
    assert ended == (1, "state: cannot create a backup beside it (File too large); nothing was written\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"state": OLD, "new": NEW}


def test_full_file_system(tmp_path: Path) -> None:
    """The same on a file system that is really full, which lasts as long as the shell."""
    script = """
        mount -t tmpfs -o size=16k tmpfs disk || exit 77
        cp state new disk 2>/dev/null; cp state disk/state && : >disk/new && cd disk || exit 77
        printf '{}' >new
        dd if=/dev/zero of=filler 2>/dev/null
        "$@"; echo "status $?" >&2
        cmp state ../state && ls
    """
    (tmp_path / "disk").mkdir()
    unshare = shutil.which("unshare")
    if os.geteuid() != 0 or unshare is None:
        pytest.skip("mounting a small file system takes root and unshare")
    done = subprocess.run(
        [unshare, "--mount", "sh", "-c", script, "sh", *COMMAND], cwd=tmp_path, capture_output=True, check=False
    )
    if done.returncode == 77:
        pytest.skip("no file system may be mounted here")
    reason = "state: cannot create a backup beside it (No space left on device); nothing was written"
    assert done.stderr.decode() == f"{reason}\nstatus 1\n"
    assert done.stdout.split() == [b"filler", b"new", b"state"]

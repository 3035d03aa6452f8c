"""A file or a folder that may not be written: nothing changes, and the message says which of them it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.local.child import BACKUP, MAY_NOT_GIVE_UP, WITHOUT_PRIVILEGES, Ended, files as files_in, replace

pytestmark = pytest.mark.skipif(MAY_NOT_GIVE_UP, reason="root may write everything, and setpriv is not there")

OLD, NEW = {"state": b"old", "new": b"new"}, {"state": b"new", "new": b"new", BACKUP: b"old"}
DONE = Ended(0, "")
FOLDER = Ended(1, "state: cannot create a backup beside it (permission denied); nothing was written\n")
FILE = Ended(1, "state: permission denied; nothing was written\n")

# What it shows, the mode of the folder, that of the file, how it ends and what is there then.
CASES = [
    ("both may be written", 0o777, 0o666, DONE, NEW),
    ("the folder may not be written", 0o555, 0o666, FOLDER, OLD),
    ("the file may not be written", 0o777, 0o444, FILE, OLD),
    ("the folder may be written but not read", 0o333, 0o666, DONE, NEW),
]


@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "ended", "files"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_modes(folder_mode: int, file_mode: int, ended: Ended, files: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "state").chmod(file_mode)
    tmp_path.chmod(folder_mode)
    assert replace(tmp_path, *WITHOUT_PRIVILEGES) == ended
    tmp_path.chmod(0o755)
    assert files_in(tmp_path) == files

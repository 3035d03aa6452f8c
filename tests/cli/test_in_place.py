"""`fmt` and `upgrade --in-place`: over the file's content, never its name, after a backup beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED, INDENTED

COMMANDS = [
    "fmt",
    "fmt --yes",
    "fmt --state",
    "upgrade --in-place",
    "upgrade -i",
    "upgrade --in-place --yes --state",
    "downgrade --for terraform-1.5 --in-place",
]
Tree = Callable[[], dict[str, bytes]]

pytestmark = pytest.mark.parametrize("command", COMMANDS)


def test_backup(command: str, statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(HAND_EDITED)
    Path("state").chmod(0o644)
    before = int(time.time())
    result = statetool(*command.split(), "state")
    (backup,) = Path().glob("*.backup")
    assert (result.status, result.out) == (0, b"")
    assert f"the previous file is kept in {backup}\n" in result.err.replace("\n  ", " ")
    name, seconds, _ = backup.name.split(".")
    assert name == "state"
    assert before <= int(seconds) <= time.time()
    assert oct(backup.stat().st_mode) == oct(0o100600)
    assert tree() == {"state": INDENTED, backup.name: HAND_EDITED}


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660])
def test_file_stays_what_it_is(mode: int, command: str, statetool: Statetool) -> None:
    path = Path("state")
    path.write_bytes(HAND_EDITED)
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    before = path.stat()
    assert statetool(*command.split(), "state").status == 0
    after = path.stat()
    assert path.read_bytes() == INDENTED
    assert (after.st_ino, after.st_mode, after.st_uid, after.st_gid) == (
        before.st_ino,
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_links_stay_links(command: str, statetool: Statetool) -> None:
    Path("real").write_bytes(HAND_EDITED)
    Path("twin").hardlink_to("real")
    Path("link").symlink_to("real")
    assert statetool(*command.split(), "link").status == 0
    assert Path("link").readlink() == Path("real")
    assert Path("real").stat().st_ino == Path("twin").stat().st_ino
    assert [Path(name).read_bytes() for name in ("real", "twin", "link")] == [INDENTED] * 3


def test_someone_waits_with_the_file_open(command: str, statetool: Statetool) -> None:
    """As a tofu with -lock-timeout does: what it reads and writes then is the file under its name."""
    Path("state").write_bytes(HAND_EDITED)
    with Path("state").open("r+b") as waiting:
        assert statetool(*command.split(), "state").status == 0
        assert waiting.read() == INDENTED
        waiting.truncate(0)
    assert Path("state").read_bytes() == b""


def test_nothing_is_written_where_nothing_changes(command: str, statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(INDENTED)
    before = Path("state").stat()
    assert statetool(*command.split(), "state").status == 0
    after = Path("state").stat()
    assert (after.st_mtime_ns, after.st_ctime_ns) == (before.st_mtime_ns, before.st_ctime_ns)
    assert tree() == {"state": INDENTED}


def test_twice_at_once(command: str, statetool: Statetool, tree: Tree) -> None:
    """Two backups of one second stand side by side."""
    for content in (HAND_EDITED, HAND_EDITED + b"\n", HAND_EDITED + b"\n\n"):
        Path("state").write_bytes(content)
        assert statetool(*command.split(), "state").status == 0
    backups = [content for name, content in tree().items() if name.endswith(".backup")]
    assert sorted(backups) == [HAND_EDITED, HAND_EDITED + b"\n", HAND_EDITED + b"\n\n"]


@pytest.mark.parametrize("serial", [0, 7, 2**53 + 1])
def test_serial_and_lineage_stay(serial: int, command: str, statetool: Statetool) -> None:
    """What a state says is not changed by its layout."""
    number = b'"serial": %d,' % serial
    Path("state").write_bytes(HAND_EDITED.replace(b'"serial": 7,', number))
    assert statetool(*command.split(), "state").status == 0
    assert Path("state").read_bytes() == INDENTED.replace(b'"serial": 7,', number)

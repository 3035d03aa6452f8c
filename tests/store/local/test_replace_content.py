"""Replacing a file's content: in place, after a backup, and only if it is still what was read."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.model.errors import StoreError
from statefmt.store.protocol import LockInfo
from tests.store.local.replacing import replace_content

OLD = b'{"serial": 1}\n' * 1000
LONGER = OLD + b'{"serial": 2}\n'
SHORTER = b'{"serial": 2}\n'
NOW = 1_700_000_000
INFO = LockInfo("id", "test", "", "me@here", "0", "2026-01-01T00:00:00Z", "terraform.tfstate")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize("new", [LONGER, SHORTER, OLD[::-1], b""], ids=["longer", "shorter", "as long", "empty"])
def test_new_content(new: bytes, path: Path) -> None:
    backup = replace_content(path, OLD, new, INFO, system_context().note, now=NOW)
    assert path.read_bytes() == new
    assert backup == path.with_name("terraform.tfstate.1700000000.backup")
    assert backup.read_bytes() == OLD


def test_nothing_to_do(path: Path) -> None:
    before = path.stat()
    assert replace_content(path, OLD, OLD, INFO, system_context().note, now=NOW) is None
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777])
def test_file_stays_what_it_is(mode: int, path: Path) -> None:
    path.chmod(mode)
    before = path.stat()
    replace_content(path, OLD, SHORTER, INFO, system_context().note, now=NOW)
    after = path.stat()
    kept = ("st_ino", "st_dev", "st_mode", "st_uid", "st_gid", "st_nlink")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to someone else")
def test_owner_stays(path: Path) -> None:
    os.chown(path, 12345, 23456)
    replace_content(path, OLD, SHORTER, INFO, system_context().note, now=NOW)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_backup_is_private(umask: int, path: Path) -> None:
    path.chmod(0o644)
    before = os.umask(umask)
    try:
        backup = replace_content(path, OLD, SHORTER, INFO, system_context().note, now=NOW)
    finally:
        os.umask(before)
    assert backup is not None
    assert oct(backup.stat().st_mode) == oct(0o100600)


def test_seen_through_every_name(path: Path) -> None:
    """Someone who holds the file open, a hard link and a symbolic link all see the new content."""
    link, twin = path.with_name("link"), path.with_name("twin")
    link.symlink_to(path.name)
    twin.hardlink_to(path)
    with path.open("rb") as held:
        replace_content(link, OLD, LONGER, INFO, system_context().note, now=NOW)
        assert held.read() == LONGER
    assert link.is_symlink()
    assert twin.read_bytes() == LONGER


@pytest.mark.parametrize(
    "now_there", [b"", OLD + b" ", OLD[:-1], SHORTER], ids=["emptied", "longer", "shorter", "other"]
)
def test_changed_since_it_was_read(now_there: bytes, path: Path) -> None:
    path.write_bytes(now_there)
    with pytest.raises(StoreError, match=r"/terraform\.tfstate: the file changed during the edit; nothing was"):
        replace_content(path, OLD, LONGER, INFO, system_context().note, now=NOW)
    assert path.read_bytes() == now_there
    assert list(path.parent.iterdir()) == [path]


def test_gone_since_it_was_read(path: Path) -> None:
    path.unlink()
    with pytest.raises(StoreError, match="there is no such file"):
        replace_content(path, OLD, LONGER, INFO, system_context().note, now=NOW)
    assert list(path.parent.iterdir()) == []


def test_backups_of_one_second(path: Path) -> None:
    versions = [b"%d" % number for number in range(4)]
    path.write_bytes(versions[0])
    for old, new in pairwise(versions):
        replace_content(path, old, new, INFO, system_context().note, now=NOW)
    backups = ["terraform.tfstate.1700000000.backup"]
    backups += [f"terraform.tfstate.1700000000-{number}.backup" for number in (1, 2)]
    assert {backup.name: backup.read_bytes() for backup in path.parent.glob("*.backup")} == dict(
        zip(backups, versions, strict=False)
    )


def test_backup_never_follows_a_link(path: Path) -> None:
    """A link that waits under the backup's name is not written through."""
    bait = path.with_name("bait")
    path.with_name("terraform.tfstate.1700000000.backup").symlink_to(bait)
    backup = replace_content(path, OLD, SHORTER, INFO, system_context().note, now=NOW)
    assert backup == path.with_name("terraform.tfstate.1700000000-1.backup")
    assert not bait.exists()

"""--discard-plain deletes the plain copies that statetool made, whenever it is asked to, and nothing else."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.adversary.runs import Call, Forks
from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.store.local.test_watched import NEEDS_STRACE

REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
ENCRYPT: Final = ("encrypt", "plain", "-i", "--discard-plain", "--encryption", "new.json")
REENCRYPT: Final = ("reencrypt", "plain", "-i", "--discard-plain", "--encryption", "new-old-plain.json")


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_ENCRYPTION", raising=False)
    (folder / "plain").write_bytes(REGIONS)
    for name in ("new", "old", "new-old-plain", "plain-new"):
        (folder / f"{name}.json").write_text(json.dumps(configuration(*name.split("-"))))


def plain_files(folder: Path) -> list[str]:
    """The files below a folder that have a resource of the state in clear text."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
            if b"aws_vpc" in content and path.suffix != ".json":
                found.append(str(path.relative_to(folder)))
    return found


@pytest.mark.parametrize("line", [ENCRYPT, REENCRYPT])
def test_every_plain_copy_of_its_own_is_deleted(line: tuple[str, ...], statetool: Statetool, folder: Path) -> None:
    for old, new in (("main", "net"), ("net", "vpc"), ("vpc", "net2")):
        assert statetool("mv", "--state", "plain", f"aws_vpc.{old}", f"aws_vpc.{new}").status == 0
    assert len(plain_files(folder)) > 4
    result = statetool(*line)
    assert result.status == 0
    assert re.search(r"Plain copies deleted: plain\.[0-9]+.*\.plain\.statetool\.", " ".join(result.err.split()))
    assert plain_files(folder) == []
    assert not (folder / ".plain.statetool").exists()
    assert statetool("decrypt", "plain", "--encryption", "new.json").status == 0


@pytest.mark.parametrize("line", [ENCRYPT, REENCRYPT])
def test_asked_for_later(line: tuple[str, ...], statetool: Statetool, folder: Path) -> None:
    assert statetool("encrypt", "plain", "-i", "--encryption", "new.json").status == 0
    assert plain_files(folder)
    before = (folder / "plain").read_bytes()
    result = statetool(*line)
    assert result.status == 0, result
    assert "Plain copies deleted" in result.err
    assert plain_files(folder) == []
    assert (folder / "plain").read_bytes() == before
    again = statetool(*line)
    assert again.status == 0
    assert "There are no plain copies" in again.err


@NEEDS_STRACE
@pytest.mark.parametrize("line", [ENCRYPT, REENCRYPT], ids=["encrypt", "reencrypt"])
@pytest.mark.parametrize("call", ["renameat", "unlinkat", "ftruncate"])
def test_killed_and_asked_again(call: str, line: tuple[str, ...], folder: Path, forked: Forks) -> None:
    """At every call of these the command is killed; the same command then finishes the work."""
    original = (folder / "plain").read_text()
    killed = 0
    for number in range(1, 60):
        work = folder / f"{call}{number}"
        work.mkdir()
        for name in ("plain", "new.json", "new-old-plain.json"):
            shutil.copy(folder / name, work)
        if not forked.killed(work, Call(call, number, ""), *line):
            break
        killed += 1
        second = forked(work, *line)
        assert second.status == 0, second
        assert plain_files(work) == [], second
        assert forked(work, "decrypt", "plain", "--encryption", "new.json").out == original
    assert killed


def test_nothing_is_deleted_where_the_state_cannot_be_opened(statetool: Statetool, folder: Path) -> None:
    assert statetool("encrypt", "plain", "-i", "--encryption", "new.json").status == 0
    before = plain_files(folder)
    assert before
    for command in ("encrypt", "reencrypt"):
        result = statetool(command, "plain", "-i", "--discard-plain", "--encryption", "old.json")
        assert result.status == 2
        assert plain_files(folder) == before


def test_not_beside_a_plain_state(statetool: Statetool, folder: Path) -> None:
    (folder / "plain.123.backup").write_bytes(REGIONS)
    for command in ("encrypt", "reencrypt"):
        result = statetool(command, "plain", "-i", "--discard-plain", "--encryption", "plain-new.json")
        assert result.status == 2
    assert plain_files(folder) == ["plain", "plain.123.backup"]


def test_other_files_stay(statetool: Statetool, folder: Path) -> None:
    stays = {
        "plain.backup": REGIONS,
        "plain.backup.1": REGIONS,
        "plain.1a.backup": REGIONS,
        "plain.1-.backup": REGIONS,
        "plain2.123.backup": REGIONS,
        "xplain.123.backup": REGIONS,
        "plain.124.backup": encrypted(REGIONS, "old"),
        "plain.125.backup": encrypted(REGIONS, "old")[:-40],
    }
    for name, content in stays.items():
        (folder / name).write_bytes(content)
    for name in ("plain.123.backup", "plain.123-1.backup"):
        (folder / name).write_bytes(REGIONS)
    result = statetool(*ENCRYPT)
    assert result.status == 0
    for name, content in stays.items():
        assert (folder / name).read_bytes() == content
    assert not (folder / "plain.123.backup").exists()
    assert not (folder / "plain.123-1.backup").exists()
    assert "Plain copies made by other programs remain: plain.backup." in " ".join(result.err.split())


def test_no_link_is_followed(statetool: Statetool, folder: Path) -> None:
    (folder / "precious").mkdir()
    for path in (folder / "precious" / "a", folder / "b"):
        path.write_bytes(REGIONS)
    (folder / "plain.123.backup").symlink_to("b")
    os.mkfifo(folder / "plain.124.backup")
    (folder / "plain.125.backup").mkdir()
    (folder / "plain").write_bytes(encrypted(REGIONS, "new"))
    (folder / ".plain.statetool").mkdir()
    (folder / ".plain.statetool" / "contents").symlink_to("../precious")
    result = statetool(*ENCRYPT)
    said = " ".join(result.err.split())
    assert result.status == 2
    for name in (
        "plain.123.backup: not deleted: this is a symbolic link",
        "plain.124.backup: not deleted: this is a named pipe",
    ):
        assert name in said
    assert ".plain.statetool: not deleted: .plain.statetool/contents: this is a symbolic link" in said
    assert (folder / "precious" / "a").exists()
    assert (folder / "b").exists()


def test_what_cannot_be_deleted(program: Program, folder: Path) -> None:
    """A copy that its folder does not let go, and one that cannot be read."""
    (folder / "plain.123.backup").write_bytes(REGIONS)
    (folder / "plain.124.backup").write_bytes(REGIONS)
    (folder / "plain.123.backup").chmod(0)
    result = program.without_privileges(*ENCRYPT)
    said = " ".join(result.err.split())
    assert result.status == 2
    assert "plain.123.backup: not deleted: permission denied" in said
    assert "plain.124.backup" in said.partition("Plain copies deleted:")[2]
    assert "These files may be in plain text." in said
    assert not (folder / "plain.124.backup").exists()
    assert program("decrypt", "plain", "--encryption", "new.json").out == REGIONS

"""No plain byte of an encrypted state reaches a disk: a secret is planted in one, and looked for after every command.

strace watches what is written on the way, so that nothing is missed that is deleted again.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from statefmt.cli.main import main
from statefmt.cli.names import COMMANDS
from statefmt.encryption import EnvelopeLayout
from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.encrypted_commands import CANARY, DECISIONS, LINES, MAIN_TF, PLAN, WITH_CANARY, WITHOUT_STATE, Line
from tests.store.local.test_watched import NEEDS_STRACE

ALL = [line for lines in LINES.values() for line in lines]
STATE = "terraform.tfstate"
# What only the state says. The history has the addresses that were typed.
PLAIN = (CANARY, b"t3.small", b'"schema_version"')


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "old")))
    monkeypatch.setenv("CANARY", json.dumps(CANARY.decode()))
    # Outside of the folder, and searched as well.
    for name in ("tmp", "home", "work"):
        (folder / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    monkeypatch.setenv("HOME", str(folder / "home"))
    # For `edit`.
    monkeypatch.setenv("EDITOR", "sed -i s/t3.small/t3.large/")
    (folder / "work/configuration").mkdir()
    (folder / "work/configuration/main.tf").write_text(MAIN_TF)
    (folder / "work/configuration/plan.json").write_text(PLAN)
    (folder / "work/configuration/decisions").write_text(DECISIONS)
    changed = WITH_CANARY.replace(b"t3.small", b"t3.large")
    (folder / "work/before").write_bytes(encrypted(changed, "old"))
    monkeypatch.chdir(folder / "work")


def prepared(line: Line, *key: str, layout: EnvelopeLayout = EnvelopeLayout.COMPACT) -> None:
    """Make the state that a line works on."""
    Path(STATE).write_bytes(encrypted(WITH_CANARY, *key, layout=layout))
    if line.before:
        assert main(line.before.replace("%s", STATE).split()) == 0


def assert_nothing_plain(folder: Path) -> int:
    """Look into every file below the folder; gives how many there are."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    for path in paths:
        content = path.read_bytes()
        plain = gzip.decompress(content) if path.suffix == ".gz" else content
        assert [text for text in PLAIN if text in plain] == [], path
    return len(paths)


def test_every_command_is_tried() -> None:
    # One that needs other arguments fails below until it has a line in encrypted_commands.py.
    assert LINES.keys() == COMMANDS.keys() - WITHOUT_STATE
    assert all(text in WITH_CANARY for text in PLAIN)


# `make test` runs each line with one of the layouts, `make slow` with the other.
@pytest.mark.parametrize(
    ("line", "layout"),
    [
        pytest.param(line, layout, marks=[pytest.mark.slow] if (number + at) % 2 else [], id=f"{line.text}-{layout}")
        for number, line in enumerate(ALL)
        for at, layout in enumerate(EnvelopeLayout)
    ],
)
def test_nothing_plain_is_left(line: Line, layout: EnvelopeLayout, statetool: Statetool, folder: Path) -> None:
    prepared(line, "old", layout=layout)
    before = Path(STATE).read_bytes()
    result = statetool(*line.text.replace("%s", STATE).split())
    assert result.status == line.status, result
    assert assert_nothing_plain(folder) >= 3
    assert (Path(STATE).read_bytes() != before) == line.writes
    assert Path(STATE).read_bytes().startswith(b'{\n  "serial"' if layout is EnvelopeLayout.INDENTED else b'{"serial"')


@NEEDS_STRACE
@pytest.mark.parametrize("command", LINES)
def test_nothing_plain_is_written_on_the_way(command: str, folder: Path, forked: Forks) -> None:
    """Nothing of it goes anywhere but to standard output and standard error."""
    written = folder / "calls"
    # An index has a column with the name of that member.
    plain = [text.decode() for text in (PLAIN[:-1] if command == "fleet index" else PLAIN)]
    environment = {name: os.environ[name] for name in ("TF_ENCRYPTION", "CANARY", "TMPDIR", "HOME", "EDITOR")}
    trace = "trace=write,writev,pwrite64,pwritev,mmap,sendfile,splice"
    strace = ["-o", str(written), "-y", "-s", "1000000", "-e", trace]
    for number, line in enumerate(LINES[command]):
        here = folder / f"work{number}"
        shutil.copytree(folder / "work", here)
        with chdir(here):
            prepared(line, "old")
        done = forked(here, *line.text.replace("%s", STATE).split(), strace=strace, environment=environment, memory=0)
        assert done.status == line.status, done
        calls = written.read_text("utf-8", "replace").splitlines()
        written.unlink()
        files = [call for call in calls if f"<{folder}" in call]
        # Also of what is only looked at something is seen: what is said of it.
        assert calls or "check" in line.text
        assert any("write(" in call for call in files) or not line.writes
        assert not any("MAP_SHARED" in call and "PROT_WRITE" in call for call in files)
        assert [call[:200] for call in files if any(text in call.replace('\\"', '"') for text in plain)] == []

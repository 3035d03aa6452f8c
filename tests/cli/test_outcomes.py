"""Every command and every outcome: the exit status, the words that say so, and what is on the disk.

The rows are in `outcomes.txt`. The commands come from the program, and so do the outcomes that an option brings: a new
command fails here until it has rows. 0 is fine, 1 means findings or differences, 2 that it could not be done.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from statefmt.cli.names import COMMANDS
from statefmt.cli.program import command_named
from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
from tests.cli.conftest import Program, Result, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import HAND_EDITED, INDENTED, SAMPLES, V3
from tests.cli.terminal import on_terminal

MEMORY: Final = Path("/dev/shm")
REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
OTHER: Final = REGIONS.replace(b'"lineage": "', b'"lineage": "0')
# What both sides of a merge come from; "s" changed an attribute, and "clash" the same one.
BASE: Final = REGIONS.replace(b'"serial": 58', b'"serial": 57').replace(b"10.20.0.0", b"10.99.0.0")
FILES: Final = {
    "s": REGIONS, "base": BASE, "theirs": BASE.replace(b"1.10.6", b"1.11.0"),
    "clash": BASE.replace(b"10.99.0.0", b"10.88.0.0"),
    "newer": REGIONS.replace(b'"serial": 58', b'"serial": 59'), "other": OTHER, "c": INDENTED,
    "e": HAND_EDITED, "v3": V3, "text": b"hello\n", "enc": encrypted(REGIONS, "old"),
    "scrap": b'{"version": 4, "serial": 1, "lineage": "l", "resources": [{"mode": "managed", "type": "a',
    "moved/main.tf": b'terraform {\n  backend "local" {\n    path = "there"\n  }\n}\n',
    "moved/terraform.tfstate": INDENTED, "twice/a.tfstate": REGIONS, "twice/b.tfstate": OTHER,
    "old.json": json.dumps(configuration("old")).encode(), "new.json": json.dumps(configuration("new")).encode(),
    "both.json": json.dumps(configuration("new", "old")).encode(),
}  # fmt: skip
COPIES: Final = {
    "d": "v4-deposed.tfstate", "res": "v4-resource-level.tfstate", "torn": "broken/truncated.tfstate",
    "dup": "broken/duplicate-instance.tfstate", "levels": "broken/both-levels.tfstate",
    "broken/dup.tfstate": "broken/duplicate-instance.tfstate", "before": "apply/before.tfstate",
    "after": "apply/after.tfstate", "failed": "apply/after-failed.tfstate", "plan.json": "apply/plan.json",
    "errored": "errored/errored.tfstate", "stored": "errored/terraform.tfstate", "moves.json": "moves/plan.json",
    "app/terraform.tfstate": "many-states/app/terraform.tfstate", "ops.hcl": "many-states/network.stateops.hcl",
    "net/terraform.tfstate": "many-states/net/terraform.tfstate",
    "copies": "adopt/terraform.tfstate", "each/main.tf": "adopt/after/main.tf",
    "copied/main.tf": "adopt/before/main.tf",
}  # fmt: skip


class Row(NamedTuple):
    """What becomes of a command line: after a `;`, the one that counts; in braces, its state.

    `out` begins the first line of standard output that is not empty; `err` is in standard error, as one line. Of
    files, `+` is new, `~` changed and `-` gone.
    """

    outcome: str
    line: str
    status: int
    out: str
    err: str
    disk: str

    @property
    def command(self) -> str:
        words = [word for word in shlex.split(self.line.split("; ")[-1]) if not word.startswith("EDITOR=")]
        return next(name for name in COMMANDS if words[: len(name.split())] == name.split())


def _rows() -> Iterator[Row]:
    text = Path(__file__).with_name("outcomes.txt").read_text("utf-8")
    for outcome, line, status, disk, out, err in re.findall(
        r"^(\w[^:\n]*): (.+)\n  ([012])(?:  (.+))?\n(?:  > (.+)\n)?(?:  ! (.+)\n)?", text, re.MULTILINE
    ):
        yield Row(outcome, line, int(status), out, err, disk)


ROWS: Final = list(_rows())
FINE: Final = {row.command: row for row in ROWS if row.outcome == "fine"}
# `schemas` needs the providers of a configuration, `versions` and `unlock` a backend.
NEVER_FINE: Final = frozenset({"schemas", "unlock", "versions"})


@pytest.fixture(autouse=True)
def world(folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    for name, sample in COPIES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / sample, folder / name)
    shutil.copytree(SAMPLES / "regions", folder / "conf")
    (folder / "nothing").mkdir()
    # A refused edit keeps its text in memory.
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as memory:
        monkeypatch.setenv("XDG_RUNTIME_DIR", memory)
        yield


def _contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {name: path.read_bytes() for path in found if ".statetool" not in (name := str(path.relative_to(folder)))}


def _disk(before: dict[str, bytes], after: dict[str, bytes]) -> str:
    gone = [f"-{name}" for name in before if name not in after]
    changed = [f"~{name}" for name in before if after.get(name, before[name]) != before[name]]
    new = [re.sub(r"\.\d+(-\d+)?\.backup$", ".backup", f"+{name}") for name in after if name not in before]
    return " ".join((*gone, *changed, *new))


def _words(result: Result) -> str:
    return re.sub(r"\.\d{10}(-\d+)?\.backup", ".N.backup", " ".join(result.err.split()))


class _Session:
    """Command lines, one after the other, in the folder of a test."""

    def __init__(self, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._statetool, self._monkeypatch = folder, statetool, monkeypatch

    def prepared(self, lines: str) -> list[str]:
        """Run all but the last of some command lines; return the words of that."""
        *before, last = re.sub(r"\{([^}]+)\}", r"\1", lines).split("; ")
        for line in before:
            words = shlex.split(line)
            if words[0] in ("git", "cp"):
                subprocess.run(words, check=True, capture_output=True)
            else:
                self._statetool(*words)
        words = shlex.split(last)
        if words[0].startswith("EDITOR="):
            self._monkeypatch.setenv("EDITOR", words.pop(0).removeprefix("EDITOR="))
            self._monkeypatch.delenv("VISUAL", raising=False)
        return words

    def run(self, words: list[str]) -> tuple[Result, str]:
        """Run a command; return the result, and what it did to files."""
        before = _contents(self._folder)
        result = self._statetool(*words)
        return result, _disk(before, _contents(self._folder))


@pytest.fixture
def session(folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> _Session:
    return _Session(folder, statetool, monkeypatch)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.command}: {row.outcome}")
def test_row(row: Row, session: _Session) -> None:
    result, disk = session.run(session.prepared(row.line))
    assert (result.status, disk) == (row.status, row.disk), result
    first = next((line for line in result.text.splitlines() if line.strip()), "")
    assert first.startswith(row.out) if row.out else not first, result
    assert row.err in _words(result) if row.err else not result.err, result
    if row.status == 2 and result.err:
        # A refusal names the program, or how it is used.
        assert re.search(r"^(statetool: |Usage: statetool |warning: |\S+: nothing )", result.err, re.MULTILINE), result


def test_notes_name_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    system_context().note("the write was finished")
    assert capsys.readouterr() == ("", "statetool: the write was finished\n")


def test_every_command_has_rows() -> None:
    assert set(COMMANDS) - set(FINE) == NEVER_FINE, "add their rows to tests/cli/outcomes.txt"
    assert {row.command for row in ROWS} == set(COMMANDS)


def _with(option: str, but: str = "") -> list[str]:
    """The commands that have an option, without those of `but`."""
    found = [name for name in COMMANDS if any(option in one.opts for one in command_named(name).params)]
    return [name for name in found if name not in but.split(", ")]


@pytest.mark.parametrize("command", list(COMMANDS))
def test_unknown_option(command: str, session: _Session) -> None:
    result, disk = session.run([*command.split(), "--frobnicate"])
    assert (result.status, result.out, disk) == (2, b"", "")
    assert result.err.startswith(f"Usage: statetool {command} [OPTIONS]")
    assert re.search(r"\nError: No such option: --frobnicate\.?( Did you mean --\S+\?)?\n$", result.err), result.err


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if any(one.required for one in command_named(name).params)]
)
def test_missing_argument(command: str, session: _Session) -> None:
    result, disk = session.run(command.split())
    assert (result.status, result.out, disk) == (2, b"", "")
    assert re.search(r"^Error: Missing (argument|option) '", result.err, re.MULTILINE), result.err


# A restore makes the state that is missing; git goes on with the next file after a message in place of this one.
WITH_STATE: Final = [name for name, row in FINE.items() if "{" in row.line and name not in ("restore", "git-driver")]


@pytest.mark.parametrize("command", WITH_STATE)
def test_missing_file(command: str, session: _Session) -> None:
    result, disk = session.run(session.prepared(re.sub(r"\{[^}]+\}", "gone", FINE[command].line)))
    assert (result.status, result.out, disk) == (2, b"", "")
    assert re.search(r"\bgone\b", result.err), result.err


# Where a lock is, what was done, and how a file is encrypted say nothing of what is in it.
@pytest.mark.parametrize("command", [name for name in WITH_STATE if name not in ("locks", "history", "undo")])
@pytest.mark.parametrize("name", ["text", "torn"])
def test_not_a_state(command: str, name: str, session: _Session) -> None:
    result, disk = session.run(session.prepared(re.sub(r"\{[^}]+\}", name, FINE[command].line)))
    if (command, name) == ("salvage", "torn"):
        assert (result.status, disk) == (1, "")
        return
    assert (result.status, disk) == (2, "")
    # What is wrong with a file is the output of check.
    assert bool(result.out) == (command == "check")
    assert name in result.err or command == "check"


@pytest.mark.parametrize("command", _with("--dry-run", but="history"))
def test_dry_run(command: str, session: _Session) -> None:
    for more in ([], ["--yes"]):
        line = FINE[command].line.replace(" --yes", "")
        result, disk = session.run([*session.prepared(line), "--dry-run", *more])
        assert (result.status, disk) == (0, "")
        assert re.search(r"\bdry run[:;] nothing was written$", _words(result)), result.err
        assert not re.search(r": (written|created|repaired|formatted|encrypted)\b", result.err)


@pytest.mark.parametrize("command", _with("--expect-serial"))
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--expect-serial=1", "not 1: the state was changed; nothing was done"),
        (f"--expect-hash={'0' * 64}", "the content differs from the expected one: it was changed; nothing was done"),
    ],
)
def test_not_the_expected_state(command: str, option: str, said: str, session: _Session) -> None:
    result, disk = session.run([*session.prepared(FINE[command].line), option])
    assert (result.status, result.out, disk) == (2, b"", "")
    assert said in _words(result)


LOCKED: Final = {"ops.hcl": "net", "moved": "moved", "app": "app", "net": "net"}


@pytest.mark.parametrize("command", _with("--lock-timeout"))
def test_locked(command: str, folder: Path, session: _Session) -> None:
    line = "check --fix {e}" if command == "check" else FINE[command].line
    name = re.findall(r"\{([^}]+)\}", line)[0]
    path = folder / (f"{LOCKED[name]}/terraform.tfstate" if name in LOCKED else name)
    words = session.prepared(line)
    with open_state(path, system_context().lock_info(str(path), "apply"), system_context().note):
        before = _contents(folder)
        result, _ = session.run(words)
        assert {**before, **_contents(folder)} == before
    assert result.status == 2
    assert bool(result.out) == (command == "check")
    assert re.search(r": locked by \S+ \(apply, since \S+\); nothing was written\.", _words(result)), result.err


# `report` replaces pages; the others write operations, a plan, or what was salvaged.
OUT: Final = _with("--out", but="report, plan, split, join, salvage, adopt")


@pytest.mark.parametrize("command", OUT)
def test_out(command: str, folder: Path, session: _Session) -> None:
    words = [*session.prepared(FINE[command].line.replace(" -i {", " {")), "--out"]
    result, disk = session.run([*words, "new"])
    assert (result.status, disk) == (0, "+new"), result
    assert json.loads((folder / "new").read_bytes())
    assert "new" in result.err
    # It is there now.
    words = [word for word in words if word != "--yes"]
    (folder / "new").write_bytes(b"other")
    result, disk = session.run([*words, "new"])
    assert (result.status, disk) == (2, "")
    assert re.search(r"new: the file already exists; --yes|needs confirmation", _words(result)), result.err


# The option of `diff` names nothing to write.
@pytest.mark.parametrize("command", _with("--backup", but="diff"))
def test_backup_that_exists(command: str, session: _Session) -> None:
    result, disk = session.run([*session.prepared(FINE[command].line), "--backup", "text"])
    assert (result.status, disk) == (2, "")
    assert "text: the backup already exists; nothing was written" in _words(result)


@pytest.mark.parametrize("command", _with("--no-backup", but="apply, check, join, split"))
def test_contents_of_the_history_are_compressed(command: str, folder: Path, session: _Session) -> None:
    """Those that are no backup, too."""
    words = session.prepared(FINE[command].line)
    result, disk = session.run([*words, "--no-backup"])
    assert (result.status, disk) == (0, FINE[command].disk.split(" ")[0])
    assert "kept in" not in result.err
    kept = [path for path in folder.rglob(".*.statetool/contents/*") if path.stat().st_nlink == 1]
    assert kept
    assert all(path.suffix == ".gz" for path in kept)


ASKING: Final = [name for name, row in FINE.items() if row.line.endswith(" --yes") and name != "undo"]


@pytest.mark.parametrize("command", ASKING)
def test_no_terminal(command: str, session: _Session) -> None:
    result, disk = session.run(session.prepared(FINE[command].line.removesuffix(" --yes")))
    assert (result.status, result.out, disk) == (2, b"", "")
    assert "needs confirmation, and there is no terminal to ask on; nothing was written" in _words(result)


@pytest.mark.parametrize("command", [name for name in ASKING if name != "edit"])
def test_answered_with_no(command: str, folder: Path, session: _Session, program: Program) -> None:
    line = shlex.join(session.prepared(FINE[command].line.removesuffix(" --yes")))
    before = _contents(folder)
    shown = on_terminal(program, f"statetool {line}", typed="n\n")
    assert (shown.status, _disk(before, _contents(folder))) == (2, "")
    assert "[y/N]" in shown.text
    assert shown.text.rstrip().endswith("nothing was written"), shown.text


# git goes on with the next file, whatever became of this one; an editor needs its terminal.
PRINTING: Final = [name for name, row in FINE.items() if row.out and name not in ("edit", "git-driver")]


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=[] if number % 6 == 0 else [pytest.mark.slow]) for number, name in enumerate(PRINTING)],
)
def test_nobody_reads(command: str, folder: Path, session: _Session, program: Program) -> None:
    """As with `| true`: neither fine nor findings. What a command wrote before it printed is written, and said."""
    words = session.prepared(FINE[command].line)
    before = _contents(folder)
    reading, writing = os.pipe()
    os.close(reading)
    result = program.to(writing, *words)
    os.close(writing)
    assert result.status == 128 + 13, result
    disk = _disk(before, _contents(folder))
    assert disk in ("", FINE[command].disk)
    assert "Traceback" not in result.err
    if disk == "":
        assert "written" not in result.err.replace("nothing was written", "")

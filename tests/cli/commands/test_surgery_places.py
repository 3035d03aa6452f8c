"""Surgery and undo wherever a state may be: without a home, behind links, under foreign modes and owners, or gone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Program, Statetool
from tests.cli.states import SAMPLES
from tests.store.local.test_watched import NEEDS_STRACE, strace

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"
HISTORY = f".{NAME}.statetool"
MOVE = ("mv", "aws_iam_role.app", "aws_iam_role.shop")
EDITS = [MOVE, ("undo",)]
IDS = ["mv", "undo"]
WITHOUT_A_HOME = {
    "an empty environment": {},
    "a home that is not there": {"HOME": "/nonexistent"},
    "a home that is empty text": {"HOME": ""},
}


@pytest.fixture(autouse=True)
def state(folder: Path) -> Path:
    path = folder / NAME
    path.write_bytes(REGIONS)
    return path


def _before(edit: tuple[str, ...], statetool: Statetool, *options: str) -> bytes:
    """What the state is before an edit: there must be something to undo."""
    if edit != MOVE:
        assert statetool(*MOVE, *options).status == 0
    return Path(options[-1] if options else NAME).read_bytes()


def _identity(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_mode, status.st_uid, status.st_gid, status.st_nlink


@pytest.mark.parametrize("case", WITHOUT_A_HOME)
def test_no_home(case: str, state: Path) -> None:
    for edit in EDITS:
        done = subprocess.run([PROGRAM, *edit], env=WITHOUT_A_HOME[case], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert state.read_bytes() == REGIONS.replace(b'"serial": 58', b'"serial": 60')


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root becomes somebody else")
def test_a_user_that_nobody_knows(state: Path, folder: Path, program: Program) -> None:
    """As in a container that runs under a number. Without a name, the number is in the history."""
    os.chown(state, 54321, 54321)
    os.chown(folder, 54321, 54321)
    # Such a user may not even look into the folders of the tests, so that it keeps the privilege to do so.
    become = "setpriv --reuid 54321 --regid 54321 --clear-groups --inh-caps +dac_override --ambient-caps +dac_override"
    done = program.in_shell(f"{become} {PROGRAM} {' '.join(MOVE)}")
    assert done.status == 0, done.err
    assert '"user": "54321@' in (folder / HISTORY / "history.json").read_text()


@pytest.mark.parametrize("edit", EDITS, ids=IDS)
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_mode_and_owner_stay(mode: int, edit: tuple[str, ...], state: Path, folder: Path, statetool: Statetool) -> None:
    before = _before(edit, statetool)
    state.chmod(mode)
    if os.geteuid() == 0:
        os.chown(state, 12345, 23456)
    identity = _identity(state)
    assert statetool(*edit).status == 0
    assert _identity(state) == identity
    assert state.read_bytes() != before
    made = [path for path in folder.rglob("*") if path.is_file() and path != state and path.name != ".gitignore"]
    assert made
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {oct(0o600)}


@pytest.mark.parametrize("edit", EDITS, ids=IDS)
def test_links_stay_links(edit: tuple[str, ...], state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / "twin").hardlink_to(state)
    (folder / "elsewhere").mkdir()
    link = folder / "elsewhere" / "link"
    link.symlink_to(f"../{NAME}")
    _before(edit, statetool, "--state", "elsewhere/link")
    identity = _identity(state)
    assert statetool(*edit, "--state", "elsewhere/link").status == 0
    assert link.readlink() == Path(f"../{NAME}")
    assert _identity(state) == _identity(folder / "twin") == identity
    assert state.read_bytes() == (folder / "twin").read_bytes() != REGIONS


@pytest.mark.parametrize("names", [(NAME, "link"), ("link", NAME), ("link", "other")], ids=" then ".join)
def test_one_history_for_all_links(names: tuple[str, str], state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / "elsewhere").mkdir()
    for name in ("link", "other"):
        (folder / "elsewhere" / name).symlink_to(state)
    first, second = (name if name == NAME else f"elsewhere/{name}" for name in names)
    assert statetool(*MOVE, "--state", first).status == 0
    assert statetool("undo", second).status == 0
    assert state.read_bytes() == REGIONS.replace(b'"serial": 58', b'"serial": 60')
    assert [path.name for path in folder.rglob("*.statetool")] == [HISTORY]


@NEEDS_STRACE
@pytest.mark.parametrize("written", [NAME, "elsewhere/link"])
@pytest.mark.parametrize("read", [NAME, "elsewhere/link", "elsewhere/other"])
def test_killed_under_one_name_and_read_under_another(
    written: str, read: str, state: Path, folder: Path, program: Program
) -> None:
    """The shorter content is written over the longer one, and what is left of that not cut off yet."""
    (folder / "elsewhere").mkdir()
    for name in ("link", "other"):
        (folder / "elsewhere" / name).symlink_to(state)
    kill = strace("-P", str(state), "-e", "inject=ftruncate:signal=SIGKILL")
    subprocess.run(
        [*kill, PROGRAM, "rm", "--yes", "aws_vpc.main", "--state", written], capture_output=True, check=False
    )
    assert len(state.read_bytes()) == len(REGIONS)
    assert state.read_bytes() != REGIONS
    done = program("list", "--state", read)
    assert done.status == 0, done.err
    assert "finished an interrupted write" in " ".join(done.err.split())
    assert "aws_vpc.main" not in done.text
    assert program("undo", read).status == 0
    assert state.read_bytes() == REGIONS.replace(b'"serial": 58', b'"serial": 60')


def test_a_name_that_is_a_circle(folder: Path, statetool: Statetool) -> None:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    for edit in EDITS:
        assert statetool(*edit, "--state", "a").status == 2


Break = Callable[[Path], None]


def _vanish(state: Path) -> None:
    state.unlink()


def _become_a_folder(state: Path) -> None:
    state.unlink()
    state.mkdir()


GONE: list[tuple[Break, str]] = [
    (_vanish, "there is no such file"),
    (_become_a_folder, "this is a folder, not a state file"),
]


@pytest.mark.parametrize("edit", EDITS, ids=IDS)
@pytest.mark.parametrize(("change", "message"), GONE, ids=[case[0].__name__.strip("_") for case in GONE])
def test_gone(
    change: Break,
    message: str,
    edit: tuple[str, ...],
    state: Path,
    statetool: Statetool,
    tree: Callable[[], dict[str, bytes]],
) -> None:
    _before(edit, statetool)
    change(state)
    before = tree()
    done = statetool(*edit)
    assert (done.status, done.out) == (2, b"")
    assert f"{NAME}: {message}" in " ".join(done.err.split())
    assert tree() == before


# The modes of the folder, of the state and of the history, and what is said.
MODES = [
    (0o555, 0o644, 0o700, "cannot create a backup beside it (permission denied); nothing was written"),
    (0o755, 0o444, 0o700, "permission denied; nothing was written"),
    (0o755, 0o644, 0o500, "cannot write its history (permission denied); nothing was written"),
    (0o755, 0o644, 0o000, "cannot read the history (permission denied)"),
]


@pytest.mark.parametrize("edit", EDITS, ids=IDS)
@pytest.mark.parametrize(("folder_mode", "mode", "history_mode", "message"), MODES)
def test_not_allowed(
    folder_mode: int,
    mode: int,
    history_mode: int,
    message: str,
    edit: tuple[str, ...],
    state: Path,
    folder: Path,
    statetool: Statetool,
    program: Program,
) -> None:
    for one in EDITS:
        assert statetool(*one).status == 0
    _before(edit, statetool)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    state.chmod(mode)
    (folder / HISTORY).chmod(history_mode)
    folder.chmod(folder_mode)
    done = program.without_privileges(*edit)
    folder.chmod(0o755)
    (folder / HISTORY).chmod(0o700)
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_content_to_go_back_to_is_gone(state: Path, folder: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    moved = state.read_bytes()
    shutil.rmtree(folder / HISTORY / "contents")
    done = statetool("undo")
    assert done.status == 2
    assert "cannot read the content before this edit" in " ".join(done.err.split())
    assert state.read_bytes() == moved

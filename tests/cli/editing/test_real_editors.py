"""`statetool edit` with the editors that people have, in a pseudo-terminal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.editing.conftest import script
from tests.cli.editing.conversation import conversation
from tests.cli.terminal import on_terminal

QUESTION = "Write this to"
VIMS = ("vim.tiny", "vim.basic", "vim", "nvim")
# Settings with which an editor leaves copies everywhere.
VIMRC = (
    "set undofile undodir=~/undo backup backupdir=~/backup directory=~/swap swapfile viminfo='100,n~/info modeline\n"
)


@pytest.fixture
def home(folder: Path, program: Program) -> Path:
    """A home in which vim and nano keep copies of all that they edit."""
    path = folder / "home"
    for name in ("undo", "backup", "swap"):
        (path / name).mkdir(parents=True)
    (path / ".vimrc").write_text(VIMRC)
    (path / ".nanorc").write_text(f'set backup\nset backupdir "{path}/backup"\nset historylog\nset positionlog\n')
    program.environment = {**program.environment, "HOME": str(path), "TERM": "vt100"}
    return path


def _files(home: Path) -> list[str]:
    return sorted(path.name for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("editor", VIMS)
def test_vim(editor: str, state: Path, memory: Path, home: Path, program: Program) -> None:
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed")
    before = state.read_bytes()
    keys = ":%s/t3.small/t3.large/g\r:w\r:w\r:q\r"
    shown = conversation(program, "statetool edit", ("lineage", keys), (QUESTION, "y\n"), EDITOR=editor)
    assert shown.status == 0, shown
    wanted = before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted
    # nvim makes an empty log.
    assert [name for name in _files(home) if name != "log"] == [".nanorc", ".vimrc"]
    assert not list(memory.iterdir())


def test_vim_would_leave_copies_otherwise(folder: Path, home: Path, program: Program) -> None:
    """The settings of the tests above have an effect."""
    vim = shutil.which("vim.basic")
    if vim is None:
        pytest.skip("vim.basic is not installed")
    (folder / "text").write_text("text\n")
    conversation(program, f"{vim} {folder}/text", ("text", ":s/text/other/\r:w\r:q\r"))
    assert len(_files(home)) > 2


def test_nano(state: Path, memory: Path, home: Path, program: Program) -> None:
    if shutil.which("nano") is None:
        pytest.skip("nano is not installed")
    before = state.read_bytes()
    # Search and replace, all; write, with the name that nano proposes; exit.
    keys = "\x1ct3.small\rt3.large\ra\x0f\r\x18"
    shown = conversation(program, "statetool edit", ("lineage", keys), (QUESTION, "y\n"), EDITOR="nano")
    assert shown.status == 0, shown
    assert state.read_bytes().count(b"t3.large") == before.count(b"t3.small")
    assert _files(home) == [".nanorc", ".vimrc"]
    assert not list(memory.iterdir())


def test_ed(state: Path, memory: Path, program: Program) -> None:
    if shutil.which("ed") is None:
        pytest.skip("ed is not installed")
    before = state.read_bytes()
    keys = "g/t3.small/s//t3.nano/\nw\nq\n"
    # It prints the number of bytes when it has read the file.
    size = str(len(before))
    shown = conversation(program, "statetool edit", (size, keys), (QUESTION, "y\n"), EDITOR="ed")
    assert shown.status == 0, shown
    wanted = before.replace(b"t3.small", b"t3.nano").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted
    assert not list(memory.iterdir())


def test_a_killed_editor_leaves_the_terminal_usable(state: Path, folder: Path, program: Program) -> None:
    before = state.read_bytes()
    editor = script(folder, "stty raw -echo; kill -9 $$")
    line = 'before=$(stty -g); statetool edit; status=$?; [ "$(stty -g)" = "$before" ] && exit $status; exit 99'
    shown = on_terminal(program, line, environment={"EDITOR": editor})
    assert shown.status == 2, shown
    assert "was ended by signal 9" in shown.text
    assert state.read_bytes() == before

"""`statetool edit` with the editors that people have, in a pseudo-terminal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.editing.conftest import script
from tests.cli.editing.conversation import HANG_UP, conversation
from tests.cli.terminal import on_terminal

QUESTION = "Write this to"
SETTINGS = [".emacs", ".nanorc", ".vimrc", "settings.json"]
VIMS = ("vim.tiny", "vim.basic", "vim", "nvim")
# Settings with which an editor leaves copies everywhere.
VIMRC = (
    "autocmd!\n"
    "set undofile undodir=~/undo backup backupdir=~/backup directory=~/swap swapfile viminfo='100,n~/info modeline\n"
)
# What other editors are typed to replace all, save and quit; after each part, they get time to read it.
OTHERS = {
    "nano": ("\x1ct3.small\rt3.large\ra", "\x0f\r", "\x18"),
    "emacs -nw": ("\x1b%t3.small\rt3.large\r!", "\x18\x13", "\x18\x03"),
    "micro": ("\x05replaceall t3.small t3.large\r", "\x13", "\x11"),
    "kak": ("%st3.small\rct3.large\x1b", ":wq\r"),
}
EMACS = """
(setq backup-directory-alist '(("." . "~/backup/")) vc-make-backup-files t savehist-file "~/info")
(savehist-mode 1)
"""


@pytest.fixture
def home(folder: Path, program: Program) -> Path:
    """A home in which vim and nano keep copies of all that they edit."""
    path = folder / "home"
    for name in ("undo", "backup", "swap"):
        (path / name).mkdir(parents=True)
    (path / ".vimrc").write_text(VIMRC)
    (path / ".nanorc").write_text(f'set backup\nset backupdir "{path}/backup"\nset historylog\nset positionlog\n')
    (path / ".emacs").write_text(EMACS)
    (path / ".config/micro").mkdir(parents=True)
    micro = {"permbackup": True, "backupdir": f"{path}/backup", "saveundo": True, "savehistory": True}
    (path / ".config/micro/settings.json").write_text(json.dumps(micro))
    program.environment = {**program.environment, "HOME": str(path), "TERM": "xterm"}
    return path


def _files(home: Path) -> list[str]:
    return sorted(path.name for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("editor", VIMS)
def test_vim(editor: str, state: Path, memory: Path, home: Path, program: Program) -> None:
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed")
    # A state is untrusted: with this line, vim would refuse to save it.
    before = state.read_bytes().replace(b'"lineage": "', b'"lineage": "a vim: set readonly : ')
    state.write_bytes(before)
    keys = ":%s/t3.small/t3.large/g\r:w\r:w\r:q\r"
    shown = conversation(program, "statetool edit", ("lineage", keys), (QUESTION, "y\n"), EDITOR=editor)
    assert shown.status == 0, shown
    wanted = before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted
    # nvim makes an empty log.
    assert [name for name in _files(home) if name != "log"] == SETTINGS
    assert not list(memory.iterdir())


def test_vim_would_leave_copies_otherwise(folder: Path, home: Path, program: Program) -> None:
    """The settings of the tests above have an effect."""
    vim = shutil.which("vim.basic")
    if vim is None:
        pytest.skip("vim.basic is not installed")
    (folder / "text").write_text("text\n")
    conversation(program, f"{vim} {folder}/text", ("text", ":s/text/other/\r:w\r:q\r"))
    assert len(_files(home)) > len(SETTINGS)


@pytest.mark.parametrize("editor", OTHERS)
def test_other_editors(editor: str, state: Path, memory: Path, home: Path, program: Program) -> None:
    if shutil.which(editor.split(maxsplit=1)[0]) is None:
        pytest.skip(f"{editor} is not installed")
    before = state.read_bytes()
    steps = [("lineage", OTHERS[editor][0]), *(("", keys) for keys in OTHERS[editor][1:])]
    shown = conversation(program, "statetool edit", *steps, (QUESTION, "y\n"), EDITOR=editor)
    assert shown.status == 0, shown
    wanted = before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted
    assert [path for path in home.rglob("*") if path.is_file() and b"lineage" in path.read_bytes()] == []
    assert not list((home / "backup").iterdir())
    # Kakoune has a folder for sockets.
    assert not list(memory.glob("statetool-*"))


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


def test_an_editor_that_is_killed_leaves_no_other_screen(state: Path, folder: Path, program: Program) -> None:
    """xterm has two screens; an editor that is killed leaves the terminal on its own."""
    editor = script(folder, "printf '\\033[?1049h\\033[?25l'; kill -9 $$")
    shown = on_terminal(program, "statetool edit", environment={"EDITOR": editor, "TERM": "xterm"})
    assert shown.status == 2, shown
    assert shown.text.rindex("\033[?1049l") > shown.text.rindex("\033[?1049h")
    assert shown.text.rindex("\033[?25h") > shown.text.rindex("\033[?25l")


def test_keys_that_interrupt_are_for_the_editor(state: Path, memory: Path, program: Program) -> None:
    if shutil.which("ed") is None:
        pytest.skip("ed is not installed")
    before = state.read_bytes()
    steps = (str(len(before)), "\x03"), ("?", "g/t3.small/s//t3.nano/\nw\nq\n"), (QUESTION, "\x03")
    shown = conversation(program, "exec statetool edit", *steps, EDITOR="ed")
    # The second one is for the question.
    assert shown.status == 130, shown
    assert state.read_bytes() == before
    kept = [path for path in memory.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [before.replace(b"t3.small", b"t3.nano")]
    assert f"--text {kept[0]} --expect-serial 58" in shown.text


@pytest.mark.parametrize("editor", ["vim.basic", "nano", "ed"])
def test_the_terminal_is_closed(editor: str, state: Path, memory: Path, home: Path, program: Program) -> None:
    """Nobody is left to answer: no lock, no copy, no recovery file."""
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed")
    before, seen = state.read_bytes(), "lineage" if editor != "ed" else str(len(state.read_bytes()))
    shown = conversation(program, "exec statetool edit", (seen, HANG_UP), EDITOR=editor)
    assert shown.status == -1, shown
    assert state.read_bytes() == before
    assert not list(memory.iterdir())
    assert _files(home) == SETTINGS
    assert not (state.parent / ".terraform.tfstate.lock.info").exists()
    assert program("taint", "aws_iam_role.app").status == 0

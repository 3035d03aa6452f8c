"""Finds the editor of the user, and the options that stop it from keeping copies of what it edits."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from statefmt import StoreError

_DEFAULT: Final = "vi"
# After the settings of the user. One command for each, since the first unknown option ends a `set`; builds without a
# feature do not know its options.
_VIM_SETTINGS: Final = " | ".join(
    f"silent! set {one}"
    for one in ("noundofile", "nobackup", "nowritebackup", "noswapfile", "viminfo=", "nofixendofline")
)
# After the settings of the user, but before the file is read: a state is untrusted. The group protects the command from
# a vimrc that removes all others.
_NO_MODELINES: Final = ("augroup statetool", "autocmd BufReadPre * set nomodeline", "augroup END")
# No swap file, and no viminfo or ShaDa file.
_VIM: Final = (
    *("-n", "-i", "NONE"),
    *(word for one in _NO_MODELINES for word in ("--cmd", f"silent! {one}")),
    *("-c", _VIM_SETTINGS),
)
# Local variables are those that a file sets.
_EMACS_SETTINGS: Final = (
    "(setq make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil create-lockfiles nil "
    "enable-local-variables nil)"
)
# Options of editors by the name of the program. The settings of nano and Emacs that keep copies, also of packages,
# cannot be turned off one by one: they start without the files of the user.
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("vim", "nvim", "vimx", "rvim"), _VIM),
    **dict.fromkeys(("gvim", "mvim"), ("-f", *_VIM)),
    **dict.fromkeys(("nano", "rnano"), ("--ignorercfiles",)),
    "emacs": ("-Q", "--eval", _EMACS_SETTINGS),
    "micro": (
        *("-backup", "false", "-permbackup", "false", "-savehistory", "false", "-saveundo", "false"),
        *("-savecursor", "false", "-eofnewline", "false"),
    ),
    # They keep nothing outside of the file's folder.
    **dict.fromkeys(("hx", "helix", "kak"), ()),
}
_WAITING: Final = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf", "subl", "zed"})
# They keep unsaved text or a history of files in folders of their own, and no option of a call prevents it.
_KEEPING: Final = _WAITING | {"idea", "pycharm", "goland", "emacsclient", "nvi", "bsd-vi"}
_WITH_LINES: Final = frozenset(
    {"vim", "nvim", "vimx", "rvim", "gvim", "mvim", "nano", "rnano", "emacs", "micro", "kak"}
)


class Discretion(Enum):
    """Whether an editor keeps copies of what it edits outside of the folder of the file."""

    KEEPS_NOTHING = "keeps nothing"
    UNKNOWN = "unknown"
    KEEPS_COPIES = "keeps copies"


class Editor(NamedTuple):
    """A program with its arguments; `takes_lines` if `+LINE` before the path has it start at a line."""

    words: tuple[str, ...]
    discretion: Discretion
    takes_lines: bool = False

    @property
    def name(self) -> str:
        """The name of the program."""
        return Path(self.words[0]).name

    def command(self, path: Path, line: int | None = None) -> list[str]:
        """Return the words that edit a file, if possible from a line on."""
        start = [f"+{line}"] if line is not None and self.takes_lines else []
        return [*self.words, *start, str(path)]


def user_editor(environment: Mapping[str, str]) -> Editor:
    """Return the editor that VISUAL or EDITOR names, else vi, with options that keep it from leaving copies.

    Both variables have words as a shell reads them, without running one. Raises StoreError if there is no such program.
    """
    variable = next((one for one in ("VISUAL", "EDITOR") if environment.get(one, "").strip()), None)
    text = _DEFAULT if variable is None else environment[variable]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise StoreError(f"{variable} cannot be read as a command: {error}; nothing was written") from error
    found = shutil.which(words[0], path=environment.get("PATH")) if words and words[0] else None
    if found is None:
        program = repr(words[0]) if words else "an empty name"
        source = "the default editor" if variable is None else f"the editor in {variable}"
        raise StoreError(f"{source} was not found: {program}; name one in VISUAL or EDITOR. Nothing was written")
    called, real = Path(found).name, Path(found).resolve().name
    # `vi` may be any of several programs, `vim.tiny` and `emacs-nox` are builds.
    known = next((one for one in (real, real.partition(".")[0], called) if one in _OPTIONS), None)
    if known is not None:
        return Editor((found, *words[1:], *_OPTIONS[known]), Discretion.KEEPS_NOTHING, known in _WITH_LINES)
    keeping = next((one for one in (called, real) if one in _KEEPING), None)
    waiting = ("--wait",) if keeping in _WAITING else ()
    return Editor((found, *words[1:], *waiting), Discretion.UNKNOWN if keeping is None else Discretion.KEEPS_COPIES)

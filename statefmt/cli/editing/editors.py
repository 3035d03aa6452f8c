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
# No swap file, no viminfo or ShaDa file; then, after the settings of the user, no undo, backup or swap file, no
# modelines (a state is untrusted), and no change to the last line. `silent!` is for builds without a feature.
_VIM: Final = (
    *("-n", "-i", "NONE", "--cmd", "set nomodeline"),
    *("-c", "silent! set noundofile nobackup nowritebackup noswapfile nomodeline viminfo= nofixendofline"),
)
_EMACS: Final = (
    "--eval",
    "(setq make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil create-lockfiles nil)",
)
# Options of editors by the name of the program. Those of nano's own files cannot be turned off one by one.
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("vim", "nvim", "vimx", "rvim"), _VIM),
    **dict.fromkeys(("gvim", "mvim"), ("-f", *_VIM)),
    **dict.fromkeys(("nano", "rnano"), ("--ignorercfiles",)),
    "emacs": _EMACS,
    "micro": ("-backup", "false", "-savehistory", "false", "-saveundo", "false", "-savecursor", "false"),
    # They keep nothing outside of the file's folder.
    **dict.fromkeys(("hx", "helix", "kak"), ()),
}
# They keep unsaved text or a history of every file in the home of the user, and no option of a call prevents it.
_KEEPING: Final = frozenset(
    {"code", "code-insiders", "codium", "cursor", "windsurf", "subl", "zed", "idea", "pycharm", "goland", "emacsclient"}
)


class Discretion(Enum):
    """Whether an editor keeps copies of what it edits outside of the folder of the file."""

    KEEPS_NOTHING = "keeps nothing"
    UNKNOWN = "unknown"
    KEEPS_COPIES = "keeps copies"


class Editor(NamedTuple):
    """A program with its arguments, to which the path of the file is appended."""

    words: tuple[str, ...]
    discretion: Discretion

    @property
    def name(self) -> str:
        """The name of the program."""
        return Path(self.words[0]).name


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
    found = shutil.which(words[0], path=environment.get("PATH")) if words else None
    if found is None:
        program = repr(words[0]) if words else "an empty name"
        source = "the default editor" if variable is None else f"the editor in {variable}"
        raise StoreError(f"{source} was not found: {program}; name one in VISUAL or EDITOR. Nothing was written")
    name = Path(found).resolve().name
    # `vi` may be any of several programs, `vim.tiny` is a build of vim.
    known = next((one for one in (name, name.partition(".")[0], Path(found).name) if one in _OPTIONS), None)
    if known is not None:
        return Editor((found, *words[1:], *_OPTIONS[known]), Discretion.KEEPS_NOTHING)
    is_keeping = bool({name, Path(found).name} & _KEEPING)
    return Editor((found, *words[1:]), Discretion.KEEPS_COPIES if is_keeping else Discretion.UNKNOWN)

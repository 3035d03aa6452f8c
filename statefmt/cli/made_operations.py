"""Names and places the states of operations files that commands make."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from statefmt.cli.applying import anywhere
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import StateBlock, fit_name, paths_to_allow, write_operations
from statefmt.text import shell_line

# Returns the path of a state in an operations file; None is the state of the current folder.
StatePlacer: TypeAlias = Callable[[str | None], str]

# File names that say nothing about a state.
_USUAL: Final = ("terraform", "default", "")


def place_in(out: str | None) -> StatePlacer:
    """Return the function that places states in a file `out`; None for one in memory, with paths for any folder."""
    if out is None or out == STANDARD_INPUT:
        return anywhere if out is None else lambda state: "." if state is None else state
    folder = Path(out).parent

    def relative(state: str | None) -> str:
        if state is not None and ("://" in state or Path(state).is_absolute()):
            return state
        return os.path.relpath(state or ".", folder)

    return relative


def source_block(state: str | None, place: StatePlacer) -> StateBlock:
    """Return the block of a state that exists, with the workspace of the command line if it is that of a folder."""
    path = place(state)
    options = run_context().backend
    is_folder = state is None or Path(state).is_dir()
    return StateBlock(path, workspace=options.workspace if options is not None and is_folder else None)


def short_names(states: Iterable[str | None]) -> dict[str | None, str]:
    """Return a name for each state: that of its file or, if the file has the usual name, of its folder."""
    names: dict[str | None, str] = {}
    for state in dict.fromkeys(states):
        wanted = _short_name(state)
        name, number = wanted, 1
        while name in names.values():
            number += 1
            name = f"{wanted}-{number}"
        names[state] = name
    return names


def save_operations(out: str, text: str) -> None:
    """Write an operations file to a new file, or to standard output if that is `-`. Raises StoreError."""
    if out == STANDARD_INPUT:
        print(text, end="")
        return
    write_operations(out, text)
    say(f"{out}: written; `{apply_line(out, 'plan')}` shows what it does, `{apply_line(out)}` does it")


def apply_line(path: str, command: str = "apply") -> str:
    """Return the command line that applies an operations file or a plan, and allows what it names elsewhere."""
    allowing = (word for place in paths_to_allow(path) for word in ("--allow-path", place))
    return shell_line(["statetool", command, *allowing, path])


def _short_name(state: str | None) -> str:
    path = PurePosixPath((state or "").partition("?")[0])
    stem = path.name.removesuffix(".json").removesuffix(".tfstate")
    return fit_name(path.parent.name if stem in _USUAL and path.parent.name else stem)

"""Finds and opens the state that a command names."""

from __future__ import annotations

import os
from collections.abc import Iterable

from typer import BadParameter

import statefmt
from statefmt import State, StoreError
from statefmt.cli.options.shared import PlanPart
from statefmt.cli.outcome import show_failure
from statefmt.cli.run import run_context
from statefmt.locations import PLAN, current_state, display_name, state_words
from statefmt.text import shell_line


def state_name(name: str | None, *, to_read: bool = False) -> str:
    """Return the state for a command: a file, or the state of a folder, by default the current folder.

    Raises StoreError, also for a state outside the folder. If it is only `to_read`, a changed backend is not noted.
    """
    return current_state(run_context(), name, to_read=to_read)


def named_folder(name: str | None) -> str | None:
    """Return the folder or URL of a command, None for the current folder. Raises StoreError for a file."""
    # Path.is_dir raises if a parent may not be searched.
    if name is not None and "://" not in name and not os.path.isdir(name):  # noqa: PTH112
        raise StoreError(f"{display_name(name)}: this is not a folder; name the folder of a root module")
    return name


def found_states(names: Iterable[str], *, everything: bool = False) -> tuple[list[str], list[tuple[str, str]]]:
    """Expand names, globs and folders to states; also return the names without states, with the reason.

    Reports names without states. With `everything`, folders include their backups and `.terraform`.
    """
    # Imported late: most commands read one state.
    from statefmt.locations import listed_states

    found: dict[str, None] = {}
    missing: list[tuple[str, str]] = []
    for name in names:
        try:
            found.update(dict.fromkeys(listed_states(run_context(), [name], everything=everything)))
        except StoreError as error:
            show_failure(error)
            missing.append((name, error.on_command_line))
    return list(found), missing


def opened_state(
    name: str | None, version_id: str | None = None, *, part: PlanPart | None = None, like: State | None = None
) -> State:
    """Open and read the state, or a version of it that its service keeps, for a command that does not write.

    With `part`, the name is that of a plan file. Reading is faster if most resources are the same in the state `like`.
    Raises StoreError, StateError and EncryptionError.
    """
    if part is not None:
        if name is None or version_id is not None:
            raise BadParameter("requires --state PLANFILE, and cannot be combined with --version", param_hint="--part")
        name = f"{PLAN}{part}:{name}"
    if version_id is not None:
        from statefmt.locations import version_name

        return statefmt.open(version_name(run_context(), version_id, name), context=run_context())
    state = statefmt.open(state_name(name, to_read=True), context=run_context(), read=False)
    state.reload(like)
    _note_what_opentofu_refuses(state)
    return state


def _note_what_opentofu_refuses(state: State) -> None:
    """Note that OpenTofu refuses a state which Terraform reads: it is shown as Terraform shows it."""
    refused = [finding for finding in state.findings if finding.code == "PRV004"]
    if refused:
        others = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        command = shell_line(["statetool", "check", *state_words(state.location)])
        run_context().note(
            f"{display_name(state.location)}: OpenTofu refuses the provider of {refused[0].address}{others}, which "
            f"Terraform reads; `{command}` shows how to set its source"
        )

"""Finds the states for `check`, and checks them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from typer import BadParameter

from statefmt import RunContext, StoreError
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import state_name
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT, RemoteName, find_states, listed_states
from statefmt.render.terminal import counted
from statefmt.rules import CheckedState, Gate, UnreadableState

_USUAL_STATE: Final = "terraform.tfstate"


def default_names(*, everything: bool, only_one: bool, to_read: bool) -> list[str]:
    """Return what to check if nothing is named: the state of the current workspace, else the directory.

    A workspace that was selected has its own state, so the others do not take its place; nor do they with `only_one`.
    Raises StoreError if there are none and, unless it is only `to_read`, if that state is outside the directory.
    """
    name = state_name(None, to_read=to_read)
    if name != _USUAL_STATE or only_one or os.path.lexists(name):
        return [name]
    try:
        found = find_states(["."], everything=everything)
    except StoreError as error:
        raise StoreError(
            f"no state to check: there is no {_USUAL_STATE} in this directory, and no *.tfstate below it; name a state "
            "or a directory"
        ) from error
    say(f"statetool: no {_USUAL_STATE} in this directory; checking {counted(len(found), 'state')} below {Path.cwd()}")
    return ["."]


def state_of_plan(plan: str, names: Sequence[str], *, everything: bool) -> str:
    """Return the one state to compare a plan from a file with; by default that of the current workspace.

    Raises StoreError if there is none, and BadParameter if several are named.
    """
    if names:
        found = listed_states(run_context(), names, everything=everything)
        if len(found) > 1:
            raise BadParameter(f"a plan is compared with one state, but {len(found)} are named", param_hint="--plan")
        if found[0] == plan == STANDARD_INPUT:
            raise BadParameter("only one of the plan and the state can come from standard input")
        return found[0]
    name = state_name(None)
    if not isinstance(name, RemoteName) and not os.path.lexists(name):
        raise StoreError(
            f"there is no {name} to compare the plan with; name the state (- for the output of `tofu state pull`), or "
            "check the plan alone with --no-state"
        )
    return name


def reading_once(context: RunContext) -> RunContext:
    """Return a context that keeps standard input: a state from there is checked, and compared with the plan."""
    return replace(context, read_input=cache(context.read_input))


def check_all(
    gate: Gate, names: Sequence[str], *, everything: bool
) -> tuple[list[CheckedState], list[UnreadableState]]:
    """Check every state once. States that cannot be found or read are reported, and the rest are checked."""
    found: dict[str, None] = {}
    unreadable: list[UnreadableState] = []
    for name in names:
        try:
            found.update(dict.fromkeys(listed_states(gate.context, [name], everything=everything)))
        except StoreError as error:
            show_failure(error)
            unreadable.append(UnreadableState(name, error.on_command_line))
    checked: list[CheckedState] = []
    for result in gate.check_all(list(found)):
        if isinstance(result, CheckedState):
            checked.append(result)
        else:
            show_failure(StoreError(result.message))
            unreadable.append(result)
    return checked, unreadable

"""Thousands of hostile folders: nothing of the user's is sent, printed, changed or run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import cycle
from random import Random
from typing import Final

import pytest

from tests.strangers.commands import COMMANDS
from tests.strangers.faults import faults
from tests.strangers.folders import Folder, block_folder, cases, record_folder
from tests.strangers.scene import User, write_clone

# How many of the folders the usual run tries.
_SAMPLE: Final = 60
# The shares of all folders, for processes side by side.
_SHARES: Final = 8
# Those that find the state of the folder; the others open files that are named to them.
_OPENING: Final = (
    "where", "workspaces", "list", "show", "providers", "outputs", "grep", "stats", "graph", "report", "pull", "check",
    "simulate", "diff", "fmt", "mv", "rm", "rekey", "rebind", "replace-provider", "taint", "set-serial", "new-lineage",
    "split", "locks", "unlock", "copy", "move-backend", "fleet index", "encryption-info", "encrypt", "undo", "history",
    "versions", "repair", "reconcile", "edit", "log", "blame",
)  # fmt: skip
# What the user has for services: variables and files, only files, or nothing, with which more requests are made.
_MODES: Final = ("all", "files", "none")
_MAKERS: Final[tuple[Callable[..., Folder], ...]] = (
    block_folder,
    lambda user, *case: block_folder(user, *case, has_keys=True),
    lambda user, *case: block_folder(user, *case, json_syntax=True),
    record_folder,
)


def test_there_are_at_least_2000_folders() -> None:
    assert len(cases()) * len(_MAKERS) >= 2000
    assert set(_OPENING) <= set(COMMANDS)


def test_some_folders(user: User, random: Random) -> None:
    _try_all(user, random.sample(cases(), _SAMPLE), random)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(_SHARES))
def test_all_folders(share: int, user: User, random: Random) -> None:
    _try_all(user, cases()[share::_SHARES], random)


def _try_all(user: User, chosen: list[tuple[str, str, str]], random: Random) -> None:
    """Try each case in one of the ways to write it, with one command. All failures are reported at the end."""
    commands = cycle(random.sample(_OPENING, len(_OPENING)))
    before, failures = user.belongings(), list[str]()
    for number, case in enumerate(chosen):
        folder = random.choice(_MAKERS)(user, *case)
        # It shows all values that the folder gives.
        command = next(commands) if number % 4 else "where"
        mode, words = random.choice(_MODES), random.choice(COMMANDS[command])
        user.prepare()
        write_clone(user.clone, folder.files)
        ended = user.run(*command.split(), *words, environment=_variables(user, mode))
        name = f"{folder.name}: statetool {command} {' '.join(words)}, credentials: {mode}"
        failures += [f"{name}: {fault}" for fault in faults(user, ended, may_contact=not folder.is_taken)]
        if folder.is_taken and command == "where" and ended.status != 2:
            failures.append(f"{name}: uses a value of the user's: {ended.out[:500]}")
        if user.belongings() != before:
            failures.append(f"{name}: changed {sorted(dict(user.belongings().items() ^ before.items()))}")
            before = user.belongings()
    assert not failures, "\n".join(failures)


def _variables(user: User, mode: str) -> dict[str, str]:
    """Return what replaces variables of the user."""
    if mode == "all":
        return {}
    kept = ("PATH", "HOME", "TF_VAR_token", "EDITOR", "STATETOOL_TIMEOUT", "LC_ALL", "LANGUAGE")
    gone = dict.fromkeys((name for name in user.environment() if name not in kept), "")
    if mode == "files":
        return gone
    # The secrets stay where expressions find them by whole paths.
    home = user.root / "bare"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    return {**gone, "HOME": str(home), "AWS_EC2_METADATA_DISABLED": "true"}

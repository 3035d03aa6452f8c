"""Files and folders that may not be read or written: one message, status 2, nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.states import HAND_EDITED

# What is run, the modes of the folder and of the state in it, and the message.
CASES = [
    ("check f/state", 0o755, 0o000, "f/state: permission denied"),
    ("fmt f/state", 0o755, 0o000, "f/state: permission denied"),
    ("list --state f/state", 0o755, 0o000, "f/state: permission denied"),
    ("upgrade f/state", 0o755, 0o000, "f/state: permission denied"),
    ("check f/state", 0o000, 0o644, "f/state: permission denied"),
    (
        "list --state f",
        0o400,
        0o644,
        (
            "f/.terraform/terraform.tfstate: permission denied; it may name the backend of the state; "
            "run init again, or name the state with --state"
        ),
    ),
    ("fmt f/state", 0o755, 0o444, "f/state: permission denied; nothing was written"),
    ("upgrade --in-place f/state", 0o755, 0o444, "f/state: permission denied; nothing was written"),
    ("fmt f/state", 0o555, 0o644, "f/state: cannot create a backup beside it (permission denied); nothing was written"),
    (
        "upgrade --in-place f/state",
        0o555,
        0o644,
        "f/state: cannot create a backup beside it (permission denied); nothing was written",
    ),
    ("upgrade f/state -o f/new", 0o555, 0o644, "f/new: permission denied; nothing was written"),
    ("upgrade --yes f/state -o f/state", 0o755, 0o444, "f/state: permission denied; nothing was written"),
    ("upgrade state -o f/new", 0o000, 0o644, "f/new: permission denied; nothing was written"),
]


@pytest.mark.parametrize(("line", "folder_mode", "mode", "message"), CASES)
def test_refused(
    line: str, folder_mode: int, mode: int, message: str, program: Program, tree: Callable[[], dict[str, bytes]]
) -> None:
    Path("state").write_bytes(HAND_EDITED)
    Path("f").mkdir()
    Path("f/state").write_bytes(HAND_EDITED)
    Path("f/state").chmod(mode)
    Path("f").chmod(folder_mode)
    result = program.without_privileges(*line.split())
    Path("f").chmod(0o755)
    Path("f/state").chmod(0o644)
    assert (result.status, result.out) == (2, b"")
    assert result.err.replace("\n  ", " ") == f"statetool: {message}\n"
    assert tree() == {"state": HAND_EDITED, "f": b"", "f/state": HAND_EDITED}


def test_allowed(program: Program) -> None:
    """Without privileges it works where the modes allow it."""
    Path("state").write_bytes(HAND_EDITED)
    assert program.without_privileges("fmt", "state").status == 0

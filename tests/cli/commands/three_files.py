"""Three states in files, and an operations file on them, for the tests of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.edit.transactions.three_states import BEFORE, state

FILE: Final = "x.stateops.hcl"
LOCAL: Final = "".join(f'state "{name}" {{ path = "{name}.tfstate" }}\n' for name in BEFORE)


def write_files(operations: str) -> None:
    """Write the states, and the operations file, to the current folder."""
    for name, resources in BEFORE.items():
        Path(f"{name}.tfstate").write_bytes(state(name, resources))
    Path(FILE).write_text(LOCAL + operations)


def contents() -> dict[str, bytes]:
    """Return the content of each state."""
    return {name: Path(f"{name}.tfstate").read_bytes() for name in BEFORE}

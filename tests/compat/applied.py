"""Applying the configuration of a folder with the real program, and seeing that it then plans nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.compat.program import Program

# What an apply says that may write outputs, and nothing else.
NO_RESOURCES: Final = "Resources: 0 added, 0 changed, 0 destroyed."


def applied(real: Program, folder: Path) -> str:
    """Initialise a folder and apply it; return what the program says."""
    assert real.run(folder, "init", "-input=false").status == 0
    done = real.run(folder, "apply", "-auto-approve", "-input=false", "-no-color")
    assert done.status == 0, done.out + done.err
    return done.out


def plans_nothing(real: Program, folder: Path) -> None:
    """Fail if the program has anything to do in a folder."""
    assert real.run(folder, "init", "-input=false").status == 0
    planned = real.run(folder, "plan", "-input=false", "-detailed-exitcode")
    assert planned.status == 0, planned.out + planned.err
    assert "No changes." in planned.out

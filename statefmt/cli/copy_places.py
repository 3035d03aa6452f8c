"""Names the folders for the private copies of `edit`, and removes copies that a killed edit left there.

Every command imports it, so it imports nothing else of the editor.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple

from statefmt.cli.run import run_context

_SHARED_MEMORY: Final = "/dev/shm"


class CopyPlace(NamedTuple):
    """A folder for private copies; one that `is_memory` may only be used if its file system is in memory."""

    folder: str
    is_memory: bool


def copy_places(environment: Mapping[str, str]) -> list[CopyPlace]:
    """Return the folders in which a copy may be, best first; they need not exist."""
    named = f"statetool-edit-{os.geteuid()}" if hasattr(os, "geteuid") else "statetool-edit"
    memory = [base for base in (environment.get("XDG_RUNTIME_DIR", ""), _SHARED_MEMORY) if base.startswith("/")]
    home = environment.get("HOME", "")
    disk = environment.get("XDG_STATE_HOME") or (f"{home}/.local/state" if home else "")
    places = [CopyPlace(f"{base.rstrip('/')}/{named}", is_memory=True) for base in memory]
    return [*places, *([CopyPlace(f"{disk}/statetool/edit", is_memory=False)] if disk.startswith("/") else [])]


def remove_left_copies() -> None:
    """Remove the copies of edits that no longer run. Every command does so first; there are nearly always none."""
    for place in copy_places(run_context().environment):
        # lexists() also copes with a folder that may not be read.
        if os.path.lexists(place.folder):
            from statefmt.cli.editing.private_copy import removed_copies

            for path in removed_copies(place.folder):
                run_context().note(f"removed {path}, the copy of a state that a killed edit left behind")

"""Removes the private copies that killed edits left behind."""

from __future__ import annotations

import os

from statefmt.cli.editing.places import copy_places
from statefmt.cli.run import run_context


def remove_left_copies() -> None:
    """Remove the copies of edits that no longer run. Every command does so first, which nearly always finds none."""
    for place in copy_places(run_context().environment):
        # Permissions may forbid even that.
        if os.path.lexists(place.folder):
            from statefmt.cli.editing.private_copy import removed_copies

            for path in removed_copies(place.folder):
                run_context().note(f"removed {path}, the copy of a state that a killed edit left behind")

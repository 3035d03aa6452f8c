"""Finds and removes the copies that edits have kept because their text was neither written nor discarded."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from statefmt.cli.editing.places import copy_places

# The beginning of the names of their folders. Names of folders of other copies have no dash.
KEPT: Final = "kept-"


def kept_copies(environment: Mapping[str, str]) -> list[Path]:
    """Return the copies that were kept, in all places."""
    found = []
    for place in copy_places(environment):
        with suppress(OSError):
            found += sorted(Path(place.folder).glob(f"{KEPT}*/*"))
    return found


def forget_kept(path: Path, environment: Mapping[str, str]) -> bool:
    """Remove a copy that was kept, and return True; False if the path is that of another file."""
    if path.absolute() not in kept_copies(environment):
        return False
    shutil.rmtree(path.parent, ignore_errors=True)
    with suppress(OSError):
        path.parent.parent.rmdir()
    return True

"""The names of state files for other programs: relative to the folder that they know, with forward slashes."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes


def path_within(name: str, folder: Path) -> str | None:
    """A path as seen from a folder, with forward slashes; None where it leads out of the folder."""
    path = Path(os.path.normpath(folder / name))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def relative_uri(name: str, folder: Path) -> str | None:
    """The same as a percent-encoded URI reference."""
    path = path_within(name, folder)
    # A colon is encoded, too: in the first part of a path it would end the name of a scheme.
    return None if path is None else quote_from_bytes(os.fsencode(path), safe="/")


def absolute_uri(name: str, folder: Path) -> str:
    """A path as a `file:` URI."""
    return Path(os.path.normpath(folder / name)).as_uri()

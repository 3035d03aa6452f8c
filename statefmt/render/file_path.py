"""Converts the paths of state files for other programs: relative to a folder, with forward slashes, or as URIs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_from_bytes

from statefmt.store.backends import RemoteLocation

# What has a meaning in a URL, or is escaped there already.
_OF_URLS: Final = "/:?#[]@!$&'()*+,;=%"


def path_within(name: str, folder: Path) -> str | None:
    """Return a path relative to a folder, with forward slashes; None if it is outside of the folder, or no path."""
    if isinstance(name, RemoteLocation):
        return None
    path = Path(os.path.normpath(folder / name))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def relative_uri(name: str, folder: Path) -> str | None:
    """Return `path_within` as a percent-encoded URI reference."""
    path = path_within(name, folder)
    # Encode colons, too: in the first part of a path, a colon would end a URI scheme.
    return None if path is None else quote_from_bytes(os.fsencode(path), safe="/")


def absolute_uri(name: str, folder: Path) -> str:
    """Return a path as a `file:` URI, and a URL as it is."""
    if isinstance(name, RemoteLocation):
        return quote(name, safe=_OF_URLS)
    return Path(os.path.normpath(folder / name)).as_uri()

"""Reads files for functions: regular files of limited size, relative to the root module."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from statefmt.hcl.functions.registry import FunctionError, FunctionSurroundings
from statefmt.store.files import read_bounded

_LARGEST: Final = 16 * 1024 * 1024


def located(surroundings: FunctionSurroundings, path: str) -> Path:
    """Resolve a path of an expression; `~` is the user's home directory."""
    return surroundings.directory / os.path.expanduser(path)  # noqa: PTH111 - a Path cannot begin with ~user


def read_bytes(surroundings: FunctionSurroundings, path: str) -> bytes:
    """Return the content of a file. Raises FunctionError."""
    if "\0" in path:
        raise FunctionError("the path contains a null character", 0)
    place = located(surroundings, path)
    try:
        return read_bounded(place, _LARGEST)
    except FileNotFoundError:
        detail = f'no file exists at "{path}"; this function works only with files that exist before the run'
        raise FunctionError(detail, 0) from None
    except OSError as failure:
        raise FunctionError(f'failed to read "{path}": {failure.strerror or failure}', 0) from None

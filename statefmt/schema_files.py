"""Finds the JSON Schemas shipped with statetool, in a wheel or a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_SUFFIX = ".schema.json"


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas, sorted: `state-v4` for the file `state-v4.schema.json`."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def schema_text(name: str) -> bytes:
    """Return the bytes of the schema file called `name`. Raises KeyError if it does not exist."""
    if name not in schema_names():
        raise KeyError(name)
    return _folder().joinpath(name + _SUFFIX).read_bytes()


def _folder() -> Traversable:
    # Building a wheel copies the project's top-level folder into the package. A checkout, and an
    # editable install of it, has only the top-level one. The package's own folder takes precedence:
    # next to an installed package, a folder called "schemas" may belong to another project.
    packaged = files("statefmt").joinpath("schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[1] / "schemas"

"""The settings of `check`: `statetool.toml`, or `[tool.statetool]` in `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from statefmt.errors import SettingsError
from statefmt.wildcards import TextTest, asterisk_test

_OWN_FILE: Final = "statetool.toml"
_SHARED_FILE: Final = "pyproject.toml"


class Settings(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What a project has settled for `check`; the command line wins over all of it.

    `select` and `ignore` hold rule codes or their beginnings. The keys of `per_file_ignores` are globs over
    paths relative to the settings file, those of `per_address_ignores` globs over addresses (`*` fits any text).
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    fail_on: Literal["error", "warning", "info"] = "error"
    baseline: str | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    per_address_ignores: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """The codes that are ignored in a file, given by its path relative to the settings."""
        return _matching(self.per_file_ignores, path)

    def ignored_at(self, address: str) -> tuple[str, ...]:
        """The codes that are ignored at an address."""
        return _matching(self.per_address_ignores, address)


def find_settings(folder: Path) -> Path | None:
    """The settings file that holds for a folder: its own or that of the nearest folder above."""
    for parent in (folder, *folder.parents):
        if (parent / _OWN_FILE).is_file():
            return parent / _OWN_FILE
        if (parent / _SHARED_FILE).is_file() and _table(parent / _SHARED_FILE) is not None:
            return parent / _SHARED_FILE
    return None


def load_settings(path: Path) -> Settings:
    """The settings in a file. Raises SettingsError where it cannot be read, with the key that is wrong."""
    table = _table(path)
    if table is None:
        raise SettingsError(f"{path}: there is no table [tool.statetool]")
    try:
        return msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {str(error).replace('`', '')}") from error


def _table(path: Path) -> dict[str, Any] | None:
    """The settings as they stand in a file; None where a shared file has none."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if path.name == _SHARED_FILE:
            # Somebody else's file; its owner will hear of it from others.
            return None
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    if path.name != _SHARED_FILE:
        return content
    table = content.get("tool", {}).get("statetool")
    return table if isinstance(table, dict) else None


def _matching(ignores: Mapping[str, Sequence[str]], text: str) -> tuple[str, ...]:
    return tuple(code for pattern, codes in ignores.items() if _glob(pattern)(text) for code in codes)


@cache
def _glob(pattern: str) -> TextTest:
    return asterisk_test(pattern)

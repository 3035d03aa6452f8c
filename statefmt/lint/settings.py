"""The settings of `check`: `statetool.toml`, or `[tool.statetool]` in `pyproject.toml`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from statefmt.lint._user_files import problems
from statefmt.model.errors import SettingsError
from statefmt.store.small_files import read_bounded
from statefmt.text.wildcards import TextTest, asterisk_test

_OWN_FILE: Final = "statetool.toml"
_SHARED_FILE: Final = "pyproject.toml"
_LARGEST: Final = 16 * 1024 * 1024


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

    def baseline_in(self, folder: Path) -> Path | None:
        """The baseline, for settings in a file of this folder; None without one.

        Whoever runs `check` in a repository has not chosen that path. It is only ever read, and must be of a file in
        the folder or below it, without symbolic links. Raises SettingsError.
        """
        if not self.baseline:
            return None
        path = folder / self.baseline
        # Through the real path of the folder, which may be reached by a link itself.
        wanted = os.path.normpath(os.path.join(os.path.realpath(folder), self.baseline))  # noqa: PTH118
        inside = ".." not in Path(self.baseline).parts and not Path(self.baseline).is_absolute()
        if "\0" in self.baseline or not inside or os.path.realpath(wanted) != wanted:
            raise SettingsError(
                f"{path}: the baseline that the settings name must be below their folder, and neither it nor a folder "
                "on the way may be a symbolic link; --baseline FILE takes any file"
            )
        return path

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
        raise SettingsError(f"{path}: {problems('settings', table, str(error))}") from error


def _table(path: Path) -> dict[str, Any] | None:
    """The settings as they stand in a file; None where a shared file has none."""
    import tomllib

    try:
        content = tomllib.loads(read_bounded(path, _LARGEST, pipes=True).decode("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        if path.name == _SHARED_FILE:
            # Somebody else's file; its owner will hear of it from others.
            return None
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    if path.name != _SHARED_FILE:
        return content
    tools = content.get("tool")
    table = tools.get("statetool") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _matching(ignores: Mapping[str, Sequence[str]], text: str) -> tuple[str, ...]:
    return tuple(code for pattern, codes in ignores.items() if _glob(pattern)(text) for code in codes)


@cache
def _glob(pattern: str) -> TextTest:
    return asterisk_test(pattern)

"""Reads the settings of `check` from `statetool.toml`, or `[tool.statetool]` in `pyproject.toml`.

problems() explains an invalid settings file or baseline by its JSON Schema.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Struct

from statefmt.model.errors import SettingsError, Wording
from statefmt.model.findings import Code
from statefmt.store.files import read_bounded
from statefmt.text import asterisk_test

if TYPE_CHECKING:
    from jsonschema import ValidationError


_OWN_FILE: Final = "statetool.toml"
_SHARED_FILE: Final = "pyproject.toml"
_LARGEST: Final = 16 * 1024 * 1024
# The maximum number of problems in a message, and the maximum length of each.
_MOST: Final = 10
_LONGEST: Final = 200


class ProtectedTags(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings of PLN001: objects that a plan must not destroy.

    An object is protected if one of its attributes `attributes` has one of the tags, whose values are globs.
    """

    tags: Mapping[str, str] = msgspec.field(default_factory=dict)
    attributes: tuple[str, ...] = ("tags", "tags_all", "labels")


class RuleSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of single rules, by code."""

    pln001: ProtectedTags = msgspec.field(name="PLN001", default=ProtectedTags())


class Settings(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A project's settings for `check`. The command line takes precedence.

    `select` and `ignore` are rule codes or prefixes of codes. The keys of `per_file_ignores` are globs over paths
    relative to the settings file, the keys of `per_address_ignores` globs over addresses (`*` matches any string).
    `rules` are settings of single rules.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    fail_on: Literal["error", "warning", "info"] = "error"
    baseline: str | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    per_address_ignores: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    rules: RuleSettings = RuleSettings()

    def baseline_in(self, folder: Path) -> Path | None:
        """Return the path of the baseline for settings in this folder, or None without a baseline.

        The repository chooses this path, not the user, so it is only read, and must be in the folder or below it,
        without symbolic links. Raises SettingsError otherwise.
        """
        if not self.baseline:
            return None
        path = folder / self.baseline
        # The folder itself may be reached through a symbolic link.
        wanted = os.path.normpath(os.path.join(os.path.realpath(folder), self.baseline))  # noqa: PTH118
        inside = ".." not in Path(self.baseline).parts and not Path(self.baseline).is_absolute()
        if "\0" in self.baseline or not inside or os.path.realpath(wanted) != wanted:
            raise SettingsError(
                f"{path}: a baseline named by the settings must be in their folder or below it, without symbolic "
                "links in its path",
                Wording("; --baseline FILE takes any file", ""),
            )
        return path

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """Return the codes ignored in a file; `path` is relative to the settings."""
        return _matching(self.per_file_ignores, path)

    def ignored_at(self, address: str) -> tuple[str, ...]:
        """Return the codes ignored at an address."""
        return _matching(self.per_address_ignores, address)


def find_settings(folder: Path) -> Path | None:
    """Return the settings file of a folder or its nearest parent that has one, or None."""
    for parent in (folder, *folder.parents):
        if (parent / _OWN_FILE).is_file():
            return parent / _OWN_FILE
        if (parent / _SHARED_FILE).is_file() and _table(parent / _SHARED_FILE) is not None:
            return parent / _SHARED_FILE
    return None


def load_settings(path: Path) -> Settings:
    """Read the settings in a file.

    Raises SettingsError if it cannot be read; for an invalid key or an unknown code, it names the key.
    """
    table = _table(path)
    if table is None:
        raise SettingsError(f"{path}: table [tool.statetool] is missing")
    try:
        settings = msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {problems('settings', table, str(error))}") from error
    for key, codes in _codes(settings):
        for code in codes:
            try:
                refuse_unknown_code(code)
            except ValueError as error:
                raise SettingsError(f"{path}: {place(key)}{error}") from error
    return settings


def refuse_unknown_code(prefix: str) -> None:
    """Raise ValueError if no rule has a code that starts with `prefix`."""
    if prefix and any(code.startswith(prefix) for code in Code):
        return
    # Imported late: nearly every code is valid.
    from difflib import get_close_matches

    known = {name for code in Code for name in (code.value, code.value[:3])}
    near = get_close_matches(prefix.upper(), sorted(known), n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"no rule has a code that starts with {prefix!r}; {meant}`statetool rule` lists the codes")


def _codes(settings: Settings) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """Yield the codes in settings with the path of their key."""
    yield ("select",), settings.select or ()
    yield ("ignore",), settings.ignore
    for pattern, codes in settings.per_file_ignores.items():
        yield ("per-file-ignores", pattern), codes
    for pattern, codes in settings.per_address_ignores.items():
        yield ("per-address-ignores", pattern), codes


def _table(path: Path) -> dict[str, Any] | None:
    """Return the raw settings in a file, or None if a shared file has none."""
    import tomllib

    try:
        text = read_bounded(path, _LARGEST, pipes=True)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    try:
        content = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        if path.name == _SHARED_FILE and b"[tool.statetool" not in text:
            # The file belongs to other tools, which report the error.
            return None
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    if path.name != _SHARED_FILE:
        return content
    tools = content.get("tool")
    table = tools.get("statetool") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


# There are few patterns, each tested on very many addresses.
_glob: Final = cache(asterisk_test)


def _matching(ignores: Mapping[str, Sequence[str]], text: str) -> tuple[str, ...]:
    return tuple(code for pattern, codes in ignores.items() if _glob(pattern)(text) for code in codes)


def problems(schema: str, document: Any, otherwise: str) -> str:
    """Return all problems in a document on one line, with their locations; `otherwise` if the schema finds none.

    `schema` is the name of the schema. A location is a dotted path, as in TOML.
    """
    # Imported late: only files that do not decode need it.
    from statefmt.schema_problems import schema_errors

    found = list(schema_errors(schema, document))
    shown = [f"{place(error.absolute_path)}{_message(error)}" for error in found[:_MOST]]
    if len(found) > _MOST:
        shown.append(f"and {len(found) - _MOST} more problems")
    return "; ".join(shown) or otherwise.replace("`", "")


def _message(error: ValidationError) -> str:
    """Return the message of a problem; for unknown keys, with the nearest names."""
    if error.validator != "additionalProperties" or not isinstance(error.schema, Mapping):
        return _short(error.message)
    known = [*error.schema.get("properties", ())]
    instance: Any = error.instance
    unknown = [name for name in instance if name not in known]
    return ", ".join(f"unknown key {_short(repr(name))}{_nearest(name, known)}" for name in unknown[:_MOST])


def _nearest(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    # TOML's keys have hyphens; users write Python's underscores.
    near = get_close_matches(name.replace("_", "-"), known, n=1, cutoff=0.5) or get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else f" (the keys are: {', '.join(known)})"


def _short(message: str) -> str:
    """Return a message with the middle of a long quoted value omitted."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]}…{message[-_LONGEST // 2 :]}"


def place(path: Sequence[str | int]) -> str:
    """Return the beginning of a message about a part of a document: its dotted path, as in TOML."""
    steps = [step if isinstance(step, str) and step.replace("-", "").isidentifier() else repr(step) for step in path]
    return f"{'.'.join(steps)}: " if steps else ""

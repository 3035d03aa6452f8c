"""Decides which releases may read a configuration: those that every `required_version` on the way admits.

Source: hashicorp/go-version, constraint.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from statefmt.formats.releases import Release, all_releases

_PART: Final = re.compile(r"\s*+(?P<operator>!=|>=|<=|~>|=|>|<|)\s*+v?(?P<version>\d+(?:\.\d+)*)[^,\s]*\s*", re.ASCII)
# A patch release later than any.
_LAST_PATCH: Final = 10**6


def admitted_releases(constraints: Iterable[str]) -> list[Release]:
    """Return the known releases of which some patch release satisfies all version constraints.

    A constraint that cannot be read admits all: it has a finding of its own.
    """
    parts = [part for text in constraints for part in _parts(text)]
    return [release for release in all_releases() if _admits(parts, release)]


def _parts(text: str) -> list[tuple[str, tuple[int, ...]]]:
    found = [_PART.fullmatch(part) for part in text.split(",")]
    return [
        (part["operator"] or "=", tuple(map(int, part["version"].split(".")))) for part in found if part is not None
    ]


def _admits(parts: Sequence[tuple[str, tuple[int, ...]]], release: Release) -> bool:
    named = {_padded(version)[2] for _, version in parts if _padded(version)[:2] == release.version}
    patches = {0, 1, _LAST_PATCH, *named, *(patch + 1 for patch in named)}
    return any(all(_satisfies((*release.version, patch), *part) for part in parts) for patch in patches)


def _satisfies(version: tuple[int, ...], operator: str, wanted: tuple[int, ...]) -> bool:
    bound = _padded(wanted)
    match operator:
        case "=":
            return version == bound
        case "!=":
            return version != bound
        case ">=":
            return version >= bound
        case "<=":
            return version <= bound
        case ">":
            return version > bound
        case "<":
            return version < bound
        case _:
            # `~>`: all but the last of the numbers given must be equal.
            return version >= bound and version[: max(len(wanted) - 1, 1)] == bound[: max(len(wanted) - 1, 1)]


def _padded(version: tuple[int, ...]) -> tuple[int, ...]:
    return (*version, 0, 0, 0)[:3]

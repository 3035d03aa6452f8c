"""Finds out which rules report at which members, from the states that the tests of the rules must report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from docs.specification.schema import members
from statefmt.formats.versions.structure import member_at

_FIXTURES: Final = Path(__file__).parents[2] / "tests" / "lint"
_VERSIONS: Final = (4, 3, 2, 1)
_VERSION: Final = re.compile(rb'"version"\s*:\s*([1-4])\b')


class Place(NamedTuple):
    """A member of a format version."""

    version: int
    member: tuple[str, ...]


@cache
def places() -> Mapping[str, Sequence[Place]]:
    """Return where each rule reports, by its code: format 4 first."""
    found: dict[str, set[Place]] = {}
    for path in sorted(_FIXTURES.glob("[A-Z]*/fail-*.expected.json")):
        version = _VERSION.search(path.with_name(path.name.replace(".expected.json", ".tfstate")).read_bytes())
        written = int(version[1]) if version else _VERSIONS[0]
        for finding in json.loads(path.read_bytes()):
            member = member_at(finding["pointer"])
            # A finding about an old state may point into the same state in format 4.
            versions = [version for version in (written, *_VERSIONS) if member in members(f"state-v{version}")]
            if versions:
                found.setdefault(path.parent.name, set()).add(Place(versions[0], member))
    return {code: sorted(places, key=lambda place: (-place.version, place.member)) for code, places in found.items()}


def rules_at(version: int, member: tuple[str, ...]) -> Sequence[str]:
    """Return the codes of the rules that report at a member."""
    return [code for code, found in places().items() if Place(version, member) in found]

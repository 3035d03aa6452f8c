"""The recorded names of OpenTofu and Terraform in `names.json`, each with the releases that have it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.facts.clone import Name, Version

TABLE: Final = Path(__file__).parent / "names.json"


@dataclass(frozen=True)
class Recorded:
    """What the table has of one engine: the releases that were read, and the spans of each name, such as `1.12-`."""

    releases: tuple[Version, ...]
    spans: Mapping[Name, str]

    def has(self, name: Name, version: Version) -> bool:
        """Return whether a release has a name; one after the last that was read has what that one has."""
        for span in filter(None, self.spans.get(name, "").split(", ")):
            first, _, last = span.partition("-")
            if parse(first) <= version and (not last or version <= parse(last)):
                return True
        return False


def parse(text: str) -> Version:
    """Parse a minor release such as `1.12`."""
    major, minor = text.split(".")
    return int(major), int(minor)


def number(version: Version) -> str:
    """Return a minor release as it is written: `1.12`."""
    return f"{version[0]}.{version[1]}"


def recorded(table: Path, engine: str) -> Recorded:
    """Read what a table has of an engine."""
    of_engine = json.loads(table.read_bytes()).get(engine, {"releases": [], "names": {}})
    spans = {(group, name): span for group, names in of_engine["names"].items() for name, span in names.items()}
    return Recorded(tuple(map(parse, of_engine["releases"])), spans)


def record(table: Path, engine: str, names: Mapping[Version, Collection[Name]]) -> None:
    """Write the names of all releases of an engine to a table."""
    content = json.loads(table.read_bytes())
    groups: dict[str, dict[str, str]] = {}
    for group, name in sorted({name for of_release in names.values() for name in of_release}):
        groups.setdefault(group, {})[name] = _spans([(group, name) in found for found in names.values()], list(names))
    content[engine] = {"releases": [number(version) for version in names], "names": groups}
    table.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _spans(present: Sequence[bool], versions: Sequence[Version]) -> str:
    """Return the spans of releases: `1.6-1.8, 1.12-`."""
    spans = []
    for place, version in enumerate(versions):
        if present[place] and (place == 0 or not present[place - 1]):
            spans.append(f"{number(version)}-")
        elif not present[place] and place and present[place - 1]:
            spans[-1] += number(versions[place - 1])
    return ", ".join(spans)

"""Compare the recorded names with a clone of OpenTofu or Terraform, and print what is new or gone.

`make facts CLONE=DIR`, where DIR is a clone with tags, bare or not; `ARGS=--write` records the names once statetool
knows them. The exit status is 1 if something is not in the table, 2 if the clone cannot be compared.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from tests.facts.clone import Clone, CloneError, Name, Version
from tests.facts.sources import GROUPS
from tests.facts.table import TABLE, Recorded, number, record, recorded


def main(words: Sequence[str]) -> int:
    """Compare, or record with `--write`."""
    parser = argparse.ArgumentParser(prog="python -m tests.facts", description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of OpenTofu or Terraform with its tags")
    parser.add_argument("--write", action="store_true", help="record the names of the clone")
    parser.add_argument("--table", type=Path, default=TABLE, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    try:
        clone = Clone(given.clone)
        known = recorded(given.table, clone.engine)
        names = {version: clone.names(version) for version in clone.revisions}
        if missing := sorted(set(known.releases) - set(names)):
            raise CloneError(f"{given.clone} lacks {', '.join(map(number, missing))}: git fetch --tags")
        if given.write:
            record(given.table, clone.engine, names)
            return 0
        return _compare(clone, known, names)
    except CloneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _compare(clone: Clone, known: Recorded, names: Mapping[Version, Mapping[Name, str]]) -> int:
    rows = []
    for name in sorted({*known.spans, *(name for of_release in names.values() for name in of_release)}):
        differs = [version for version in names if (name in names[version]) != known.has(name, version)]
        if differs:
            rows.append(_row(clone, names, name, differs))
    releases = [version for version in names if version not in known.releases]
    if not rows and not releases:
        print(f"{clone.engine}: {len(known.spans)} names of {len(names)} releases, all in the table")
        return 0
    for version in releases:
        print(f"{clone.engine} {number(version)} ({clone.revisions[version]}) is not in the table")
    if rows:
        print(tabulate(rows, ("change", "release", "kind", "name", "file", "commit"), disable_numparse=True))
    print("\nTo do:")
    for group in dict.fromkeys(row[2] for row in rows):
        print(f"- {group}: {GROUPS[group].advice}")
    if releases:
        print("- release: `releases` and the facts in statefmt/formats/releases.json, each with its source")
    print("- then record the names with ARGS=--write, and run the tests in tests/facts")
    return 1


def _row(
    clone: Clone, names: Mapping[Version, Mapping[Name, str]], name: Name, differs: Sequence[Version]
) -> tuple[str, ...]:
    first = differs[0]
    change = "new" if name in names[first] else "gone"
    path = names[first].get(name) or next((found[name] for found in names.values() if name in found), "")
    span = number(first) if len(differs) == 1 else f"{number(first)} to {number(differs[-1])}"
    return change, span, *name, path, clone.commit(_word(name[1]), first, path) if path else ""


def _word(name: str) -> str:
    """Return the part of a name that is searched for in the history of its file."""
    left, _, value = name.removesuffix(" (removed)").removesuffix(" {}").partition(" = ")
    last = re.split(r"[. ]", left)[-1]
    if not value:
        return last
    return f"{last} = {value}" if value.isdigit() else f'"{value}"'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

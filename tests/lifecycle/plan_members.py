"""Takes the members of a plan's JSON from the struct tags of OpenTofu and Terraform.

    python -m tests.lifecycle.plan_members CLONE... > tests/lifecycle/plan_members.json

Each CLONE is a git repository of either project. The newest version of each minor release counts, and the branch that
is checked out, as `main`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_suffix(".json")
# The first releases whose plans are described.
_FIRST: Final = {"opentofu": (1, 8), "terraform": (1, 9)}
_PACKAGES: Final = ("jsonplan", "jsonstate", "jsonchecks", "jsonconfig")
# What a package has as finished JSON, and another one makes.
_INSIDE: Final = {
    "jsonplan.plan.prior_state": "jsonstate.state",
    "jsonplan.plan.configuration": "jsonconfig.config",
    "jsonplan.plan.checks": "[]jsonchecks.checkResultStatic",
    "jsonstate.state.checks": "[]jsonchecks.checkResultStatic",
    # Those of the arguments of a block; nested blocks are arrays.
    "jsonconfig.providerConfig.expressions": "{}jsonconfig.expression",
    "jsonconfig.moduleCall.expressions": "{}jsonconfig.expression",
    "jsonconfig.resource.expressions": "{}jsonconfig.expression",
    "jsonconfig.provisioner.expressions": "{}jsonconfig.expression",
}
_TAG: Final = re.compile(r'\s+\w+\s+(\S+)\s+`json:"(\w+)')
_TYPE: Final = re.compile(r"type (\w+) (.+?)(?: \{)?$")
_MADE: Final = re.compile(r'ret\["(\w+)"\] =|^\t\t"(\w+)":')
_TAGGED: Final = re.compile(r"v(\d+)\.(\d+)\.(\d+)(?:-rc(\d+))?")


@cache
def members() -> Mapping[str, Mapping[str, str]]:
    """Return the recorded members: `{"jsonplan.change.importing": {"of": "jsonplan.importing", "terraform": "1.9"}}`.

    `of` is the struct of the value, after `[]` of the elements of an array or `{}` of the members of an object; absent
    for a value of any other kind. The other entries are the first release with the member.
    """
    found: dict[str, dict[str, str]] = json.loads(FILE.read_bytes())
    return found


def occurrences(document: Any, of: str = "jsonplan.plan") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each member in a plan with the object that has it, unknown ones too."""
    if of.startswith("[]"):
        for element in document:
            yield from occurrences(element, of[2:])
    elif of.startswith("{}"):
        for value in document.values():
            yield from occurrences(value, of[2:])
    else:
        for name, value in document.items():
            member = f"{of}.{name}"
            yield member, document
            inside = members().get(member, {}).get("of")
            if inside:
                yield from occurrences(value, inside)


def _git(clone: str, *arguments: str) -> str:
    return subprocess.run(("git", "-C", clone, *arguments), capture_output=True, text=True, check=True).stdout


def _releases(clone: str, engine: str) -> dict[str, str]:
    """Return the minor releases, the oldest first, with a revision of each."""
    newest: dict[tuple[int, int], tuple[int, float, str]] = {}
    for tag in _git(clone, "tag").split():
        match = _TAGGED.fullmatch(tag)
        if match:
            major, minor, patch = map(int, match.group(1, 2, 3))
            candidate = float(match[4]) if match[4] else float("inf")
            newest[major, minor] = max(newest.get((major, minor), (0, 0.0, "")), (patch, candidate, tag))
    chosen = sorted(key for key in newest if key >= _FIRST[engine])
    return {**{f"{major}.{minor}": newest[major, minor][2] for major, minor in chosen}, "main": "HEAD"}


def _tags(clone: str, revision: str) -> Iterator[tuple[str, str]]:
    """Yield the members of a revision, and the Go types of their values."""
    for package in _PACKAGES:
        folder = f"internal/command/{package}/"
        aliases: dict[str, str] = {}
        found: list[tuple[str, str]] = []
        for file in _git(clone, "ls-tree", "--name-only", revision, folder).split():
            if not file.endswith(".go") or file.endswith("_test.go"):
                continue
            struct = ""
            for line in _git(clone, "show", f"{revision}:{file}").splitlines():
                declared, tag, made = _TYPE.match(line), _TAG.match(line), _MADE.search(line)
                if declared:
                    struct = _lowered(declared[1])
                    aliases[struct] = declared[2]
                elif tag:
                    found.append((f"{package}.{struct}.{tag[2]}", tag[1]))
                elif made and package == "jsonchecks":
                    # Addresses of checked objects are maps.
                    found.append((f"{package}.{struct}.{made[1] or made[2]}", ""))
        structs = {member.split(".")[1] for member, _ in found}
        yield from ((member, _INSIDE.get(member) or _of(package, type_, structs, aliases)) for member, type_ in found)


def _of(package: str, type_: str, structs: set[str], aliases: Mapping[str, str]) -> str:
    """Return a Go type as members() describes it."""
    name = _lowered(type_.removeprefix("*"))
    if name in structs:
        return f"{package}.{name}"
    for prefix, written in (("[]", "[]"), ("{}", "map[string]")):
        if type_.startswith(written):
            inner = _of(package, type_.removeprefix(written), structs, aliases)
            return f"{prefix}{inner}" if inner else ""
    return _of(package, aliases[name], structs, aliases) if name in aliases else ""


def _lowered(name: str) -> str:
    """Return a name of Go as if it were private: releases make types public."""
    return name[:1].lower() + name[1:]


def _collected(clones: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for clone in clones:
        engine = "opentofu" if "opentofu/opentofu" in _git(clone, "show", "HEAD:go.mod") else "terraform"
        for release, revision in _releases(clone, engine).items():
            for member, of in _tags(clone, revision):
                entry = found.setdefault(member, {})
                entry.setdefault(engine, release)
                if of:
                    # A struct may have been empty at first.
                    entry["of"] = of
    return dict(sorted(found.items()))


if __name__ == "__main__":
    print(json.dumps(_collected(sys.argv[1:]), indent=1))

"""Words the facts of `releases.json`: what each release does with a member, with the source."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, TypeAlias

from docs.specification.schema import members

Fact: TypeAlias = Mapping[str, Any]

_TABLE: Final = json.loads(files("statefmt.formats").joinpath("releases.json").read_bytes())
_NAMES: Final = {engine["engine"]: engine["name"] for engine in _TABLE["engines"]}
_OBJECT: Final = ("resources", "instances")

# The facts of format 4 that belong to a member. Those named after a member say whether a release keeps it.
MEMBERS: Final = {
    "formats_read": ("version",),
    "format_written": ("version",),
    "states_of_newer_releases": ("terraform_version",),
    "deprecated": ("outputs", "deprecated"),
    "source_addresses": ("resources", "provider"),
    "legacy_provider_host": ("resources", "provider"),
    "provider_keys": (*_OBJECT, "provider"),
    "sensitive_attributes": (*_OBJECT, "sensitive_attributes"),
    "ephemeral_dependencies": (*_OBJECT, "dependencies"),
    "reserved_types": (*_OBJECT, "dependencies"),
    "depends_on": (*_OBJECT, "depends_on"),
    "create_before_destroy": (*_OBJECT, "create_before_destroy"),
    "skip_destroy": (*_OBJECT, "skip_destroy"),
    "identity": (*_OBJECT, "identity"),
    "identity_schema_version": (*_OBJECT, "identity_schema_version"),
    "check_kinds": ("check_results",),
}

_YES_NO: Final = {
    "states_of_newer_releases": ("reads states of newer releases", "refuses states of newer releases"),
    "source_addresses": ("reads it", "reads `provider.aws` only; silently drops the resource"),
    "provider_keys": ("keeps it", "ignores it; silently drops a resource without a `provider` of its own"),
    "ephemeral_dependencies": ("reads `ephemeral.` addresses", "refuses a state with an `ephemeral.` address"),
    "encryption": ("reads and writes encrypted states", "refuses encrypted states"),
    "imports_in_modules": ("reads `import` blocks in any module", "reads `import` blocks in the root module only"),
    "evaluated_sources": ("evaluates the `source` of a module", "takes a literal `source` of a module only"),
}
_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "formats_read": lambda value: f"reads {_formats(value)}",
    "format_written": lambda value: f"writes format {value}",
    "legacy_provider_host": lambda value: f"takes the namespace `-` on `{value}` only",
    "reserved_types": lambda value: f"refuses the types {_listed(value)}" if value else "reads all types",
    "key_providers": lambda value: f"has {_listed(value)}" if value else "has none",
    "check_kinds": lambda value: f"keeps the kinds {_listed(value)}" if value else "drops it",
    "local_style": lambda value: f"local files: {_layout(value)}",
    "remote_style": lambda value: f"remote states: {_layout(value)}",
}


def abouts() -> tuple[str, ...]:
    """Return what there are facts about."""
    return tuple(dict.fromkeys(fact["about"] for fact in _TABLE["facts"]))


def facts_about(about: str) -> Sequence[Fact]:
    """Return the facts about one thing, each for a range of releases."""
    return [fact for fact in _TABLE["facts"] if fact["about"] == about]


def releases(fact: Fact) -> str:
    """Return the releases that a fact holds for: `OpenTofu 1.6 to 1.11`."""
    last = "" if fact["from"] == fact["to"] else f" to {fact['to']}"
    return f"{_NAMES[fact['engine']]} {fact['from']}{last}"


def wording(fact: Fact) -> str:
    """Return what the releases of a fact do: `drops it`."""
    about, value = fact["about"], fact["value"]
    if about in _WORDS:
        return _WORDS[about](value)
    yes, no = _YES_NO.get(about, ("keeps it", "drops it"))
    return yes if value else no


def table(names: Sequence[str]) -> str:
    """Return a Markdown table of all facts about some things."""
    rows = [
        f"| {releases(fact)} | {wording(fact)} | {fact['source'].replace('|', chr(92) + '|')} |"
        for name in names
        for fact in facts_about(name)
    ]
    return "\n".join(["| release | what it does | source |", "| --- | --- | --- |", *rows])


def summary() -> str:
    """Return a Markdown table of what some releases keep and others do not: the first that does, for each engine."""
    rows = []
    for about, path in MEMBERS.items():
        found = facts_about(about)
        if about == "check_kinds" or all(isinstance(fact["value"], bool) for fact in found):
            kept = [_kept([fact for fact in found if fact["engine"] == engine]) for engine in _NAMES]
            place = f"[`{members('state-v4')[path].notation}`](v4.md#{members('state-v4')[path].anchor})"
            rows.append(f"| {place} | {_YES_NO.get(about, ('keeps it',))[0]} | {' | '.join(kept)} |")
    head = f"| member | what a release does | {' | '.join(_NAMES.values())} |\n| --- | --- |{' --- |' * len(_NAMES)}"
    return "\n".join([head, *rows])


def readers(version: int) -> str:
    """Return the releases that read a format: `OpenTofu 1.6 to 1.12 and Terraform 0.12 to 1.15`."""
    ranges: dict[str, list[str]] = {}
    for fact in facts_about("formats_read"):
        if version in fact["value"]:
            ranges.setdefault(_NAMES[fact["engine"]], []).extend((fact["from"], fact["to"]))
    return " and ".join(f"{name} {ends[0]} to {ends[-1]}" for name, ends in ranges.items())


def _kept(found: Sequence[Fact]) -> str:
    """Return the releases of one engine that a fact is true for. No fact has become false again."""
    kept = [fact for fact in found if fact["value"]]
    if len(kept) == len(found):
        return "all"
    assert all(fact["value"] for fact in found[1:]) or not kept
    return f"{kept[0]['from']} and later" if kept else "none"


def _formats(versions: Sequence[int]) -> str:
    return f"format {versions[0]} only" if len(versions) == 1 else f"formats {versions[0]} to {versions[-1]}"


def _layout(style: Mapping[str, Any]) -> str:
    end = "" if style["newlines"] == 1 else f", {style['newlines']} newlines at the end"
    return ("two spaces of indentation" if style["layout"] == "indent" else "one line") + end


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)

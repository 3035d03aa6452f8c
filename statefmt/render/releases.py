"""Prints the table of releases, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from statefmt.formats.releases import Fact, Release, Written, facts_of
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

# The titles of facts, in display order.
_TITLES: Final = {
    "formats_read": "formats read",
    "format_written": "format written",
    "local_style": "layout of local files",
    "remote_style": "layout of remote states",
    "provider_keys": "provider keys of instances",
    "source_addresses": "provider addresses with a host",
    "legacy_provider_host": "host of providers known by type",
    "identity": "identity",
    "identity_schema_version": "identity_schema_version",
    "skip_destroy": "skip_destroy",
    "create_before_destroy": "create_before_destroy",
    "sensitive_attributes": "sensitive_attributes",
    "depends_on": "depends_on of instances",
    "ephemeral_dependencies": "dependencies on ephemeral resources",
    "reserved_types": "types that dependencies cannot name",
    "deprecated": "deprecated of outputs",
    "check_kinds": "check_results",
    "states_of_newer_releases": "states that newer releases wrote",
    "encryption": "encrypted states",
    "key_providers": "key providers for encryption",
    "imports_in_modules": "import blocks in called modules",
    "evaluated_sources": "expressions as module sources",
}
_CHECKS: Final = {
    "resource": "check_results of resources",
    "output": "check_results of outputs",
    "check": "check_results of check blocks",
    "var": "check_results of input variables",
}
_LAYOUTS: Final = {"indent": "indented", "compact": "one line"}


# The abilities of releases: facts about them, and kinds of checks.
_ABILITIES: Final = (
    "provider_keys", "source_addresses", "identity", "identity_schema_version", "skip_destroy", "create_before_destroy",
    "sensitive_attributes", "depends_on", "ephemeral_dependencies", "deprecated", *_CHECKS, "states_of_newer_releases",
    "encryption", "imports_in_modules", "evaluated_sources",
)  # fmt: skip


def releases_table(releases: Sequence[Release], terminal: Terminal) -> str:
    """Render the formats and layouts of the releases, and the members that each keeps."""
    rows = []
    for (_, *cells), group in groupby(releases, lambda release: (release.engine, *_forms(release))):
        first, *others = group
        rows.append([f"{first} to {others[-1].number}" if others else str(first), *cells])
    forms = table(["release", "reads", "writes", "local files", "remote states"], rows, terminal)
    engines = [list(group) for _, group in groupby(releases, lambda release: release.engine)]
    titles = _TITLES | _CHECKS
    rows = [[titles[ability], *(_span(own, ability) for own in engines)] for ability in _ABILITIES]
    return f"{forms}\n\n{table(['keeps, or reads', *(own[0].engine_name for own in engines)], rows, terminal)}"


def release_page(release: Release, terminal: Terminal) -> str:
    """Render all facts about one release, each with its source."""
    facts = facts_of(release)
    parts = [terminal.paint(f"{release.title} ({release})", "bold")]
    for name, title in _TITLES.items():
        head = terminal.wrap(f"{title}: {_value(facts[name])}", "  ", "  ")
        head = head.replace(title, terminal.paint(title, "bold"), 1)
        parts.append(f"{head}\n{terminal.paint(terminal.wrap(facts[name].source, '    '), 'dim')}")
    return "\n".join(parts)


def _forms(release: Release) -> Sequence[str]:
    formats = release.formats_read
    reads = f"{formats[0]} to {formats[-1]}" if len(formats) > 1 else str(formats[0])
    return reads, str(release.format_written), _layout(release.local_style), _layout(release.remote_style)


def _layout(written: Written) -> str:
    """Describe a layout; omits a single newline at the end."""
    ends = f", {written.newlines} newlines" if written.newlines > 1 else ""
    return f"{_LAYOUTS[written.layout.value]}{ends}"


def _span(releases: Sequence[Release], ability: str) -> str:
    able = [one for one in releases if (ability in one.check_kinds if ability in _CHECKS else getattr(one, ability))]
    if not able:
        return "none"
    if len(able) == len(releases):
        return "all"
    return f"from {able[0].number}" if able[-1] == releases[-1] else f"{able[0].number} to {able[-1].number}"


def _value(fact: Fact) -> str:
    value = fact.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        ends = f", {value['newlines']} newline{'s' if value['newlines'] != 1 else ''} at the end"
        return _LAYOUTS[str(value["layout"])] + ends
    return str(value)


def releases_json(releases: Sequence[Release]) -> bytes:
    """Render every fact about the releases, with its source (schema: `releases-output.schema.json`)."""
    return document(releases=[_release(release) for release in releases])


def _release(release: Release) -> dict[str, object]:
    facts = facts_of(release)
    return {
        "release": str(release),
        "engine": release.engine,
        "version": release.number,
        **{about: fact.value for about, fact in facts.items()},
        "sources": {about: fact.source for about, fact in facts.items()},
    }

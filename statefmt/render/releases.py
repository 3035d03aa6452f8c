"""Prints the table of releases, which engine reads a state, and why a state without provider sources is not written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from statefmt.formats.losses import Cause, EngineReading, engine_readings
from statefmt.formats.providers import KNOWN_TYPES, PUBLIC_HOSTS
from statefmt.formats.releases import Fact, Release, Written, all_releases, facts_of
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider
from statefmt.model.errors import ProviderSourceError
from statefmt.model.snapshot import Snapshot
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, counted
from statefmt.text import shell_line

# Causes that --registry does not change.
_WHICH: Final[Mapping[Cause, str]] = {
    Cause.PROVIDER_KEY: "bound to provider instance keys",
    Cause.NO_PROVIDER: "without a provider",
}


def engines_text(snapshot: Snapshot, terminal: Terminal, engine: str = "") -> str:
    """Render engines_sentence() as a paragraph of a report; "" if there is none."""
    sentence = engines_sentence(snapshot, engine)
    return terminal.wrap(sentence, "  ") if sentence else ""


def engines_sentence(snapshot: Snapshot, engine: str = "") -> str:
    """Return which engine reads the resources and which drops some, and the option that changes it.

    If the state is written for one `engine`, the registry of the other needs no option. Returns "" if no engine drops
    any and the providers do not come from one public registry.
    """
    found, total = engine_readings(snapshot), len(snapshot.resources)
    dropping = [reader for reader in found if reader.total]
    reading = [reader for reader in found if not reader.total]
    hosts = {provider.hostname for provider in _providers(snapshot)}.intersection(PUBLIC_HOSTS)
    if not dropping and len(hosts) != 1:
        return ""
    parts = [_dropped(reader, total) for reader in dropping]
    if reading:
        names = " and ".join(map(_name, reading))
        every = "the only resource" if total == 1 else f"all {total:,} resources"
        parts.insert(0, f"{names} {'read' if len(reading) > 1 else 'reads'} {every}")
    text = "; ".join(parts)
    writing_for = [reader for reader in dropping if Cause.LEGACY_PROVIDER in reader.dropped]
    if not dropping:
        text += f". The providers come from {', '.join(hosts)}"
        writing_for = [reader for reader in found if reader.release.legacy_provider_host not in hosts]
        writing_for = [reader for reader in writing_for if engine in ("", reader.release.engine)]
    types = {provider.type for provider in _providers(snapshot) if provider.is_legacy}
    advice = [
        f"use {' '.join(registry_options(reader.release.engine, types))} to write for {reader.release.engine_name}"
        for reader in writing_for
    ]
    return f"{': '.join([text, *advice])}."


def registry_options(engine: str, types: Collection[str]) -> list[str]:
    """Return --registry, and the options for types of providers whose source only the user knows."""
    return ["--registry", engine, *legacy_options([type_ for type_ in types if type_ not in KNOWN_TYPES])]


def legacy_options(types: Collection[str]) -> list[str]:
    """Return a --legacy-provider for each type, with HashiCorp's source or one to fill in."""
    return [
        word
        for type_ in sorted(types)
        for word in ("--legacy-provider", f"{type_}={'hashicorp' if type_ in KNOWN_TYPES else 'NAMESPACE'}/{type_}")
    ]


def _providers(snapshot: Snapshot) -> set[Provider]:
    configs = {resource.provider_config for resource in snapshot.resources}
    return {config.provider for config in configs if config is not None}


def _name(reader: EngineReading) -> str:
    since = f" ({reader.since.number} and later)" if reader.since else ""
    return f"{reader.release.engine_name}{since}"


def _dropped(reader: EngineReading, total: int) -> str:
    everything = "it" if total == 1 else f"all {total:,} of them"
    what = everything if reader.total == total else f"{reader.total:,} of them"
    which = [f"{count:,} {_WHICH[cause]}" for cause, count in reader.dropped.items() if cause in _WHICH]
    detail = f" ({', '.join(which)})" if which else ""
    return f"{_name(reader)} drops {what}{detail}"


_MOST_TYPES: Final = 5
# Options that stay on the same line as their value.
_TAKE_A_VALUE: Final = ("--config", "--legacy-provider", "--registry")


def untold_text(
    error: ProviderSourceError, command: Callable[..., Sequence[str]], terminal: Terminal, *, has_configuration: bool
) -> str:
    """Render the reason, and each way out as a command; the lines after the first ":\\n" are not to be wrapped.

    `command` returns the words of this run's command line with more options.
    """
    short = error.short
    ways: list[tuple[str, list[list[str]]]]
    for_terraform = error.host == TERRAFORM_HOST and not error.ambiguous
    concerned = error.unknown if for_terraform else short
    count = sum(short.get(type_, 0) for type_ in concerned)
    text = f"not written: {count:,} of {counted(error.total, 'resource')} {'names' if count == 1 else 'name'} "
    text += f"the provider by type only ({_listed(short, concerned)}), "
    if for_terraform:
        text += "and Terraform silently drops resources with such a provider"
    elif error.ambiguous:
        found = "; ".join(f"{type_}: {' or '.join(sources)}" for type_, sources in error.ambiguous.items())
        text += f"and the source is ambiguous ({found})"
    else:
        engines = {one.engine_name: None for one in all_releases() if one.legacy_provider_host != DEFAULT_HOST}
        text += "and the engine that will read the state is unknown. "
        text += f"{' and '.join(engines)} silently drops resources whose provider has no source"
    text += "".join(f". {problem}" for problem in error.problems)
    if for_terraform:
        ways = [("with their sources", [legacy_options(concerned)])]
    elif error.ambiguous:
        ways = [("with the sources that you mean", list(_chosen(error)))]
    else:
        ways = [
            ("for OpenTofu", [registry_options("opentofu", ())]),
            ("for Terraform", [registry_options("terraform", short)]),
            ("with sources of your own", [legacy_options(short)]),
        ]
        if not has_configuration:
            ways.append(("as the configuration in DIR and its .terraform.lock.hcl say", [["--config", "DIR"]]))
        ways.append(("without sources, which only OpenTofu reads", [["--registry", "keep"]]))
    lines = [f"{text}. {'Choose one' if len(ways) > 1 else 'Write the state'}:"]
    for what, each in ways:
        lines.append(f"  {what}:")
        lines += [line for options in each for line in _command_lines(command(*options), terminal)]
    return "\n".join(lines)


def _chosen(error: ProviderSourceError) -> Iterable[list[str]]:
    """Yield the options for each source that an ambiguous type may have."""
    for type_, sources in error.ambiguous.items():
        others = [other for other in (*error.ambiguous, *error.unknown) if other != type_]
        for source in sources:
            yield ["--legacy-provider", f"{type_}={source}", *legacy_options(others)]


def _command_lines(words: Sequence[str], terminal: Terminal) -> list[str]:
    """Render a command to paste; a long one is continued on the next line."""
    lines = ["   "]
    rest = iter(words)
    for word in rest:
        part = shell_line([word, next(rest, "")] if word in _TAKE_A_VALUE else [word])
        if len(lines[-1]) + len(part) > terminal.width - len(" \\ ") and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {part}"
    return lines


def _listed(short: Mapping[str, int], concerned: Iterable[str]) -> str:
    types = sorted(concerned, key=lambda type_: (-short.get(type_, 0), type_))
    shown = [f"{type_}: {short.get(type_, 0):,}" for type_ in types[:_MOST_TYPES]]
    return ", ".join(shown) + (f" and {len(types) - _MOST_TYPES} more types" if len(types) > _MOST_TYPES else "")


# The titles of facts, in the order to show them.
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
    "imports_in_modules": "import blocks in called modules",
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
    "encryption", "imports_in_modules",
)  # fmt: skip


def releases_table(releases: Sequence[Release], terminal: Terminal) -> str:
    """Render the formats and layouts that the releases use, and the members that each keeps."""
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
    """Describe a layout; a single newline at the end is not mentioned."""
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

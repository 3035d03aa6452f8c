"""Renders which engine reads the resources of a state, and which drops some, for standard error."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from statefmt.formats.losses import Cause, EngineReading, engine_readings
from statefmt.formats.providers import KNOWN_TYPES, PUBLIC_HOSTS
from statefmt.model.addrs.provider import Provider
from statefmt.model.snapshot import Snapshot
from statefmt.render.terminal import Terminal

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
        parts.insert(0, f"{names} {'read' if len(reading) > 1 else 'reads'} {_all(total)}")
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


def _all(total: int) -> str:
    return "the only resource" if total == 1 else f"all {total:,} resources"

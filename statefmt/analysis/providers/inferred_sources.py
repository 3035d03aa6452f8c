"""Infers the sources of providers known only by their type from a configuration, its lock file and the state itself.

Guesses nothing: a source that none of them names stays unknown, and contradictory sources are ambiguous. The release
that wrote the state gives no evidence: all releases that wrote such providers are older than OpenTofu.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct

from statefmt.configuration.model import Configuration
from statefmt.formats.providers import KNOWN_TYPES, PUBLIC_HOSTS, LegacySource, SourceChoice
from statefmt.model.addrs.provider import (
    DEFAULT_HOST,
    LEGACY_NAMESPACE,
    Provider,
    implied_provider,
    parse_provider_source,
)
from statefmt.model.errors import AddressError

_STATE: Final = "other providers in the state"


class Evidence(Struct, frozen=True, kw_only=True):
    """The sources of providers from outside the state, and their origins.

    `required` has the sources in `required_providers` of all modules by local name; an omitted host is "".
    `configuration` and `lock_file` are names for messages.
    """

    required: Mapping[str, Collection[LegacySource]] = {}
    configuration: str = ""
    locked: Sequence[Provider] = ()
    lock_file: str = ""
    in_state: Sequence[Provider] = ()


class Inferred(Struct, frozen=True, kw_only=True):
    """The inferred sources.

    `origins` gives the origin of the source of a type, unless the user gave it. `unknown` are the types without a
    source, `ambiguous` the types with several, as written. `host` is the public registry in the evidence, if there is
    only one.
    """

    choice: SourceChoice
    origins: Mapping[str, str] = {}
    unknown: Sequence[str] = ()
    ambiguous: Mapping[str, Sequence[str]] = {}
    host: str = ""


def required_sources(configuration: Configuration) -> dict[str, set[LegacySource]]:
    """Return the sources in `required_providers` of all modules by local name; none for invalid or missing ones."""
    found: dict[str, set[LegacySource]] = {}
    for module in configuration.modules.values():
        for required in module.declarations.required_providers.values():
            try:
                provider = parse_provider_source(required.source) if required.source else None
            except AddressError:
                continue
            if provider is not None:
                host = provider.hostname if required.source.count("/") == 2 else ""
                found.setdefault(required.name, set()).add(LegacySource(host, provider.namespace, provider.type))
    return found


def infer(types: Collection[str], given: Mapping[str, LegacySource], evidence: Evidence) -> Inferred:
    """Find the source of each provider type; `given` are the user's sources, which take precedence."""
    host, registry = _registry(evidence)
    sources: dict[str, LegacySource] = {}
    origins: dict[str, str] = {}
    unknown: list[str] = []
    ambiguous: dict[str, Sequence[str]] = {}
    for type_ in sorted(types):
        if type_ in given:
            sources[type_] = given[type_]._replace(host=given[type_].host or host)
            continue
        candidates, origin = _candidates(type_, evidence)
        if len(candidates) > 1:
            ambiguous[type_] = sorted("/".join(filter(None, source)) for source in candidates)
        elif candidates and (candidates[0].host or host):
            sources[type_] = candidates[0]._replace(host=candidates[0].host or host)
            found = (f"from {origin}" if origin else "", "" if candidates[0].host else f"registry from {registry}")
            origins[type_] = ", ".join(filter(None, found))
        elif candidates or host != DEFAULT_HOST:
            # OpenTofu also reads a type without a source, and Terraform does not.
            unknown.append(type_)
    choice = SourceChoice("", {**given, **sources})
    return Inferred(choice=choice, origins=origins, unknown=unknown, ambiguous=ambiguous, host=host)


def _registry(evidence: Evidence) -> tuple[str, str]:
    """Return the public registry and its origin; empty strings if none or both are named.

    A host in `required_providers` is no evidence for other providers: an engine's own registry may be omitted.
    """
    pinned = {source for sources in evidence.required.values() for source in sources if source.host}
    named = (
        (evidence.lock_file, {provider.hostname for provider in evidence.locked if _source(provider) not in pinned}),
        (_STATE, {provider.hostname for provider in evidence.in_state}),
    )
    hosts = {host for _, hosts in named for host in hosts}.intersection(PUBLIC_HOSTS)
    if len(hosts) != 1:
        return "", ""
    host = hosts.pop()
    return host, next(where for where, hosts in named if host in hosts)


def _candidates(type_: str, evidence: Evidence) -> tuple[Sequence[LegacySource], str]:
    """Return the possible sources of a type, and their origin; an unnamed host is ""."""
    required = list(evidence.required.get(type_, ()))
    if len(required) > 1 or (required and required[0].host):
        return required, evidence.configuration
    locked = [
        source
        for source in map(_source, evidence.locked)
        if (source[1:] == required[0][1:] if required else source.type == type_)
    ]
    if locked:
        return locked, evidence.lock_file
    if required:
        return required, evidence.configuration
    present = [
        _source(provider)
        for provider in evidence.in_state
        if provider.type == type_ and provider.namespace != LEGACY_NAMESPACE
    ]
    if present:
        return present, _STATE
    if type_ not in KNOWN_TYPES:
        return [], ""
    known = implied_provider(type_)
    return [LegacySource(known.hostname if known.is_builtin else "", known.namespace, known.type)], ""


def _source(provider: Provider) -> LegacySource:
    return LegacySource(provider.hostname, provider.namespace, provider.type)

"""Upgrades and downgrades states in memory."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, TypedDict, Unpack

from statefmt._arguments import refuse_unknown
from statefmt.edit.requests.migrate import (
    Migrated,
    downgrade_request,
    downgraded_style,
    upgrade_request,
    upgraded_layout,
)
from statefmt.edit.requests.provider_sources import Registry, SourceRequest
from statefmt.edit.session import LoadedState, loaded_plain
from statefmt.formats.providers.sources import source_choice
from statefmt.formats.releases.releases import Release, parse_release
from statefmt.formats.style import Layout, Style
from statefmt.formats.writing.write import write
from statefmt.library._configuration import loaded_configuration
from statefmt.library._located import located
from statefmt.library.migration import Migration, migration_of
from statefmt.model.errors import ProviderSourceError
from statefmt.model.snapshot import Snapshot

RegistryName: TypeAlias = Literal["keep", "opentofu", "terraform"]
LayoutName: TypeAlias = Literal["keep", "indent", "compact"]

# The name of a state without a place, for messages.
_NAME: Final = "the state"


class UpgradeOptions(TypedDict, total=False):
    """The options of `upgrade()`.

    `registry`: use this public registry for all providers from either one, and for HashiCorp's providers without a
    source. `sources`: the sources of providers that the state names by type only (`{"acme": "acme-corp/acme"}`).
    `config`: a directory whose configuration and lock file say where the others come from. `layout`: `indent`,
    `compact`, or `keep` for that of the state. `drop_unknown`: leave out members that statetool does not know.
    """

    registry: RegistryName | None
    sources: Mapping[str, str] | None
    config: str | os.PathLike[str] | None
    layout: LayoutName | None
    drop_unknown: bool


class DowngradeOptions(UpgradeOptions, total=False):
    """The options of `downgrade()`: those of `upgrade()`, and `drop_lossy`: drop members that only inform."""

    drop_lossy: bool


def upgrade(state: bytes | Snapshot, **options: Unpack[UpgradeOptions]) -> Migration:
    """Rewrite a state of format version 1 to 4 in canonical version 4, as `statetool upgrade`.

        made = statefmt.upgrade(data, registry="opentofu")
        print(made.data, made.notes)

    If the state names providers by type only, as Terraform before 0.13 did, it must be clear which engine will read it:
    from `registry`, `sources`, `config`, or the other providers in the state. The layout is `indent` unless given. The
    serial increases by one only if the source of a provider changes. See `UpgradeOptions`.

    Raises ProviderSourceError if a source is unknown, StateError if the state is invalid, and StoreError if `config` is
    not a directory.
    """
    refuse_unknown("option", options, UpgradeOptions.__annotations__)
    with located(None):
        return migration_of(upgraded(_loaded(state, source_request(options, {})), options))


def downgrade(state: bytes | Snapshot, release: str | Release, **options: Unpack[DowngradeOptions]) -> Migration:
    """Write a state so that an older release, or the other engine, reads it without loss, as `statetool downgrade`.

        made = statefmt.downgrade(data, "terraform-1.5", registry="terraform")

    `release` is a name such as `opentofu-1.8`, `terraform-1.5` or `1.8` for OpenTofu. The layout is that of its local
    files unless given. Resources, instances and provider keys are never dropped. The serial increases by one if
    `drop_lossy` dropped something or the source of a provider changed. See `DowngradeOptions`.

    Raises DowngradeError if the release would lose anything, ReleaseError if it is unknown, and what `upgrade()`
    raises.
    """
    refuse_unknown("option", options, DowngradeOptions.__annotations__)
    with located(None):
        release = wanted_release(release)
        return migration_of(downgraded(_loaded(state, source_request(options, {})), release, options))


def upgraded(state: LoadedState, options: UpgradeOptions) -> Migrated:
    """Upgrade a state that was loaded with the sources of the options."""
    named = options.get("layout")
    layout = upgraded_layout(state.name) if named is None else None if named == "keep" else Layout(named)
    return upgrade_request(state, layout, drop_unknown=options.get("drop_unknown", False))


def downgraded(state: LoadedState, release: Release, options: DowngradeOptions) -> Migrated:
    """Downgrade a state that was loaded with the sources of the options."""
    layout = options.get("layout")
    style = state.result.style if layout == "keep" else None if layout is None else Style(Layout(layout))
    style = style or downgraded_style(state.name, release)
    return downgrade_request(
        state,
        release,
        style,
        drop_lossy=options.get("drop_lossy", False),
        drop_unknown=options.get("drop_unknown", False),
    )


def wanted_release(release: str | Release) -> Release:
    """Return the release that a program names. Raises ReleaseError."""
    return parse_release(release) if isinstance(release, str) else release


def source_request(options: UpgradeOptions, environment: Mapping[str, str]) -> SourceRequest:
    """Return the sources that the options choose. Raises ProviderSourceError if one is invalid, and StoreError."""
    name, config = options.get("registry"), options.get("config")
    registry = None if name is None else Registry(name)
    entries = [f"{type_}={source}" for type_, source in (options.get("sources") or {}).items()]
    try:
        choice = source_choice((registry or Registry.KEEP).host, entries)
    except ValueError as error:
        raise ProviderSourceError(f"sources=: {error}") from error
    if config is None:
        return SourceRequest(registry=registry, choice=choice)
    references = functools.partial(loaded_configuration, config, environment)
    return SourceRequest(registry=registry, choice=choice, directory=os.fspath(config), references=references)


def _loaded(state: bytes | Snapshot, request: SourceRequest) -> LoadedState:
    if not isinstance(state, Snapshot):
        return request.applied(loaded_plain(_NAME, state, request.choice))
    found = loaded_plain(_NAME, write(state, canonical=False), request.choice)
    # Without the file, a snapshot does not tell addresses in the form before Terraform 0.13 from OpenTofu's.
    return request.applied(found, short=_short(state) if state.source is None else None)


def _short(snapshot: Snapshot) -> Mapping[str, int]:
    providers = (resource.provider_config.provider for resource in snapshot.resources if resource.provider_config)
    return Counter(provider.type for provider in providers if provider.is_legacy)

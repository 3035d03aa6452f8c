"""Upgrades and downgrades states, in memory and in place, and reports the changes."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, TypedDict, Unpack

from msgspec import Struct, structs

from statefmt._lazy import refuse_unknown
from statefmt.edit.pipeline import EditOptions, Proposal
from statefmt.edit.provider_sources import Registry, SourceRequest, lock_file_folders
from statefmt.edit.session import LoadedState, Rewritten, loaded, loaded_plain, rewrite, with_next_serial
from statefmt.formats import Layout, Style
from statefmt.formats.losses import DowngradeError, Loss, encryption_refusal, fit, losses
from statefmt.formats.providers import engine_of, source_choice
from statefmt.formats.reading import read
from statefmt.formats.releases import Release, all_releases, parse_release
from statefmt.formats.writing.write import write
from statefmt.library._handle import StateHandle, loaded_configuration, located
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.errors import ProviderSourceError, StoreError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends import RemoteName, state_words
from statefmt.store.reading import display_name
from statefmt.text import shell_line

RegistryName: TypeAlias = Literal["keep", "opentofu", "terraform"]
LayoutName: TypeAlias = Literal["keep", "indent", "compact"]

# The name of a state without a place, for messages.
_NAME: Final = "the state"


class UpgradeOptions(TypedDict, total=False):
    """The options of `upgrade()`.

    `registry`: use this public registry for all providers from either one, and for HashiCorp's providers without a
    source. `sources`: the sources of providers that the state names by type only (`{"acme": "acme-corp/acme"}`).
    `config`: a directory whose configuration and lock file name the other sources. `layout`: `indent`, `compact`, or
    `keep` for the layout of the state. `drop_unknown`: leave out members that statetool does not know.
    """

    registry: RegistryName | None
    sources: Mapping[str, str] | None
    config: str | os.PathLike[str] | None
    layout: LayoutName | None
    drop_unknown: bool


class DowngradeOptions(UpgradeOptions, total=False):
    """The options of `upgrade()`, and `drop_lossy`: drop purely informative members."""

    drop_lossy: bool


def upgrade(state: bytes | Snapshot, **options: Unpack[UpgradeOptions]) -> Migration:
    """Rewrite a state of format version 1 to 4 in canonical version 4, as `statetool upgrade`.

        made = statefmt.upgrade(data, registry="opentofu")
        print(made.data, made.notes)

    If the state names providers by type only, as Terraform before 0.13 did, the target engine must be known: from
    `registry`, `sources`, `config`, or the other providers in the state. The layout is `indent` unless given. The
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

    `release` is a name such as `opentofu-1.8`, `terraform-1.5` or `1.8` for OpenTofu. The default layout is the one of
    its local files. Resources, instances and provider keys are never dropped. The serial increases by one if
    `drop_lossy` dropped something or the source of a provider changed. See `DowngradeOptions`.

    Raises DowngradeError if the release would lose anything, ReleaseError if it is unknown, and the errors of
    `upgrade()`.
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
    drop_lossy, drop_unknown = options.get("drop_lossy", False), options.get("drop_unknown", False)
    return downgrade_request(state, release, style, drop_lossy=drop_lossy, drop_unknown=drop_unknown)


def wanted_release(release: str | Release) -> Release:
    """Parse the name of a release. Raises ReleaseError."""
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
    providers = (resource.provider_config.provider for resource in state.resources if resource.provider_config)
    short = Counter(provider.type for provider in providers if provider.is_legacy)
    return request.applied(found, short=short if state.source is None else None)


class SourceChange(NamedTuple):
    """A replaced provider source in `addresses` addresses; `origin` says where an inferred source was found."""

    old: str
    new: str
    addresses: int
    origin: str = ""


@dataclass(frozen=True)
class Migration:
    """A state in canonical format version 4, for a release.

    `data` are the new bytes, decrypted; `version` is the format version that the state had, 1 to 4. `notes` are
    findings on each choice, change and loss on the way. `dropped` are the members that `downgrade()` dropped on
    request. `sources` are the provider sources that were replaced, and `unresolved` lists each provider type without a
    source, with its number of addresses. `written` and `backup` are set by `State.upgrade()` and `State.downgrade()`.
    """

    data: bytes
    version: int
    notes: tuple[Finding, ...]
    dropped: tuple[Loss, ...] = ()
    sources: tuple[SourceChange, ...] = ()
    unresolved: tuple[tuple[str, int], ...] = ()
    written: bool = False
    backup: Path | None = None

    @cached_property
    def snapshot(self) -> Snapshot:
        """The content of the new state."""
        return read(self.data).snapshot


def migration_of(made: Migrated) -> Migration:
    """Describe a migrated state before it is written."""
    report, rewritten = made.loaded.sources, made.rewritten
    origins = {old: report.origins.get(old.partition(f"/{LEGACY_NAMESPACE}/")[2], "") for old, _ in report.changes}
    sources = tuple(SourceChange(old, new, count, origins[old]) for (old, new), count in report.changes.items())
    unresolved = tuple(sorted(report.unresolved.items()))
    version = made.loaded.result.version
    return Migration(rewritten.content, version, rewritten.notes, made.dropped, sources, unresolved)


def migrated(
    handle: StateHandle, edit: EditOptions, options: UpgradeOptions, request: Callable[[LoadedState], Migrated]
) -> Migration:
    """Migrate a state in one edit; `request` returns its new content."""
    with located(handle.location):
        sources = source_request(options, handle.context.environment)

    def opening(data: bytes) -> LoadedState:
        found = loaded(handle.context, handle.location, data, sources.choice)
        return sources.applied(found, lock_file_folders(handle.location))

    def operation(found: LoadedState) -> Proposal[Migration]:
        made = migration_of(request(found))
        return Proposal(made, [made.data])

    backups: list[str | None] = []
    with handle.opened(edit, opening) as opened:
        proposal = opened.proposed(operation)
        opened.commit(proposal, written=lambda _, backup: backups.append(backup))
    if edit.in_place:
        handle.store.tidy()
    made = proposal.outcome
    if not backups:
        return made
    backup = backups[0]
    return replace(made, written=True, backup=None if backup is None else Path(backup))


class Migrated(Struct, frozen=True):
    """A state in canonical form, before it is written.

    `loaded` is the state with its new provider sources, and without the `dropped` members. `serial` is the old one.
    """

    loaded: LoadedState
    rewritten: Rewritten
    serial: int
    dropped: tuple[Loss, ...] = ()


def upgraded_layout(name: str) -> Layout | None:
    """Return the usual layout of an upgraded state: indented in files, and in backends that of the stored state."""
    return None if isinstance(name, RemoteName) else Layout.INDENT


def downgraded_style(name: str, release: Release) -> Style:
    """Return the style that a release uses for states in files or in backends."""
    return (release.remote_style if isinstance(name, RemoteName) else release.local_style).style


def upgrade_request(state: LoadedState, layout: Layout | None = Layout.INDENT, *, drop_unknown: bool) -> Migrated:
    """Rewrite a state of any format version in canonical version 4. The default layout is the style of the file.

    The serial increases by one only if loading changed a provider source. Raises StoreError if the engine whose
    registry the providers come from refuses the result, and StateFileError.
    """
    _refuse_unreadable_dependencies(state)
    serial = state.result.snapshot.serial - state.sources.changed
    style = state.result.style if layout is None else Style(layout)
    return Migrated(state, rewrite(state, style, drop_unknown=drop_unknown), serial)


def _refuse_unreadable_dependencies(state: LoadedState) -> None:
    """Raise StoreError for dependencies that the newest release of the state's engine refuses to read."""
    snapshot = state.result.snapshot
    configs = {resource.provider_config for resource in snapshot.resources}
    engine = engine_of(config.provider.hostname for config in configs if config is not None)
    for release in reversed(all_releases()):
        if release.engine_name == engine:
            refused = [loss for loss in losses(snapshot, release) if loss.field == "dependencies"]
            if refused:
                more = f" and of {len(refused) - 1} more objects" if len(refused) > 1 else ""
                command = shell_line(
                    ["statetool", "downgrade", "--for", str(release), "--drop-lossy", *state_words(state.name)]
                )
                raise StoreError(
                    f"{display_name(state.name)}: not written: {release.title} refuses the state because of the "
                    f"dependencies of {refused[0].at}{more}; `{command}` leaves them out, and the next "
                    "apply records the dependencies again"
                )
            return


def downgrade_request(
    state: LoadedState, release: Release, style: Style | None = None, *, drop_lossy: bool, drop_unknown: bool
) -> Migrated:
    """Write a state so that a release reads it without loss. The default style is the one of its local files.

    The serial increases by one if something was dropped or loading changed a provider source. Raises DowngradeError if
    the release would lose anything, StoreError if it refuses the encryption of the state, and StateFileError.
    """
    envelope = None if state.seal is None else state.seal.opened.envelope
    if envelope is not None and (why := encryption_refusal(envelope.meta, release)):
        command = shell_line(["statetool", "decrypt", "--out", "PLAIN", *state_words(state.name)])
        raise StoreError(
            f"{display_name(state.name)}: not written: {release.title} {why}; decrypt a copy "
            f"first (`{command}`), and downgrade that"
        )
    serial = state.result.snapshot.serial - state.sources.changed
    fitted = fit(state.result.snapshot, release, drop_lossy=drop_lossy, drop_unknown=drop_unknown)
    if fitted.losses:
        raise DowngradeError(release, fitted.losses)
    snapshot = fitted.snapshot
    if fitted.dropped and not state.sources.changed:
        snapshot = with_next_serial(snapshot, display_name(state.name))
    state = structs.replace(state, result=structs.replace(state.result, snapshot=snapshot))
    style = release.local_style.style if style is None else style
    return Migrated(state, rewrite(state, style, drop_unknown=drop_unknown), serial, fitted.dropped)

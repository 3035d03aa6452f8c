"""The requests to upgrade a state to canonical version 4, and to write it for an older release or the other engine."""

from __future__ import annotations

from msgspec import Struct, structs

from statefmt.edit.session import LoadedState, Rewritten, rewrite, with_next_serial
from statefmt.formats import Layout, Style
from statefmt.formats.losses import DowngradeError, Loss, fit, losses
from statefmt.formats.providers import engine_of
from statefmt.formats.releases import Release, all_releases
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName, state_words
from statefmt.store.reading import display_name
from statefmt.text import shell_line


class Migrated(Struct, frozen=True):
    """A state in canonical form, before it is written.

    `loaded` is the state with its new provider sources, and without what was `dropped` on request. `serial` is the old
    one.
    """

    loaded: LoadedState
    rewritten: Rewritten
    serial: int
    dropped: tuple[Loss, ...] = ()


def upgraded_layout(name: str) -> Layout | None:
    """Return the usual layout of an upgraded state: indented in files, and in backends that of the stored state."""
    return None if isinstance(name, RemoteName) else Layout.INDENT


def downgraded_style(name: str, release: Release) -> Style:
    """Return the style in which a release writes a state: in files, or in backends."""
    return (release.remote_style if isinstance(name, RemoteName) else release.local_style).style


def upgrade_request(state: LoadedState, layout: Layout | None = Layout.INDENT, *, drop_unknown: bool) -> Migrated:
    """Rewrite a state of any format version in canonical version 4; without a layout, in the style of the file.

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
    """Write a state so that a release reads it without loss; without a style, in that of its local files.

    The serial increases by one if something was dropped or loading changed a provider source. Raises DowngradeError if
    the release would lose anything, and StateFileError.
    """
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

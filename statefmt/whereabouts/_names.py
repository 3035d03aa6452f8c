"""Names states in backends, and the words of a command that name them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.place import StatePlace
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.shown import without_credentials
from statefmt.whereabouts._find import FoundState, known_backend
from statefmt.whereabouts._urls import found_at_url, url_without_values


def folder_name(found: FoundState, options: BackendOptions | None = None) -> RemoteName:
    """Return the name of the state of a folder in a backend. Raises StoreError as `FoundState.place`."""
    options = options or BackendOptions()
    folder = str(found.backend.folder)
    workspace = () if options.workspace is None else ("--workspace", options.workspace)
    words = ("--state", folder, *workspace, *_settings(options.settings, found.backend.type), *_allowing(options))
    return RemoteName(found.place, folder, words)


def url_name(url: str, environment: Mapping[str, str], options: BackendOptions | None = None) -> RemoteName | None:
    """Return the name of the state at a URL, None if it has no scheme of a backend. Raises what `found_at_url` does."""
    found = found_at_url(url, environment, options)
    if found is None:
        return None
    place = found.place
    return RemoteName(place, None, words_at_url(url_without_values(url), place, options))


def words_at_url(url: str, place: StatePlace, options: BackendOptions | None) -> tuple[str, ...]:
    """Return the words of a command that name a state by its URL."""
    options = options or BackendOptions()
    return ("--state", url, *_settings(options.settings, place.type), *_allowing(options))


def _settings(options: Iterable[str], type_: str) -> Iterable[str]:
    """Yield the options `--backend-config`, without values that may be secret."""
    arguments = dict(named_arguments(known_backend(type_).arguments))
    for option in options:
        name, equals, value = option.partition("=")
        argument = arguments.get(name)
        is_secret = argument is None or argument.secret or without_credentials(value) != value
        yield from ("--backend-config", f"{name}=…" if equals and is_secret else option)


def _allowing(options: BackendOptions) -> Iterable[str]:
    """Yield the options for what the run allows: without them, the same state could not be reached again."""
    for host in options.allowed_hosts:
        yield from ("--allow-host", host)
    for name in options.allowed_env:
        yield from ("--allow-env", name)
    if options.allow_external:
        yield "--allow-external"
    if not options.verify:
        yield "--no-verify"

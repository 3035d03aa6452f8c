"""Names the states of folders and URLs, and finds their locks and workspaces without reading a state.

`find.py` finds the backend of a folder, `urls.py` that of a URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from msgspec import Struct, structs

from statefmt.model.errors import StoreError, Wording
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import DEFAULT_WORKSPACE, SettingValue, without_credentials
from statefmt.store.backends.options import BackendOptions, allowed_paths
from statefmt.store.backends.settings import SettingSource, StatePlace, named_arguments
from statefmt.store.backends.types import SUPPORTED, backend_type, state_file
from statefmt.store.files import InsideName, inside_name, is_inside
from statefmt.store.local.state_file import init_folder
from statefmt.store.reading import reason_of
from statefmt.text import shell_line, shell_word
from statefmt.whereabouts.find import (
    BackendSource,
    FoundBackend,
    FoundState,
    configured_backend,
    known_backend,
    located,
    unsupported,
)

if TYPE_CHECKING:
    # The state of most folders is a file.
    from statefmt.store.remote.client import Connection
    from statefmt.whereabouts.urls import UrlParts


def changed_block(found: FoundBackend, environment: Mapping[str, str]) -> str:
    """Return a sentence about a recorded backend that differs from the configuration; "" if it does not.

    `init -backend-config` may have replaced values of the block, so a difference is not an error. The sentence names
    settings, but no values.
    """
    if found.source is not BackendSource.RECORD:
        return ""
    try:
        block = configured_backend(found.folder, environment)
    except StoreError:
        # `init` has read it; a block that has since disappeared does not indicate another backend.
        return ""
    if block.source is not BackendSource.BLOCK:
        # The files may be elsewhere, such as a configuration that is generated for each run.
        return ""
    if block.type != found.type:
        change = f"{block.place}: the configuration has the backend {block.type!r}, unlike what"
    else:
        recorded = {setting.name: setting.value for setting in found.given}
        names = [
            name
            for setting in block.given
            for name in _other(setting.name, setting.value, recorded.get(setting.name, setting.value))
        ]
        if not names:
            return ""
        change = f"{block.place}: the backend block has another value of {' and '.join(names)} than"
    return (
        f"{change} init recorded in {found.place}; this command uses what is recorded. If the configuration has "
        "changed since, run init first"
    )


def _other(name: str, wanted: SettingValue, recorded: SettingValue) -> Iterator[str]:
    """Yield the names of the settings that differ; lists, whose order `init` may change, are not compared."""
    if isinstance(wanted, dict) and isinstance(recorded, dict):
        for inner, value in wanted.items():
            yield from _other(f"{name}.{inner}", value, recorded.get(inner, value))
    elif (
        wanted is not None
        and not isinstance(wanted, (dict, list))
        and not isinstance(recorded, (dict, list))
        and _text(wanted) != _text(recorded)
    ):
        yield name


def _text(value: SettingValue) -> str | None:
    """Convert a value to a string as `init` does, such as a boolean to `"true"`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)


def local_state(found: FoundState) -> Path:
    """Return the file of a state in the backend `local`, with the folder before it.

    Raises StoreError if `path` or `workspace_dir` is empty.
    """
    for name in found.missing:
        place = next((one.place for one in found.settings if one.name == name), found.backend.place)
        raise StoreError(f"{place}: {name} must not be empty")
    return found.backend.folder / state_file(found.values, found.backend.workspace.name)


def inside_state(found: FoundState, allowed: Iterable[str] = ()) -> InsideName | None:
    """Return the name of the file of a state in the backend `local`; None if the file is outside the folder.

    A folder may come from a stranger, who must not choose other files to read or write. Links are resolved. The user
    allows other places with `--backend-config` and `allowed`.
    """
    folder = found.backend.folder
    named = (str(folder / str(one.value)) for one in found.settings if one.source is SettingSource.OPTION and one.value)
    return inside_name(local_state(found), (folder, *named, *allowed))


def state_in_record(found: FoundBackend) -> str:
    """Return a sentence, with advice, about a state in the file of `init`; "" if there is none."""
    if not found.state_in_record:
        return ""
    copying = shell_line(["statetool", "copy", found.state_in_record, str(found.folder)])
    return (
        f"{found.state_in_record}: init records the backend in this file, and somebody has put a state there. OpenTofu "
        'and Terraform refuse every command in the folder with "does not support state version 4" or "unsupported '
        'backend state version 4". Move the state to where the backend expects it, '
        f"`{copying}`, delete the file, and run init"
    )


def is_record_itself(found: FoundState) -> bool:
    """Return whether the backend `local` keeps the state in the file that `init` writes."""
    return found.backend.type == "local" and not found.missing and init_folder(local_state(found)) is not None


def described_locks(found: FoundState) -> tuple[str, ...]:
    """Return the locks of the state, such as `lock file s3://…`; empty if there are none or they are unknown."""
    if found.location is None:
        return ()
    values = {setting.name: setting.public for setting in found.settings}
    return tuple(known_backend(found.backend.type).locks(values, found.location))


def is_supported(found: FoundState) -> bool:
    """Return whether statetool opens states in the backend."""
    return found.backend.type == "local" or found.backend.type in SUPPORTED


def locks_off(found: FoundState) -> str:
    """Return why the state has no lock; "" if it has one, or if that is unknown."""
    if not is_known(found):
        return ""
    needed = known_backend(found.backend.type).lock_arguments
    return f"needs {needed}" if needed and not found.missing and not described_locks(found) else ""


def is_known(found: FoundState) -> bool:
    """Return whether statetool knows the backend, and so its settings and locks."""
    return found.location is not None or bool(found.missing)


def folder_name(found: FoundState, options: BackendOptions | None = None) -> RemoteName:
    """Return the name of the state of a folder in a backend. Raises StoreError like `FoundState.place`."""
    options = options or BackendOptions()
    folder = str(found.backend.folder)
    workspace = () if options.workspace is None else ("--workspace", options.workspace)
    words = ("--state", folder, *workspace, *_settings(options.settings, found.backend.type), *_allowing(options))
    return RemoteName(found.place, folder, words)


def url_name(url: str, environment: Mapping[str, str], options: BackendOptions | None = None) -> RemoteName | None:
    """Return the name of the state at a URL; None if the scheme belongs to no backend. Raises StoreError like
    `found_at_url`.
    """
    from statefmt.whereabouts.urls import found_at_url, url_without_values

    found = found_at_url(url, environment, options)
    if found is None:
        return None
    place = found.place
    return RemoteName(place, None, words_at_url(url_without_values(url), place, options))


def words_at_url(url: str, place: StatePlace, options: BackendOptions | None) -> tuple[str, ...]:
    """Return the command-line words that name a state by its URL."""
    options = options or BackendOptions()
    return ("--state", url, *_settings(options.settings, place.type), *_allowing(options))


def _settings(options: Iterable[str], type_: str) -> Iterable[str]:
    """Yield the `--backend-config` options, without values that may be secret."""
    arguments = dict(named_arguments(known_backend(type_).arguments))
    for option in options:
        name, equals, value = option.partition("=")
        argument = arguments.get(name)
        is_secret = argument is None or argument.secret or without_credentials(value) != value
        yield from ("--backend-config", f"{name}=…" if equals and is_secret else option)


def _allowing(options: BackendOptions) -> Iterable[str]:
    """Yield the options for the permissions of the run, which opening the same state again requires."""
    for host in options.allowed_hosts:
        yield from ("--allow-host", host)
    for name in options.allowed_env:
        yield from ("--allow-env", name)
    if options.allow_external:
        yield "--allow-external"
    if not options.verify:
        yield "--no-verify"


# A placeholder object, which need not exist, for the objects with the prefix.
_ANY: Final = "terraform.tfstate"


class SeveralStates(NamedTuple):
    """A URL of several states: all states below a prefix, as `ListingClient.states_below` takes it.

    `place` is the place of any of the states. `query` has the arguments of the URL.
    """

    place: StatePlace
    prefix: str
    query: str

    def named(self, place: StatePlace, options: BackendOptions | None = None) -> RemoteName:
        """Return the name of a state. Its words name the same state on any machine."""
        from statefmt.whereabouts.urls import SHORT_NAMES

        location, _, own = place.location.partition("?")
        pairs = parse_qsl(own, keep_blank_values=True)
        known = {SHORT_NAMES.get(name, name) for name, _ in pairs}
        said = parse_qsl(self.query, keep_blank_values=True)
        query = urlencode([*pairs, *(pair for pair in said if SHORT_NAMES.get(pair[0], pair[0]) not in known)])
        return RemoteName(place, None, words_at_url(f"{location}?{query}" if query else location, place, options))


def several_at_url(
    name: str, environment: Mapping[str, str], options: BackendOptions | None = None
) -> SeveralStates | None:
    """Parse a URL of several states; None for any other name.

    `s3://BUCKET` and `s3://BUCKET/PREFIX/` name the objects below; `pg://HOST/DATABASE` all schemas, one if the URL or
    the environment names it, unless the URL has a workspace. Raises StoreError like `found_at_url`.
    """
    from statefmt.whereabouts.urls import found_at_url, url_parts

    url = url_parts(name)
    if url is None:
        return None
    if url.backend == "s3" and (not url.path or url.path.endswith("/")):
        any_state = f"s3://{url.authority}{url.path or '/'}{_ANY}" + (f"?{url.query}" if url.query else "")
        found = found_at_url(any_state, environment, options)
        return None if found is None else _several(found, url, unquote(url.path[1:]))
    if url.backend == "pg" and "workspace" not in dict(parse_qsl(url.query, keep_blank_values=True)):
        found = found_at_url(name, environment, options)
        if found is None:
            return None
        schema = next(setting for setting in found.settings if setting.name == "schema_name")
        is_named = schema.source is not SettingSource.DEFAULT
        return _several(found, url, str(schema.value) if is_named else "")
    return None


def _several(found: FoundState, url: UrlParts, prefix: str) -> SeveralStates:
    # Messages name the URL, and not a placeholder state that need not exist.
    return SeveralStates(structs.replace(found.place, location=url.shown), prefix, url.query)


class Workspaces(Struct, frozen=True):
    """The workspaces of a folder, `default` first, and the current workspace, which need not exist yet."""

    names: tuple[str, ...]
    current: str


def listed_workspaces(
    backend: FoundBackend, environment: Mapping[str, str], connection: Connection | None = None
) -> Workspaces:
    """Return the workspaces in a backend: `default`, then the others, sorted.

    In the backend `local`, workspaces are the folders in `workspace_dir`; other backends need a `connection`. Raises
    StoreError if they cannot be read, and RemoteStateError for backends that statetool does not support, unless they
    only have `default`. Source: OpenTofu `internal/backend/local/backend.go` (Workspaces).
    """
    current = backend.workspace.name
    if backend.type == "local":
        allowed = allowed_paths(connection.options if connection else None, environment)
        return Workspaces(_local_workspaces(located(backend, environment), allowed), current)
    known = backend_type(backend.type)
    if known is not None and not known.named_workspaces:
        # Refuses an impossible workspace, as other commands do.
        located(backend, environment)
        return Workspaces((DEFAULT_WORKSPACE,), current)
    if backend.type not in SUPPORTED or connection is None:
        raise unsupported(backend)
    # Imported late: the state of most folders is a file.
    from statefmt.store.opening import open_client

    client = open_client(located(backend, environment).place, connection)
    try:
        return Workspaces(_default_first(client.workspaces()), current)
    finally:
        client.close()


def _local_workspaces(found: FoundState, allowed: Sequence[str]) -> tuple[str, ...]:
    """Return the workspaces in the backend `local`: `default`, then the folders in `workspace_dir`, sorted.

    Raises StoreError if that folder cannot be read, or is outside the folder and not `allowed`. Source: OpenTofu
    `internal/backend/local/backend.go` (Workspaces).
    """
    local_state(found)  # both settings are set
    setting = next(one for one in found.settings if one.name == "workspace_dir")
    folder = found.backend.folder / str(setting.value)
    is_own = setting.source is SettingSource.OPTION
    roots: tuple[Path | str, ...] = (found.backend.folder, *allowed)
    if not is_own and not is_inside(folder, *roots):
        # A stranger may read the log, which must not list folders elsewhere.
        raise StoreError(
            f"{folder}: workspace_dir is outside of the folder; if that is intended, ",
            Wording(
                f"use --allow-path {shell_word(os.path.realpath(folder))}",
                "put it in the allowed_paths of BackendOptions",
            ),
        )
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise StoreError(f"{folder}: {reason_of(error)}") from error
    return _default_first(names)


def _default_first(names: Iterable[str]) -> tuple[str, ...]:
    return (DEFAULT_WORKSPACE, *sorted({*names} - {DEFAULT_WORKSPACE}))

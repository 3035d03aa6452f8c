"""Parses URLs of single states: `s3://`, `pg://`, `https://` and `http://`.

The queries of `s3://` and `pg://` have arguments of the backend, such as `use_lockfile=true`. The query of an HTTP
address belongs to the server, except for arguments of the backend `http`, such as `lock_address`. URLs with secrets are
refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlencode

from msgspec import structs

from statefmt.model.errors import StoreError, Wording
from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    ArgumentKind,
    BackendArgument,
    SettingValue,
    WorkspaceChoice,
    WorkspaceSource,
    is_workspace_name,
    without_credentials,
)
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import GivenSetting, SettingSource, named_arguments
from statefmt.text import pattern
from statefmt.whereabouts.find import BackendSource, FoundBackend, FoundState, given_settings, known_backend, located

_SCHEME: Final = pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BACKENDS: Final = {"s3": "s3", "pg": "pg", "http": "http", "https": "http"}
# Schemes in the locations of other backends, or that users expect.
_OTHERS: Final = {
    "azurerm": "azurerm",
    "consul": "consul",
    "cos": "cos",
    "gcs": "gcs",
    "gs": "gcs",
    "kubernetes": "kubernetes",
    "oci": "oci",
    "oss": "oss",
    "remote": "remote",
}
_POSTGRES: Final = frozenset({"postgres", "postgresql"})
_BAD_ESCAPE: Final = pattern(r"%(?![0-9A-Fa-f]{2})")
# Short names for the queries of `pg://` in locations.
SHORT_NAMES: Final = {"schema": "schema_name", "table": "table_name", "index": "index_name"}
_WORKSPACE: Final = "workspace"
# Parameters of a connection that are not secret.
# Source: PostgreSQL, "Parameter Key Words" of libpq.
_CONNECTION: Final = frozenset(
    {
        *("application_name", "channel_binding", "client_encoding", "connect_timeout", "gssencmode", "gsslib", "host"),
        *("hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname"),
        *("load_balance_hosts", "options", "passfile", "port", "require_auth", "requirepeer", "service", "sslcert"),
        *("sslcertmode", "sslcrl", "sslcrldir", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni"),
        *("ssl_max_protocol_version", "ssl_min_protocol_version", "target_session_attrs", "tcp_user_timeout", "user"),
    }
)
_CONNECTION_SECRETS: Final = frozenset({"password", "sslpassword", "oauth_client_secret", "scram_client_key"})
_HOST: Final = pattern(r"(?:\[[0-9A-Fa-f:.%]*\]|[^@:\[\]]*)(?::[0-9]*)?")
# Without the URL: it is unclear which part is a password.
_NO_PASSWORD: Final = {
    "s3": "an s3:// URL must not have a user or a password; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY",
    "pg": "a pg:// URL must not have a password, which others see in the list of processes; set PGPASSWORD, write "
    "~/.pgpass, or set PG_CONN_STR and name the state as pg:///?workspace=…; write %40 for an @ in a name",
    "http": "an HTTP address must not have a user or a password, which others see in the list of processes; set "
    "TF_HTTP_USERNAME and TF_HTTP_PASSWORD; write %40 for an @ in a path",
}


class UrlParts(NamedTuple):
    """The parts of a URL of a backend, as written. `shown` omits the user, the query and the fragment."""

    backend: str
    scheme: str
    authority: str
    path: str
    query: str
    shown: str


class _Read(NamedTuple):
    """A parsed URL: the arguments in its path and host, the arguments in its query, and the workspace."""

    base: Mapping[str, str]
    arguments: Sequence[tuple[str, str]]
    workspace: str = DEFAULT_WORKSPACE


def found_at_url(name: str, environment: Mapping[str, str], options: BackendOptions | None = None) -> FoundState | None:
    """Return the place of the state at a URL; None if the scheme belongs to no backend.

    Settings that are not in the URL come from `options`, the environment, or defaults. Raises StoreError if the URL has
    a secret, an argument that the backend does not have, or is incomplete; no message contains a value.
    """
    url = url_parts(name)
    if url is None:
        return None
    options = options or BackendOptions()
    if options.workspace is not None:
        raise StoreError(
            f"{url.shown}: a URL names one state; ",
            Wording("--workspace chooses", "workspace= of BackendOptions chooses"),
            " among those of a folder" + ("; add workspace=NAME to the URL" if url.backend == "pg" else ""),
        )
    read, given = _read(url)
    if options.named_by:
        given = [structs.replace(setting, source=SettingSource.FILE, place=options.named_by) for setting in given]
    for setting in given_settings(options.settings, known_backend(url.backend)):
        if setting.name in read.base:
            raise StoreError(f"{setting.place}: {setting.name} is a part of the URL {url.shown}")
        given.append(setting)
    workspace = WorkspaceChoice(read.workspace, WorkspaceSource.URL, url.shown)
    found = FoundBackend(Path(), url.backend, BackendSource.URL, url.shown, tuple(given), workspace)
    return located(found, environment)


def url_parts(name: str) -> UrlParts | None:
    """Parse a URL; None if the scheme belongs to no backend. Raises StoreError like `found_at_url`."""
    found = _SCHEME.match(name)
    if found is None:
        return None
    scheme = found[1].lower()
    rest = name[found.end() :]
    before, _, _ = rest.partition("#")
    before, _, query = before.partition("?")
    authority, slash, path = before.partition("/")
    shown = without_credentials(f"{scheme}://{before}")
    if scheme in _POSTGRES:
        raise StoreError(
            f"{scheme}:// is a connection string; name the state as pg://HOST:PORT/DATABASE?schema=…&workspace=…"
        )
    if scheme in _OTHERS:
        raise StoreError(
            f"{shown}: statetool does not open states in the backend {_OTHERS[scheme]!r}; ",
            Wording("use --state - with a pipe from `tofu state pull`", "pull it, and use statefmt.read()"),
        )
    if scheme not in _BACKENDS:
        return None
    backend = _BACKENDS[scheme]
    if not name.isprintable():
        raise StoreError(f"{shown}: the URL contains control characters")
    if _BAD_ESCAPE.search(rest) is not None:
        raise StoreError(f"{shown}: in a URL, two hexadecimal digits follow a %; write %25 for the character itself")
    user, at, host = authority.rpartition("@")
    is_user = backend == "pg" and ":" not in user and "@" not in user
    # A `/`, `?` or `#` in a password ends the apparent host.
    is_host = host.startswith("arn:") or all(_HOST.fullmatch(one) is not None for one in host.split(","))
    if (at and not is_user) or not is_host or ("@" in path and backend != "s3"):
        raise StoreError(_NO_PASSWORD[backend])
    if "#" in rest:
        raise StoreError(f"{shown}: the URL has a #; write %23 for the character itself")
    return UrlParts(backend, scheme, authority, slash + path, query, shown)


def _read(url: UrlParts) -> tuple[_Read, list[GivenSetting]]:
    """Parse a URL, and return all settings in it. Raises StoreError like `found_at_url`."""
    read = {"s3": _s3, "pg": _pg, "http": _http}[url.backend](url)
    arguments = dict(named_arguments(known_backend(url.backend).arguments))
    settings = [
        GivenSetting(name, value, SettingSource.URL, url.shown, name == "conn_str") for name, value in read.base.items()
    ]
    settings += [_setting(url, name, value, arguments) for name, value in _once(url, read.arguments)]
    return read, settings


def _s3(url: UrlParts) -> _Read:
    key = unquote(url.path[1:])
    if not url.authority or not key:
        raise StoreError(f"{url.shown}: name an object as s3://BUCKET/KEY?region=REGION")
    if key.startswith("/") or key.endswith("/"):
        raise StoreError(f"{url.shown}: the key must not start or end with a slash")
    return _Read({"bucket": unquote(url.authority), "key": key}, _pairs(url.query))


def _pg(url: UrlParts) -> _Read:
    database = url.path[1:]
    if "/" in database:
        raise StoreError(f"{url.shown}: name a state as pg://HOST:PORT/DATABASE?schema=…&workspace=…")
    connection: list[tuple[str, str]] = []
    arguments: list[tuple[str, str]] = []
    workspace = DEFAULT_WORKSPACE
    for name, value in _once(url, _pairs(url.query)):
        if name in _CONNECTION_SECRETS:
            raise StoreError(_NO_PASSWORD["pg"])
        if name == _WORKSPACE:
            workspace = value
        elif name in _CONNECTION:
            connection.append((name, value))
        else:
            arguments.append((SHORT_NAMES.get(name, name), value))
    if not is_workspace_name(workspace):
        raise StoreError(f"{url.shown}: {workspace!r} is not the name of a workspace")
    base: dict[str, str] = {}
    if url.authority or database or connection:
        query = urlencode(connection, quote_via=quote)
        base["conn_str"] = f"postgres://{url.authority}/{database}" + (f"?{query}" if query else "")
    return _Read(base, arguments, workspace)


def _http(url: UrlParts) -> _Read:
    if not url.authority:
        raise StoreError(f"{url.shown}: the URL has no host")
    own = dict(named_arguments(known_backend("http").arguments))
    rest: list[str] = []
    arguments: list[tuple[str, str]] = []
    for part in url.query.split("&") if url.query else ():
        name, _, value = part.partition("=")
        if unquote_plus(name) in own:
            arguments.append((unquote_plus(name), unquote_plus(value)))
        else:
            # As written: servers distinguish escapes.
            rest.append(part)
    address = f"{url.scheme}://{url.authority}{url.path}" + (f"?{'&'.join(rest)}" if rest else "")
    return _Read({"address": address}, arguments)


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _once(url: UrlParts, pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    seen: set[str] = set()
    for name, value in pairs:
        if SHORT_NAMES.get(name, name) in seen:
            raise StoreError(f"{url.shown}: {name} is given twice in the URL")
        seen.add(SHORT_NAMES.get(name, name))
        yield name, value


def _setting(url: UrlParts, name: str, text: str, arguments: Mapping[str, BackendArgument]) -> GivenSetting:
    """Return an argument of a query. Raises StoreError if it is unknown, a part of the URL, or secret."""
    argument = arguments.get(name)
    if argument is None or argument.parts:
        raise StoreError(f"{url.shown}: the backend {url.backend!r} has no argument {name!r}{_like(name, arguments)}")
    if name in {"bucket", "key", "address", "conn_str"}:
        raise StoreError(f"{url.shown}: {name} cannot be an argument in the URL, which names it before the query")
    if argument.secret or _has_secret(text):
        variables = f"set {argument.environment[0]}, or " if argument.environment else ""
        raise StoreError(
            f"{url.shown}: {name} is secret, and others can see a URL in the list of processes; {variables}",
            Wording(
                f"write {name} = … to a file and name it with --backend-config",
                f"write {name} = … to a file and name it in the settings of BackendOptions",
            ),
        )
    return GivenSetting(name, _value(url, argument, name, text), SettingSource.URL, url.shown)


def _value(url: UrlParts, argument: BackendArgument, name: str, text: str) -> SettingValue:
    if argument.kind is not ArgumentKind.STRUCTURE:
        return text
    from statefmt.configuration.backend_block import literal_value

    return literal_value(text, f"{url.shown}: {name}")


def _has_secret(value: str) -> bool:
    """Return whether a value may be a URL with a user or a password."""
    return without_credentials(value).partition("?")[0] != value.partition("?")[0]


def _like(name: str, arguments: Mapping[str, BackendArgument]) -> str:
    import difflib

    known = [one for one, argument in arguments.items() if not argument.secret and not argument.parts]
    found = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""


def url_without_values(url: str) -> str:
    """Return a URL for display and records: without values that may be secret, but with arguments of the backend."""
    try:
        parts = url_parts(url)
        if parts is None or parts.backend != "http":
            if parts is not None:
                _read(parts)
            return url
        own = dict(named_arguments(known_backend("http").arguments))
        query = parts.query.split("&") if parts.query else []
        for at, part in enumerate(query):
            name, equals, value = part.partition("=")
            argument = own.get(unquote_plus(name))
            if argument is None or argument.secret or _has_secret(unquote_plus(value)):
                query[at] = f"{name}=…" if equals else "…"
        return parts.shown + (f"?{'&'.join(query)}" if query else "")
    except StoreError:
        return without_credentials(url)

"""The backend `pg`. Source: OpenTofu `internal/backend/remote-state/pg/backend.go`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import ArgumentKind, BackendArgument, BackendType, SettingValues, text_of
from statefmt.text.pattern import pattern

_URL: Final = pattern(r"postgres(?:ql)?://(?:[^/?#]*@)?([^@/?#]*)(?:/([^@/?#]*))?(?:\?([^#]*))?", re.DOTALL)
_WORD: Final = pattern(r"\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?:\s+|$)", re.DOTALL)
# Host names, addresses, folders of sockets, and lists of them with ports.
_HOST: Final = pattern(r"[\w.,:%/\[\]-]*")
_PORT: Final = pattern(r"[0-9,]*")


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `pg://HOST:PORT/DATABASE?…`, without the parts that neither the string nor the environment has."""
    from urllib.parse import quote, urlencode

    host, port, database = _server(text_of(values, "conn_str"))
    host = host or environment.get("PGHOST", "")
    port = port or environment.get("PGPORT", "")
    database = database or environment.get("PGDATABASE", "")
    query = {"schema": text_of(values, "schema_name")}
    if (table := text_of(values, "table_name")) != "states":
        query["table"] = table
    query["workspace"] = workspace
    server = quote(host, safe=",:[]%") + (f":{port}" if port and ":" not in host.rpartition("]")[2] else "")
    return f"pg://{server}/{quote(database, safe='')}?{urlencode(query)}"


def _server(text: str) -> tuple[str, str, str]:
    """Return the host, port and database of a connection string; all "" for one that is not understood.

    Of a string that is not understood, any part may be of the password.
    """
    parts: dict[str, str] = {}
    if "://" in text:
        found = _URL.fullmatch(text)
        if found is None:
            return "", "", ""
        from urllib.parse import parse_qsl, unquote

        parts = dict(parse_qsl(found[3] or ""))
        host, port, database = parts.get("host") or unquote(found[1]), parts.get("port", ""), unquote(found[2] or "")
        database = parts.get("dbname") or database
        # A `/` in a password ends what looks like the host: `user:pass`.
        if any(re.fullmatch("[0-9]*", one.rpartition("]")[2].partition(":")[2]) is None for one in host.split(",")):
            return "", "", ""
    else:
        at = 0
        while at < len(text):
            word = _WORD.match(text, at)
            if word is None:
                return "", "", ""
            parts[word[1]] = re.sub(r"\\(.)", r"\1", word[3] if word[2] is None else word[2])
            at = word.end()
        host, port, database = parts.get("host", ""), parts.get("port", ""), parts.get("dbname", "")
    if "@" in database or _HOST.fullmatch(host) is None or _PORT.fullmatch(port) is None:
        return "", "", ""
    return host, port, database


def _own(name: str, default: str) -> BackendArgument:
    return BackendArgument(name, (f"PG_{name.upper()}",), default)


def _skip(name: str) -> BackendArgument:
    return BackendArgument(f"skip_{name}", (f"PG_SKIP_{name.upper()}",), False, kind=ArgumentKind.TRUTH)


BACKEND: Final = BackendType(
    "pg",
    (
        BackendArgument("conn_str", ("PG_CONN_STR",), secret=True),
        _own("schema_name", "terraform_remote_state"),
        _own("table_name", "states"),
        _own("index_name", "states_by_name"),
        _skip("schema_creation"),
        _skip("table_creation"),
        _skip("index_creation"),
    ),
    _place,
    locks=lambda _values, _location: ("advisory lock of the row, for as long as the connection is open",),
    lock_ends_with_session=True,
)

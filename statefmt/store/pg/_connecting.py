"""Connects to a PostgreSQL server on first use, reconnects after a loss, and translates connection parameters."""

from __future__ import annotations

import errno
import math
import os
import pwd
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from psycopg import Error, pq

from statefmt.model.errors import StoreError, Wording
from statefmt.store.backends.description import text_of
from statefmt.store.backends.settings import BackendSetting, StatePlace
from statefmt.store.files import read_bounded
from statefmt.store.pg._rows import Backend, LostError, OverdueError, Session
from statefmt.store.protocol import LockInfo
from statefmt.store.remote.client import Connection, Patience
from statefmt.store.remote.hosts import approach, is_of_folder

T = TypeVar("T")

# The attempts of a read, and the seconds before each attempt after the first.
_ATTEMPTS: Final = 4
_WAIT: Final = 0.5


@dataclass(frozen=True, slots=True)
class RowLock:
    """The lock of this client: the keys, the ID of the row if it exists, and the session of the server."""

    info: LockInfo
    keys: tuple[int, ...]
    row: int | None
    backend: Backend


class ServerLink:
    """The session of a client, and the lock that it holds.

    `lost_for` is the reason why the lock is lost, or "". `unfinished` is the session of a lost connection, which may
    still have an effect or hold the lock.
    """

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        """Prepare to connect. Raises StoreError if a parameter is not supported."""
        self._place: Final = place
        self._connection: Final = connection
        self.patience: Final = Patience.of(connection.environment)
        self.parameters: Final = connection_parameters(place, connection.environment, self.patience)
        refuse_unverified(place, connection, self.parameters)
        self.session: Session | None = None
        self.held: RowLock | None = None
        self.lost_for = ""
        self.unfinished: Backend | None = None

    @property
    def statement_limit(self) -> int:
        """The time limit of a statement on the server, in ms: the server must refuse before the patience ends."""
        return math.ceil(self.patience.answer * 900)

    def retried(self, read: Callable[[Session], T]) -> T:
        """Read; reconnect if the connection is lost."""
        reason = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_WAIT * attempt * (0.5 + random.random()))
            try:
                return read(self.connected())
            except LostError as error:
                reason = str(error)
                is_overdue = isinstance(error, OverdueError)
            self.lose(reason)
            if is_overdue:
                break
        raise StoreError(f"{self._place.location}: {reason}")

    def connected(self) -> Session:
        if self.session is None:
            approach_hosts(self._place, self._connection, self.parameters)
            self.session = self.another()
            if self.unfinished is not None:
                self._end(self.session, self.unfinished)
        return self.session

    def another(self) -> Session:
        return Session(self._place.location, self.parameters, self.patience, self._connection.options.debug)

    def lose(self, reason: str, *, may_have_effect: bool = False) -> None:
        """Close the session; remember it if it holds the lock, or may have an effect."""
        session = self.session
        if session is not None and (may_have_effect or self.held is not None):
            self.unfinished = session.backend
        if self.held is not None:
            self.held, self.lost_for = None, reason
        self.close()

    def close(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def _end(self, session: Session, lost: Backend) -> None:
        """Make sure that the session of a lost connection has ended: it may still commit, and hold the lock."""
        if not session.end(lost):
            raise StoreError(
                f"{self._place.location}: the connection was lost, and the server still has its session open: it may "
                f"still write, and holds the lock. {way_out(lost.pid)}"
            )
        self.unfinished = None


def way_out(pid: int) -> str:
    """Return advice on ending a session whose program no longer runs."""
    return f"If that program has ended, run `SELECT pg_terminate_backend({pid});` in the database"


# All other parameters are refused: some name programs or files to write, and some change the meaning of a session.
_SUPPORTED: Final = frozenset({
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "sslmode", "sslnegotiation", "sslcert",
    "sslkey", "sslcertmode", "sslpassword", "sslrootcert", "sslcrl", "sslcrldir", "sslsni",
    "ssl_min_protocol_version", "ssl_max_protocol_version", "channel_binding", "require_auth", "requirepeer",
    "gssencmode", "krbsrvname", "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
    "keepalives_count", "tcp_user_timeout", "client_encoding", "options", "application_name",
    "fallback_application_name", "target_session_attrs", "load_balance_hosts",
})  # fmt: skip
# An empty value means no value, but keeps libpq from reading the variable itself.
_MAY_BE_EMPTY: Final = ("password", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir")
# Parameters that only lib/pq has. Any other name may be part of a password with a space.
_ONLY_LIB_PQ: Final = frozenset({
    "binary_parameters", "disable_prepared_binary_result", "sslinline", "krbspn", "search_path", "statement_timeout",
    "lock_timeout", "idle_in_transaction_session_timeout", "work_mem", "timezone",
})  # fmt: skip
_PORT: Final = "5432"
# Files that OpenSSL reads to their end; a device has no end.
_FILES: Final = ("sslcert", "sslkey", "sslrootcert", "sslcrl")
# In bytes.
_LARGEST_FILE: Final = 16 << 20
# In seconds: a vanished server is noticed after about a minute.
KEEPALIVES: Final[Mapping[str, str]] = {"idle": "20", "interval": "10", "count": "4"}


def connection_parameters(place: StatePlace, environment: Mapping[str, str], patience: Patience) -> dict[str, str]:
    """Return the parameters for libpq. Raises StoreError, which names parameters but no values."""
    setting = next((setting for setting in place.settings if setting.name == "conn_str"), None)
    where = f"{setting.place}: conn_str" if setting and setting.place else "conn_str"
    options = _parsed(text_of(place.values, "conn_str"), where)
    found = {option.keyword.decode(): option.val.decode() for option in options if option.val is not None}
    for option in options:
        name = option.keyword.decode()
        variable = option.envvar.decode() if option.envvar else ""
        if name not in found and environment.get(variable):
            found[name] = environment[variable]
            if name not in _SUPPORTED:
                raise StoreError(f"{variable}: the connection parameter {name} is not supported")
        elif name in found and name not in _SUPPORTED:
            raise StoreError(f"{where}: the connection parameter {name} is not supported")
        elif option.compiled is not None and name in _SUPPORTED:
            # `options` may be empty; libpq has no default that depends on the server.
            found.setdefault(name, option.compiled.decode())
    for name in _FILES:
        path = found.get(name)
        if path and Path(path).exists() and not Path(path).is_file():
            raise StoreError(f"{where}: {name}: {path} is not a regular file")
    found = _with_defaults(found, environment, given=_given(options, environment))
    return {**_limits(found, patience), **found}


def _given(options: list[pq.ConninfoOption], environment: Mapping[str, str]) -> frozenset[str]:
    return frozenset(
        option.keyword.decode()
        for option in options
        if option.val is not None or (option.envvar and environment.get(option.envvar.decode()))
    )


def _with_defaults(found: dict[str, str], environment: Mapping[str, str], *, given: frozenset[str]) -> dict[str, str]:
    """Add the defaults of lib/pq that differ from libpq."""
    if "host" not in given and "hostaddr" not in given:
        # libpq would use a socket.
        found["host"] = "localhost"
    if "sslmode" not in given:
        # libpq would continue without TLS if the server has none.
        found["sslmode"] = "verify-full" if found.get("sslrootcert") == "system" else "require"
    if "user" not in given:
        found["user"] = pwd.getpwuid(os.geteuid()).pw_name
    found.setdefault("dbname", found["user"])
    if "passfile" not in given and (home := environment.get("HOME")):
        found["passfile"] = str(Path(home) / ".pgpass")
    for name in _MAY_BE_EMPTY:
        found.setdefault(name, "")
    found["client_encoding"] = "UTF8"
    found.setdefault("application_name", found.pop("fallback_application_name", "") or "statetool")
    return found


def _limits(found: Mapping[str, str], patience: Patience) -> dict[str, str]:
    """Return the defaults that detect a vanished server; all hosts share the time of a request."""
    hosts = _hosts(found.get("hostaddr") or found.get("host", ""))
    return {
        "connect_timeout": str(math.ceil(min(patience.connect, patience.whole / len(hosts)))),
        "keepalives": "1",
        **{f"keepalives_{name}": value for name, value in KEEPALIVES.items()},
        "tcp_user_timeout": str(math.ceil(patience.answer * 1000)),
    }


def _parsed(text: str, where: str) -> list[pq.ConninfoOption]:
    try:
        return pq.Conninfo.parse(text.encode())
    except Error as error:
        # The message may contain any part of the string, including the password.
        name = re.search(r'"(\w+)"\s*\Z', str(error))
        if name is not None and name[1] in _ONLY_LIB_PQ:
            reason = f"the parameter {name[1]} is not supported"
        else:
            reason = "it is not a valid connection string; encode special characters of a URL, such as %40 for @"
    raise StoreError(f"{where}: {reason}")


def approach_hosts(place: StatePlace, connection: Connection, parameters: Mapping[str, str]) -> None:
    """Announce the hosts, and check that they may receive the user's credentials. Raises StoreError."""
    setting = next((setting for setting in place.settings if setting.name == "conn_str"), None)
    named_by = setting.place if setting is not None and is_of_folder(setting) else ""
    named = connection.environment.get("PGHOSTADDR") or connection.environment.get("PGHOST", "")
    own = _hosts(named) if named else []
    credentials = _user_credentials(setting, connection.environment, parameters) if named_by else ""
    hosts = _hosts(parameters.get("hostaddr") or parameters.get("host", ""))
    ports = parameters.get("port", "").split(",")
    names = _names(setting)
    for number, host in enumerate(hosts):
        if "@" in host[1:]:
            # Not shown: the beginning may be the rest of a password.
            where = setting.place if setting is not None else "PGHOST"
            raise StoreError(f"{where}: the name of the host contains '@'; in a password in a URL, write %40 for it")
        port = (ports[number] if len(ports) == len(hosts) else ports[0]) or _PORT
        # Another port of this machine may belong to another user's server.
        by_user = host in own or (host == "localhost" and not names & {"host", "port"})
        if host.startswith(("/", "@")):
            # Any user of this machine may offer a socket.
            if named_by and credentials and not by_user:
                raise StoreError(
                    f"{credentials} would be sent to the socket in {host}, which only {named_by} names; nothing was "
                    f"sent. If you trust it, set PGHOST={host}"
                )
            continue
        name = f"[{host}]" if ":" in host else host
        origin = "" if by_user else named_by
        approach(connection, f"{name}:{port}", named_by=origin, credentials=credentials, resolves=True)


def refuse_unverified(place: StatePlace, connection: Connection, parameters: Mapping[str, str]) -> None:
    """Raise StoreError if the parameters require verified certificates, but the run disables verification."""
    mode = parameters["sslmode"]
    if not connection.options.verify and mode.startswith("verify-"):
        raise StoreError(
            f"{place.location}: sslmode is {mode}, which ",
            Wording("--no-verify", "verify=False"),
            " does not change; set sslmode=require in conn_str or PGSSLMODE to skip the check of the certificate",
        )


def _hosts(text: str) -> list[str]:
    return [host or "localhost" for host in text.split(",")]


def _names(setting: BackendSetting | None) -> frozenset[str]:
    text = "" if setting is None else str(setting.value)
    return frozenset(option.keyword.decode() for option in pq.Conninfo.parse(text.encode()) if option.val)


def _user_credentials(
    setting: BackendSetting | None, environment: Mapping[str, str], parameters: Mapping[str, str]
) -> str:
    """Return a name for the user's credentials that a server receives and that are not in the folder; "" if none."""
    names = _names(setting)
    if certificate := parameters.get("sslcert"):
        # Also if the folder names it: the file is the user's.
        return f"the client certificate in {certificate}"
    if "password" in names:
        return ""
    if parameters.get("password"):
        return "PGPASSWORD"
    passfile = parameters.get("passfile", "")
    try:
        lines = read_bounded(passfile, _LARGEST_FILE).decode(errors="replace").splitlines() if passfile else []
    except OSError as error:
        if error.errno != errno.EFBIG:
            # libpq cannot read it either.
            return ""
        lines = ["*:"]
    # A line with a host applies to that host only, as its owner intended. With `hostaddr`, the name has no meaning. The
    # usual socket is "localhost" in this file.
    of_any = ("*:", "localhost:") if parameters.get("host", "").startswith(("/", "@")) else ("*:",)
    if lines and (names & {"passfile", "hostaddr"} or any(line.startswith(of_any) for line in lines)):
        return f"the password in {passfile}"
    return ""

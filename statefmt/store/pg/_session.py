"""One session of a PostgreSQL server: statements, errors without secrets, and whether the connection is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg.sql import Composed

from statefmt.model.errors import StoreError
from statefmt.store.remote.patience import ADVICE, Patience

T = TypeVar("T")
PgConnection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

_SELF: Final = "SELECT pid, backend_start FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()"
# In messages about connections, which have no fields. Source: libpq, `fe-protocol3.c`, `fe-auth.c`.
_OF_SERVER: Final = "FATAL: "
_NO_PASSWORD: Final = "no password supplied"
_END: Final = "SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE pid = %s AND backend_start = %s"
_LIVES: Final = "SELECT 1 FROM pg_catalog.pg_stat_activity WHERE pid = %s AND backend_start = %s"
# How often, and after how many seconds, it is seen whether a session has ended.
_LOOKS: Final = 100
_PAUSE: Final = 0.05
# What may be over after a moment. Other errors of a connection are final, such as a wrong password.
_PASSING: Final = (
    "Connection refused",
    "Connection reset",
    "closed the connection unexpectedly",
    "is starting up",
    "is shutting down",
    "too many clients",
    "connection slots are reserved",
)
# Of psycopg, about `connect_timeout`.
_LATE: Final = "connection timeout expired"
# The server ends the session, or is not ready. Source: PostgreSQL, appendix "Error Codes".
_ENDS: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})


class LostError(Exception):
    """The connection is lost; `str()` is the reason."""


class OverdueError(LostError):
    """The connection was ended since the server took too long; it would take too long again."""


class ServerError(StoreError):
    """The server refuses a statement; `sqlstate` is the error code."""

    def __init__(self, message: str, sqlstate: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Backend(NamedTuple):
    """What tells a session of the server from all others: the ID of its process, and when it began."""

    pid: int
    started: object


class Session:
    """An open session, in which each statement is a transaction unless BEGIN starts one."""

    def __init__(
        self, location: str, parameters: Mapping[str, str], patience: Patience, debug: Callable[[str], None] | None
    ) -> None:
        """Connect. Raises LostError, and ServerError if the server refuses."""
        self._location = location
        self._secrets = [parameters[name] for name in ("password", "sslpassword") if parameters.get(name)]
        self._debug = debug
        # Reading does not need it, and should not wait for it.
        self.backend: Backend | None = None
        if debug is not None:
            debug(f"{location}: connect")
        problem: StoreError | LostError
        try:
            self._connection: PgConnection = _limited(patience).connect(
                "",
                autocommit=True,
                # A prepared statement is of one session, and a pooler may have several.
                prepare_threshold=None,
                **parameters,  # type: ignore[arg-type]  # all are strings, by the name of the parameter
            )
        except OverdueError as error:
            problem = OverdueError(str(error))
        except psycopg.Error as error:
            problem = self._converted(error, lost=any(reason in str(error) for reason in _PASSING))
            if str(error) == _LATE:
                problem = OverdueError(f"there was no connection within {parameters['connect_timeout']} s; {ADVICE}")
        else:
            return
        # Outside of the handler, so that no traceback shows the exception and what it knows.
        raise problem

    def __repr__(self) -> str:
        return f"Session({self._location!r})"

    @property
    def announced_pid(self) -> int:
        """The process of the server as it was announced on connecting; that of a pooler is another."""
        return self._connection.info.backend_pid

    def identify(self) -> Backend:
        """Find out which session of the server this is. Raises LostError and ServerError."""
        if self.backend is None:
            self.backend = Backend(*self.execute(_SELF)[0])
        return self.backend

    def execute(self, statement: str | Composed, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, in which `%%` stands for `%`, and return its rows. Raises LostError and ServerError."""
        return self._run(statement, parameters)[0]

    def change(self, statement: str | Composed, parameters: Sequence[object] = ()) -> int:
        """Run a statement and return how many rows it has changed. Raises LostError and ServerError."""
        return self._run(statement, parameters)[1]

    def end(self, other: Backend) -> bool:
        """End another session of the same user; return whether it has ended. Raises LostError."""
        with suppress(ServerError):
            self.execute(_END, other)
        for _ in range(_LOOKS):
            if not self.execute(_LIVES, other):
                return True
            time.sleep(_PAUSE)
        return False

    def close(self) -> None:
        """Close the connection; the server then ends the session and frees its locks."""
        self._connection.close()

    def _run(self, statement: str | Composed, parameters: Sequence[object]) -> tuple[list[tuple[Any, ...]], int]:
        if self._debug is not None:
            text = statement if isinstance(statement, str) else statement.as_string(self._connection)
            # Parameters have states.
            self._debug(f"{self._location}: {' '.join(text.split())}")
        problem: StoreError | LostError
        try:
            cursor = self._connection.execute(statement, parameters)
            return (cursor.fetchall() if cursor.description else []), cursor.rowcount
        except UnicodeDecodeError:
            problem = ServerError(f"{self._location}: the database has data that is not valid UTF-8", "")
        except OverdueError as error:
            problem = OverdueError(str(error))
        except psycopg.Error as error:
            problem = self._converted(error, lost=self._connection.closed or error.sqlstate in _ENDS)
        except BaseException:
            # An interrupted statement may still run, and the connection takes no other until it ends.
            self.close()
            raise
        if isinstance(problem, LostError):
            self.close()
        raise problem

    def _converted(self, error: psycopg.Error, *, lost: bool) -> StoreError | LostError:
        """Return the error to raise; libpq's own may have the parameters of the connection."""
        text = error.diag.message_primary or str(error)
        text = " ".join(text.split()).removeprefix("connection failed: ")
        for secret in self._secrets:
            text = text.replace(secret, "(sensitive value)")
        if lost:
            return LostError(text)
        # Until the server answers, the text is the library's.
        whose = "" if not (error.diag.message_primary or _OF_SERVER in text) else "the server says: "
        advice = "; set PGPASSWORD, or write ~/.pgpass" if _NO_PASSWORD in text else ""
        return ServerError(f"{self._location}: {whose}{text}{advice}", error.sqlstate or "")


def _limited(patience: Patience) -> type[PgConnection]:
    """Return connections that end what takes too long: to connect, or a statement with its answer.

    psycopg waits without an end for a server that does not answer a statement, or whose answer drips.
    """

    created = time.monotonic()

    def timed(steps: Generator[Any, Any, T], start: float, late: str) -> Generator[Any, Any, T]:
        """Take the steps of psycopg, which it repeats every 0.1 s while there is nothing to read."""
        latest = time.monotonic()
        ready = None
        try:
            while True:
                waits = steps.send(ready)
                ready = yield waits
                now = time.monotonic()
                latest = now if ready else latest
                if now - start > patience.whole:
                    raise OverdueError(f"{late} within {patience.whole:g} s; {ADVICE}")
                if now - latest > patience.answer:
                    raise OverdueError(f"there was no answer within {patience.answer:g} s; {ADVICE}")
        except StopIteration as end:
            result: T = end.value
            return result

    class Limited(psycopg.Connection[tuple[Any, ...]]):
        @classmethod
        def _connect_gen(cls, *arguments: Any, **options: Any) -> Any:
            # Once for each host and address; all of them share the time.
            return timed(super()._connect_gen(*arguments, **options), created, "there was no connection")

        def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
            return super().wait(timed(gen, time.monotonic(), "the answer was not complete"), *arguments, **options)

    return Limited

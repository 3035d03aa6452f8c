"""Makes the run context of programs that use the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from statefmt.context import ProgressReport, RunContext
from statefmt.model.errors import StoreError

if TYPE_CHECKING:
    from statefmt.store.backends.options import BackendOptions
    from statefmt.store.reading import ReadReport

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def run_context(
    *,
    environment: Mapping[str, str] = _NOTHING,
    clock: Callable[[], datetime] | None = None,
    user: Callable[[], str] | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: ProgressReport | None = None,
    backend: BackendOptions | None = None,
) -> RunContext:
    """Return a context for `statefmt.open()`.

        statefmt.open("terraform.tfstate", context=statefmt.run_context(environment=os.environ, note=print))

    Args:
        environment: Variables such as TF_ENCRYPTION, TF_VAR_passphrase and the credentials of backends. The library
            does not read those of the process by itself; without this argument there are none.
        clock: Returns the current time with its time zone, for locks, backups and the history; default: the system's.
        user: Returns `name@host`, for locks and the history; default: the user of the process.
        note: Receives a sentence on each side effect, such as the recovery of an interrupted write.
        progress: Receives the name of a phase, how much is done, of how much, and the unit, "" for bytes. An exception
            that it raises cancels the operation and leaves the state as it was.
        backend: What is said about states in backends, as `statefmt.locations.BackendOptions`: the workspace of a
            folder, settings as `--backend-config` takes them, and what is allowed on the way, such as hosts that get
            credentials of the environment although only a folder names them.
    """
    return RunContext(
        environment, clock or _now, user or _user, note, _no_input, _no_output, progress=progress, backend=backend
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _user() -> str:
    from socket import gethostname

    return f"{_user_name()}@{gethostname()}"


def _user_name() -> str:
    """Return the name that the system has for the user; unlike getpass, without the environment."""
    try:
        import pwd
    except ImportError:
        return os.getlogin()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        # A container may run as a user without a name.
        return str(os.getuid())


def _no_input(_: ReadReport | None) -> bytes:
    raise StoreError("the library does not read standard input; read it and call statefmt.read()")


def _no_output(_: bytes) -> None:
    raise StoreError("the library does not write to standard output; name a file")

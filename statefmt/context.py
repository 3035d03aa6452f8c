"""Defines the run context: environment, clock, user, input and output. The caller creates it and passes it down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime

    # Most runs neither lock a state nor decrypt one.
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.store.backends.options import BackendOptions
    from statefmt.store.protocol import LockInfo
    from statefmt.store.reading import ReadReport
    from statefmt.store.remote.client import Connection


# Name of the phase, how much is done, of how much, counted in what.
ProgressReport: TypeAlias = "Callable[[str, int, int, str], None]"


@dataclass(frozen=True, slots=True)
class RunContext:
    """The environment of one run, passed as an argument instead of read from the process.

    `clock` returns the current time with its time zone, `user` returns `name@host`. `note` reports a side effect as a
    sentence. `read_input` and `write_output` access standard input and output; the former reports how many bytes it has
    read. `encryption` loads the encryption configuration on first use and returns None if the given module has none;
    the field itself is None if no configuration was given. `progress` receives what the run is doing; None without a
    terminal. `backend` has the options for states in backends, or None; `hosts` are the approached hosts, and
    `credentials` the credentials found, as in Connection; with `names_hosts`, hosts are announced before the first
    request, otherwise only on failure. `statefmt.run_context()` makes a context for programs that use the library.
    """

    environment: Mapping[str, str]
    clock: Callable[[], datetime]
    user: Callable[[], str]
    note: Callable[[str], None]
    read_input: Callable[[ReadReport | None], bytes]
    write_output: Callable[[bytes], None]
    encryption: Callable[[], EncryptionConfiguration | None] | None = None
    progress: ProgressReport | None = None
    backend: BackendOptions | None = None
    hosts: dict[str, bool] = field(default_factory=dict, repr=False)
    credentials: dict[bytes, Callable[[], Any]] = field(default_factory=dict, repr=False)
    names_hosts: bool = True

    def configuration(self) -> EncryptionConfiguration | None:
        """Return the encryption configuration, or None. Raises ConfigurationError."""
        return None if self.encryption is None else self.encryption()

    def read(self, name: str) -> bytes:
        """Read a state: a file, one in git or in a backend, or standard input for `-`. Raises StoreError."""
        from statefmt.store.backends import RemoteName, VersionName
        from statefmt.store.local.settled import read_settled
        from statefmt.store.reading import GIT, STANDARD_INPUT

        self.phase("reading")
        if name.startswith(GIT):
            from statefmt.store.git import read_git_object

            return read_git_object(name, self.environment)
        if isinstance(name, (RemoteName, VersionName)):
            from statefmt.store.opening import remote_content

            return remote_content(name, self.connection()).read().data
        report = None if self.progress is None else partial(self.phase, "reading")
        return self.read_input(report) if name == STANDARD_INPUT else read_settled(name, self, report)

    def connection(self) -> Connection:
        """Return the environment and the permissions of the run for a client of a backend."""
        from statefmt.store.backends.options import BackendOptions
        from statefmt.store.remote.client import Connection

        options = self.backend or BackendOptions()
        return Connection(self.environment, self.note, options, self.hosts, self.credentials, self.names_hosts)

    def phase(self, name: str, done: int = 0, total: int = 0, unit: str = "") -> None:
        """Report the current phase of the run, such as `reading`, and its progress.

        `done` and `total` are bytes, unless `unit` names another unit; `total` is 0 if unknown.
        """
        if self.progress is not None:
            self.progress(name, done, total, unit)

    def lock_info(self, path: Path | str, operation: str, command: str = "") -> LockInfo:
        """Return the entry that describes an operation of this run in a state's lock and history."""
        from statefmt.store.protocol import lock_info

        return lock_info(path, operation, command, who=self.user(), created=self.clock())

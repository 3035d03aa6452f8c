"""What a client may do and use on the way to a backend; the run says so, never a repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from statefmt.store.backends.options import BackendOptions


@dataclass(frozen=True, slots=True)
class Connection:
    """The environment of a run, where it reports side effects, and what it allows. Times are in seconds.

    `hosts` are those that the run has approached, with whether the user agreed to send them credentials. All
    connections of a run share it, so that each host is named, and asked about, once. They share `credentials`, too:
    finding them may take requests, and a run may read thousands of states. Unless the run `names_hosts`, it names them
    only if something fails. `foreign` are the hosts that something else than the user has named, without ports.
    """

    environment: Mapping[str, str] = field(repr=False)
    note: Callable[[str], None]
    options: BackendOptions
    hosts: dict[str, bool] = field(default_factory=dict)
    credentials: dict[bytes, Callable[[], Any]] = field(default_factory=dict, repr=False)
    names_hosts: bool = True
    foreign: set[str] = field(default_factory=set)

    @property
    def state_home(self) -> Path:
        """The folder of what statetool keeps about states in backends: histories and backups."""
        home = self.environment.get("XDG_STATE_HOME", "")
        # A relative path is invalid, as the XDG Base Directory Specification says.
        base = (
            Path(home)
            if home.startswith("/")
            else Path(self.environment.get("HOME") or "~").expanduser() / ".local/state"
        )
        return base / "statetool"

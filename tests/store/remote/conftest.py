"""A state in a backend that is a folder, and what edits it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import StatePlace
from statefmt.store.opening import RemoteStore
from statefmt.store.protocol import LockInfo, WriteTerms, lock_info
from statefmt.store.remote.client import Connection
from tests.store.remote.file_client import FileClient

OLD = b'{"old": 1}\n'
NEW = b'{"new": 2}\n'


@dataclass
class Place:
    """A state at a location, its backend, and what was reported and waited for."""

    backend: Path
    home: Path
    location: str = "s3://bucket/prod/network.tfstate"
    client: Callable[[FileClient], FileClient] = lambda client: client
    environment: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    @property
    def store(self) -> RemoteStore:
        place = StatePlace("s3", "default", self.location, ())
        environment = {"XDG_STATE_HOME": str(self.home)} | self.environment
        connection = Connection(environment, self.notes.append, BackendOptions())
        return RemoteStore(
            place, connection, lambda *_: self.client(FileClient(self.backend, self.location)), self._pause
        )

    @property
    def state(self) -> bytes:
        return (self.backend / "state").read_bytes()

    @property
    def steps(self) -> list[str]:
        return (self.backend / "steps").read_text().split()

    @property
    def folder(self) -> Path:
        """The only folder of a state in the state home."""
        (folder,) = (self.home / "statetool/states").iterdir()
        return folder

    @property
    def backups(self) -> list[Path]:
        return sorted((self.home / "statetool").glob("states/*/*.backup"))

    @property
    def is_locked(self) -> bool:
        return (self.backend / "lock").exists()

    def mark(self, step: str, content: str = "x") -> None:
        """Let the client misbehave at a step."""
        (self.backend / step).write_text(content)

    def edit(
        self,
        new: bytes = NEW,
        *,
        timeout: float | None = 0,
        backup: str | None = None,
        keeps_backup: bool = True,
        command: str = "mv a b",
    ) -> str | None:
        """Write new content as the pipeline does."""
        store = self.store
        with store.locked(self.info(command), timeout) as locked:
            terms = WriteTerms(1_700_000_000, None if backup is None else Path(backup), keeps_backup)
            kept = locked.write([new], locked.stored.version, terms)
        store.tidy()
        return kept

    def info(self, command: str = "mv a b") -> LockInfo:
        return lock_info(self.location, "mv", command, who="me@here", created=datetime(2026, 1, 1, tzinfo=UTC))

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A state with the content OLD that nobody locks."""
    backend = tmp_path / "backend"
    backend.mkdir()
    (backend / "state").write_bytes(OLD)
    before = os.umask(0o022)
    yield Place(backend, tmp_path / "home")
    os.umask(before)


def lock_of_another(place: Place) -> LockInfo:
    """Lock the state as somebody else."""
    info = replace(place.info("apply\x1b[2J\nID: fake"), Who="other@there", Operation="OperationTypeApply")
    FileClient(place.backend, place.location).lock(info)
    return info


def editing_process(place: Place, timeout: str = "0", new: str = "NEW") -> subprocess.Popen[bytes]:
    """Edit a state in a process of its own, which prints its notes."""
    code = (
        "import sys; from pathlib import Path; from tests.store.remote.conftest import *\n"
        "class Printed(list):\n"
        "    def append(self, note): print(note, file=sys.stderr, flush=True)\n"
        "place = Place(Path(sys.argv[1]), Path(sys.argv[2]), notes=Printed())\n"
        f"place.edit({new}, timeout={timeout})"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, str(place.backend), str(place.home)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        stderr=subprocess.PIPE,
    )


def reached(place: Place, step: str, process: subprocess.Popen[bytes], times: int = 1) -> None:
    """Wait until a process has reached a step, for so many times in all."""
    path = place.backend / "steps"
    while not path.exists() or place.steps.count(step) < times:
        assert process.poll() is None
        time.sleep(0.005)

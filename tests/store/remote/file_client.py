"""A client whose backend is a folder: it can wait, fail or lose an answer at each step, as a test says.

A file `STEP.wait` makes the client announce itself in `STEP.reached`, and wait until `STEP.wait` is gone; a file
`STEP.lost` makes it lose the answer, once for each line of it. STEP is a method and `before` or `after`, such as
`lock.after`. Each step that was reached is a line of `steps`.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.protocol import LockInfo, Stored, lock_json, read_lock_info
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError


@dataclass(frozen=True)
class FileClient:
    """A state and its lock in a folder; see StateClient. `tells` whether it can be asked who holds the lock."""

    folder: Path
    location: str
    lock_path: str = "bucket/key"
    is_locking: bool = True
    tells: bool = True

    def read(self) -> Stored | None:
        self._at("read.before")
        data = self._content()
        self._at("read.after")
        return None if data is None else Stored(data, sha256(data).hexdigest())

    def lock(self, info: LockInfo) -> None:
        self._at("lock.before")
        try:
            # At once, as a service does; the same lock may be asked for again.
            mine = self.folder / f"{info.ID}.{uuid4()}"
            mine.write_bytes(lock_json(info))
            (self.folder / "lock").hardlink_to(mine)
        except FileExistsError:
            raise LockHeldError(read_lock_info((self.folder / "lock").read_bytes())) from None
        self._at("lock.after")

    def holder(self) -> LockInfo | None:
        if not self.tells:
            raise NotImplementedError
        self._at("holder.before")
        lock = self.folder / "lock"
        return read_lock_info(lock.read_bytes()) if lock.exists() else None

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        self._at("write.before")
        data = self._content()
        if (None if data is None else sha256(data).hexdigest()) != expected:
            raise ChangedError(f"{self.location}: changed", str(expected))
        new = self.folder / "new"
        new.write_bytes(content)
        new.rename(self.folder / "state")
        self._at("write.after")

    def unlock(self, info: LockInfo) -> None:
        self._at("unlock.before")
        lock = self.folder / "lock"
        holder = read_lock_info(lock.read_bytes()) if lock.exists() else None
        if holder is None or holder.ID != info.ID:
            raise StoreError(f"{self.location}: the lock is not ours")
        lock.unlink()
        self._at("unlock.after")

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        raise NotImplementedError

    def workspaces(self) -> Sequence[str]:
        return ("default",)

    def delete(self, expected: Hashable) -> None:
        self._at("delete.before")
        data = self._content()
        if data is None or sha256(data).hexdigest() != expected:
            raise ChangedError(f"{self.location}: changed", str(expected))
        (self.folder / "state").unlink()
        self._at("delete.after")

    def close(self) -> None:
        self._at("close")

    def _content(self) -> bytes | None:
        state = self.folder / "state"
        return state.read_bytes() if state.exists() else None

    def _at(self, step: str) -> None:
        with (self.folder / "steps").open("a") as steps:
            steps.write(f"{step}\n")
        wait = self.folder / f"{step}.wait"
        if wait.exists():
            (self.folder / f"{step}.reached").touch()
            while wait.exists():
                time.sleep(0.005)
        lost = self.folder / f"{step}.lost"
        if lost.exists():
            left = lost.read_text().split()[1:]
            if left:
                lost.write_text("\n".join(left))
            else:
                lost.unlink()
            raise UnknownOutcomeError(f"{step}: the answer was lost")
        broken = self.folder / f"{step}.broken"
        if broken.exists():
            raise StoreError(f"{step}: the service is down")

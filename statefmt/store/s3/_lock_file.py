"""The lock file beside a state: an object that exists while the state is locked.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (s3Lock, s3Unlock).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.lock_info import LockInfo, lock_json, read_lock_info
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from statefmt.store.s3._deletion import delete_unchanged
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._objects import Objects, StoredObject
from statefmt.store.s3._storage import tagging

# Between the look at the holder of a lock and the request for it, others may take it and give it back.
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class LockFile:
    """The lock file of one state."""

    objects: Objects

    @property
    def key(self) -> str:
        """The key of the lock file."""
        return f"{self.objects.settings.key}.tflock"

    @property
    def url(self) -> str:
        """The lock file as messages name it."""
        return f"s3://{self.objects.settings.bucket}/{self.key}"

    def holder(self) -> LockInfo | None:
        """Return who holds the lock, None if nobody does. Raises StoreError if the file cannot be read."""
        stored = self.objects.read(self.key)
        return None if stored is None else self._info(stored)

    def acquire(self, info: LockInfo) -> None:
        """Create the lock file. Raises LockHeldError, UnknownOutcomeError and StoreError.

        A request that meets its own lock, since the answer to an earlier attempt was lost, has succeeded.
        """
        for _ in range(_ATTEMPTS):
            # Looked at first: a server that ignores conditions would replace the lock of another.
            stored = self.objects.read(self.key)
            if stored is not None:
                held = read_lock_info(stored.content)
                if held is None or held.ID != info.ID:
                    raise LockHeldError(held)
                return
            try:
                self._create(info)
            except RefusedRequestError as error:
                if not error.is_condition:
                    raise
                continue
            self._check_conditions(info)
            return
        raise LockHeldError(None)

    def release(self, info: LockInfo) -> bool:
        """Delete the lock file if it is ours, and return whether there was one.

        Raises UnknownOutcomeError, and StoreError if it is another's.
        """
        stored = self.objects.read(self.key)
        if stored is None:
            return False
        held = read_lock_info(stored.content)
        if held is None or held.ID != info.ID:
            raise StoreError(f"{self.url}: the lock file is not ours anymore: {_described(held)}")
        delete_unchanged(self.objects, self.key, stored.version, self.url)
        return True

    def remove(self, lock_id: str) -> None:
        """Delete the lock file if it has this ID, whoever holds it. Raises StoreError."""
        stored = self.objects.read(self.key)
        if stored is not None and lock_id == self._info(stored).ID:
            delete_unchanged(self.objects, self.key, stored.version, self.url)

    def _create(self, info: LockInfo) -> None:
        self.objects.write(self.key, lock_json(info), {"if-none-match": "*"}, tagging(self.objects.settings.lock_tags))

    def _check_conditions(self, info: LockInfo) -> None:
        """Make sure that a second lock is refused, since some servers ignore the condition. Raises StoreError."""
        try:
            self._create(info)
        except UnknownOutcomeError:
            # Nothing was learnt, and the content of the file is the same either way.
            return
        except RefusedRequestError as error:
            if error.is_condition:
                return
            self._give_up(info)
            raise
        except StoreError:
            self._give_up(info)
            raise
        self._give_up(info)
        raise StoreError(
            f"{self.url}: the server {self.objects.service.host} ignores the condition If-None-Match in this bucket, "
            "so a lock file locks nothing: two programs could write at the same time. Nothing was written. Use a "
            "DynamoDB table (`dynamodb_table`) or another server"
        )

    def _give_up(self, info: LockInfo) -> None:
        # What is reported is why the lock is given up.
        with suppress(StoreError):
            self.remove(info.ID)

    def _info(self, stored: StoredObject) -> LockInfo:
        held = read_lock_info(stored.content)
        if held is None:
            raise StoreError(f"{self.url}: this is not a lock file: it contains no lock information")
        return held


def _described(held: LockInfo | None) -> str:
    return f"it is of {held.Who} ({held.ID})" if held else "it contains no lock information"

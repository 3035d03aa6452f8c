"""The lock of a state: a file, an item in DynamoDB, or both."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from statefmt.model.errors import StoreError
from statefmt.store.protocol import LockInfo, lock_json, read_lock_info
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from statefmt.store.s3._objects import Objects, StoredObject, delete_unchanged, tagging
from statefmt.store.s3._service import AwsService, RefusedRequestError


@dataclass(frozen=True, slots=True)
class S3Locks:
    """The locks of one state, in locking order: first the file, then the item."""

    location: str
    file: LockFile | None
    table: LockTable | None

    @property
    def _all(self) -> tuple[LockFile | LockTable, ...]:
        return tuple(lock for lock in (self.file, self.table) if lock is not None)

    def holder(self) -> LockInfo | None:
        """Return the holder of any of the locks; None if all are free."""
        for lock in self._all:
            held = lock.holder()
            if held is not None:
                return held
        return None

    def acquire(self, info: LockInfo) -> None:
        """Take all locks or none. Raises LockHeldError, UnknownOutcomeError and StoreError."""
        if self.file is not None:
            self.file.acquire(info)
        if self.table is None:
            return
        try:
            self._acquire_item(self.table, info)
        except (LockHeldError, StoreError):
            if self.file is not None:
                # The first error is the one to report.
                with suppress(StoreError):
                    self.file.remove(info.ID)
            raise

    def _acquire_item(self, table: LockTable, info: LockInfo) -> None:
        try:
            table.acquire(info)
        except UnknownOutcomeError:
            if self.file is None:
                raise
            # The holder of the file does not say whether the item exists, too. A second attempt meets its own lock.
            table.acquire(info)

    def release(self, info: LockInfo) -> None:
        """Release all locks; try each, even if another cannot be released. Raises StoreError."""
        errors: list[StoreError] = []
        released = False
        for lock in self._all:
            try:
                released |= lock.release(info)
            except StoreError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        # One of two locks may already be gone if the answer to an earlier attempt was lost.
        if not released:
            raise StoreError(f"{self.location}: the lock is gone: somebody else removed it")

    def remove(self, lock_id: str) -> LockInfo:
        """Remove the locks with this ID and return their holder. Raises StoreError if they have another ID."""
        held = [(lock, lock.holder()) for lock in self._all]
        if not held:
            raise StoreError(
                f"{self.location}: this backend does not lock: neither `use_lockfile` nor `dynamodb_table` is set"
            )
        holders = [holder for _, holder in held if holder is not None]
        if not holders:
            raise StoreError(f"{self.location}: it is not locked")
        ours = next((holder for holder in holders if lock_id == holder.ID), None)
        if ours is None:
            other = holders[0]
            raise StoreError(
                f"{self.location}: the lock has the ID {other.ID}, not {lock_id}: {other.Who} holds it since "
                f"{other.Created} ({other.Operation}); nothing was removed"
            )
        for lock, _ in held:
            lock.remove(lock_id)
        return ours


# Another program may take and release the lock between a read of its holder and a lock request.
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
        """The name of the lock file in messages."""
        return f"s3://{self.objects.settings.bucket}/{self.key}"

    def holder(self) -> LockInfo | None:
        """Return the holder of the lock, None if it is free. Raises StoreError if the file cannot be read."""
        stored = self.objects.read(self.key)
        return None if stored is None else self._info(stored)

    def acquire(self, info: LockInfo) -> None:
        """Create the lock file. Raises LockHeldError, UnknownOutcomeError and StoreError.

        A request that meets its own lock, since the answer to an earlier attempt was lost, has succeeded.
        """
        for _ in range(_ATTEMPTS):
            # Read first: a server that ignores conditions would replace another lock.
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
        """Delete the lock file if it has this ID. Raises StoreError."""
        stored = self.objects.read(self.key)
        if stored is not None and lock_id == self._info(stored).ID:
            delete_unchanged(self.objects, self.key, stored.version, self.url)

    def _create(self, info: LockInfo) -> None:
        self.objects.write(self.key, lock_json(info), {"if-none-match": "*"}, tagging(self.objects.settings.lock_tags))

    def _check_conditions(self, info: LockInfo) -> None:
        """Check that the server refuses a second lock, since some servers ignore the condition. Raises StoreError."""
        try:
            self._create(info)
        except UnknownOutcomeError:
            # The check had no result, and the content of the file is the same either way.
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
        # The reason for giving up the lock is reported instead.
        with suppress(StoreError):
            self.remove(info.ID)

    def _info(self, stored: StoredObject) -> LockInfo:
        held = read_lock_info(stored.content)
        if held is None:
            raise StoreError(f"{self.url}: this is not a lock file: it contains no lock information")
        return held


def _described(held: LockInfo | None) -> str:
    return f"it is of {held.Who} ({held.ID})" if held else "it contains no lock information"


@dataclass(frozen=True, slots=True)
class LockTable:
    """The items of one state, whose `path` is BUCKET/KEY."""

    table: str
    path: str
    service: AwsService

    @property
    def digest_key(self) -> str:
        """The key of the item with the digest."""
        return f"{self.path}-md5"

    def holder(self) -> LockInfo | None:
        """Return the holder of the lock, None if it is free. Raises StoreError if the item is not a lock."""
        text = self._text(self.path, "Info")
        return None if text is None else self._info(text)

    def acquire(self, info: LockInfo) -> None:
        """Create the lock item. Raises LockHeldError, UnknownOutcomeError and StoreError."""
        item = {"LockID": {"S": self.path}, "Info": {"S": lock_json(info).decode()}}
        try:
            self._call("PutItem", {"Item": item, "ConditionExpression": "attribute_not_exists(LockID)"}, changes=True)
            return
        except RefusedRequestError as error:
            if not error.is_condition:
                raise
        text = self._text(self.path, "Info")
        held = None if text is None else read_lock_info(text.encode(errors="replace"))
        if held is None or held.ID != info.ID:
            raise LockHeldError(held)

    def release(self, info: LockInfo) -> bool:
        """Delete the lock item if it is ours, and return whether there was one.

        Raises UnknownOutcomeError, and StoreError if it is another's.
        """
        text = self._text(self.path, "Info")
        if text is None:
            return False
        held = read_lock_info(text.encode(errors="replace"))
        if held is None or held.ID != info.ID:
            raise StoreError(f"{self._named}: the lock is not ours anymore: {_described(held)}")
        self._delete(text)
        return True

    def remove(self, lock_id: str) -> None:
        """Delete the lock item if it has this ID. Raises StoreError."""
        text = self._text(self.path, "Info")
        if text is not None and lock_id == self._info(text).ID:
            self._delete(text)

    def digest(self) -> str | None:
        """Return the MD5 of the state in hexadecimal, None if there is none. Raises StoreError."""
        return self._text(self.digest_key, "Digest") or None

    def write_digest(self, digest: str) -> None:
        """Write the digest. Raises StoreError. A lost answer is followed by a retry: the lock is ours."""
        self._call("PutItem", {"Item": {"LockID": {"S": self.digest_key}, "Digest": {"S": digest}}})

    def delete_digest(self) -> None:
        """Delete the digest, if there is one. Raises StoreError."""
        self._call("DeleteItem", {"Key": {"LockID": {"S": self.digest_key}}})

    @property
    def _named(self) -> str:
        return f"the item {self.path!r} of the DynamoDB table {self.table!r}"

    def _delete(self, text: str) -> None:
        """Delete the lock item if it has exactly this text."""
        condition = {"ConditionExpression": "Info = :info", "ExpressionAttributeValues": {":info": {"S": text}}}
        try:
            self._call("DeleteItem", {"Key": {"LockID": {"S": self.path}}, **condition}, changes=True)
        except RefusedRequestError as error:
            if not error.is_condition:
                raise
            raise StoreError(f"{self._named}: the lock is not ours anymore: it has changed meanwhile") from None

    def _info(self, text: str) -> LockInfo:
        held = read_lock_info(text.encode(errors="replace"))
        if held is None:
            raise StoreError(f"{self._named}: this is not a lock: it contains no lock information")
        return held

    def _text(self, key: str, attribute: str) -> str | None:
        answer = self._call(
            "GetItem",
            {"Key": {"LockID": {"S": key}}, "ProjectionExpression": f"LockID, {attribute}", "ConsistentRead": True},
        )
        item = answer.get("Item")
        if not isinstance(item, dict) or not item:
            return None
        value = item.get(attribute)
        text = value.get("S", "") if isinstance(value, dict) else ""
        return text if isinstance(text, str) else ""

    def _call(self, call: str, parameters: dict[str, Any], *, changes: bool = False) -> dict[str, Any]:
        """Send a request, and return the answer. Source: the low-level API of DynamoDB."""
        headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": f"DynamoDB_20120810.{call}"}
        body = json.dumps({"TableName": self.table, **parameters}, separators=(",", ":")).encode()
        answer = self.service.send(call, "POST", headers=headers, body=body, changes=changes)
        try:
            found = json.loads(answer.body or b"{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise StoreError(f"{self.service.subject}: the answer of {self.service.host} is not valid")
        return found

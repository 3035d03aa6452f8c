"""The items of a state in a DynamoDB table: its lock, and the digest of its content.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (dynamoDBLock, putMD5…).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from statefmt.model.errors import StoreError
from statefmt.store.lock_info import LockInfo, lock_json, read_lock_info
from statefmt.store.remote.client import LockHeldError
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._service import AwsService


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
        """Return who holds the lock, None if nobody does. Raises StoreError if the item is not a lock."""
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
            whose = f"it is of {held.Who} ({held.ID})" if held else "it contains no lock information"
            raise StoreError(f"{self._named}: the lock is not ours anymore: {whose}")
        self._delete(text)
        return True

    def remove(self, lock_id: str) -> None:
        """Delete the lock item if it has this ID, whoever holds it. Raises StoreError."""
        text = self._text(self.path, "Info")
        if text is not None and lock_id == self._info(text).ID:
            self._delete(text)

    def digest(self) -> str | None:
        """Return the MD5 of the state in hexadecimal, None if there is none. Raises StoreError."""
        return self._text(self.digest_key, "Digest") or None

    def write_digest(self, digest: str) -> None:
        """Write the digest. Raises StoreError. It is sent again if an answer is lost: the lock is ours."""
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
        """Return an attribute of an item, None if there is no item."""
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

"""The items of a state in a DynamoDB table: its lock, and the digest of its content.

Source: OpenTofu `internal/backend/remote-state/s3/client.go` (dynamoDBLock, putMD5…).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from statefmt.model.errors import StoreError
from statefmt.store.lock_info import LockInfo, lock_json, read_lock_info
from statefmt.store.remote.client import LockHeldError
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._requests import Requests

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class LockTable:
    """The items of one state, whose `path` is BUCKET/KEY."""

    table: str
    path: str
    client: DynamoDBClient
    requests: Requests

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
        try:
            self.requests.change(
                lambda: self.client.put_item(
                    TableName=self.table,
                    Item={"LockID": {"S": self.path}, "Info": {"S": lock_json(info).decode()}},
                    ConditionExpression="attribute_not_exists(LockID)",
                ),
                "PutItem",
            )
            return
        except RefusedRequestError as error:
            if not error.is_condition:
                raise
        text = self._text(self.path, "Info")
        held = None if text is None else read_lock_info(text.encode())
        if held is None or held.ID != info.ID:
            raise LockHeldError(held.ID if held else "", held)

    def release(self, info: LockInfo) -> None:
        """Delete the lock item if it is ours. Raises UnknownOutcomeError and StoreError."""
        text = self._text(self.path, "Info")
        if text is None:
            raise StoreError(f"{self._named}: the lock is gone: somebody else removed it")
        held = read_lock_info(text.encode())
        if held is None or held.ID != info.ID:
            whose = f"it is of {held.Who} ({held.ID})" if held else "it contains no lock information"
            raise StoreError(f"{self._named}: the lock is not ours anymore: {whose}")
        self._delete(text)

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
        item: Any = {"LockID": {"S": self.digest_key}, "Digest": {"S": digest}}
        self.requests.read(lambda: self.client.put_item(TableName=self.table, Item=item), "PutItem")

    def delete_digest(self) -> None:
        """Delete the digest, if there is one. Raises StoreError."""
        self.requests.read(
            lambda: self.client.delete_item(TableName=self.table, Key={"LockID": {"S": self.digest_key}}), "DeleteItem"
        )

    @property
    def _named(self) -> str:
        return f"the item {self.path!r} of the DynamoDB table {self.table!r}"

    def _delete(self, text: str) -> None:
        """Delete the lock item if it has exactly this text."""
        try:
            self.requests.change(
                lambda: self.client.delete_item(
                    TableName=self.table,
                    Key={"LockID": {"S": self.path}},
                    ConditionExpression="Info = :info",
                    ExpressionAttributeValues={":info": {"S": text}},
                ),
                "DeleteItem",
            )
        except RefusedRequestError as error:
            if not error.is_condition:
                raise
            raise StoreError(f"{self._named}: the lock is not ours anymore: it has changed meanwhile") from None

    def _info(self, text: str) -> LockInfo:
        held = read_lock_info(text.encode())
        if held is None:
            raise StoreError(f"{self._named}: this is not a lock: it contains no lock information")
        return held

    def _text(self, key: str, attribute: str) -> str | None:
        """Return an attribute of an item, None if there is no item."""
        answer = self.requests.read(
            lambda: self.client.get_item(
                TableName=self.table,
                Key={"LockID": {"S": key}},
                ProjectionExpression=f"LockID, {attribute}",
                ConsistentRead=True,
            ),
            "GetItem",
        )
        item = answer.get("Item")
        return None if not item else item.get(attribute, {}).get("S", "")

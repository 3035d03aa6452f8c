"""A root module whose state is in a bucket, and what its bucket and its table hold, as the recordings show it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.servers.s3 import ACCESS_KEY, REGION, SECRET_KEY, S3Server

KEY: Final = "prod/network.tfstate"
# As in the recordings.
_RECORDED_BUCKET: Final = "tf-states"
RESOURCES: Final = """
resource "terraform_data" "a" { input = "<&> é" }
resource "terraform_data" "b" {}
"""


@dataclass(frozen=True, slots=True)
class S3Folder:
    """A root module, with a bucket of its own; it locks with a file, with a table if there is one, or with both."""

    path: Path
    server: S3Server
    bucket: str
    lock_file: bool
    table: str

    def configure(self, resources: str) -> None:
        """Write the configuration, with the same backend as in the recordings."""
        endpoints = {"s3": self.server.url} | ({"dynamodb": self.server.url} if self.table else {})
        settings = {
            "bucket": self.bucket, "key": KEY, "region": REGION,
            # SeaweedFS has no keys here.
            "encrypt": self.server.has_dynamodb,
            **({"use_lockfile": True} if self.lock_file else {}),
            **({"dynamodb_table": self.table} if self.table else {}),
            "access_key": ACCESS_KEY, "secret_key": SECRET_KEY, "use_path_style": True,
            "skip_credentials_validation": True, "skip_requesting_account_id": True, "skip_metadata_api_check": True,
            "endpoints": endpoints,
        }  # fmt: skip
        block = "".join(f"    {name} = {_value(value)}\n" for name, value in settings.items())
        (self.path / "main.tf").write_text(f'terraform {{\n  backend "s3" {{\n{block}  }}\n}}\n{resources}')

    def state(self) -> dict[str, Any]:
        """The state in the bucket."""
        found: dict[str, Any] = json.loads(self.content(KEY))
        return found

    def content(self, key: str) -> bytes:
        """The content of an object."""
        return self.server.s3().get_object(Bucket=self.bucket, Key=key)["Body"].read()

    def names(self) -> list[str]:
        """The names of the resources."""
        return sorted(resource["name"] for resource in self.state()["resources"])

    def locks(self) -> list[dict[str, Any]]:
        """The lock information in the bucket and in the table."""
        listed = self.server.s3().list_objects_v2(Bucket=self.bucket).get("Contents", [])
        found = [self.content(one["Key"]).decode() for one in listed if one["Key"].endswith(".tflock")]
        return [json.loads(text) for text in found + [item["Info"]["S"] for item in self._items() if "Info" in item]]

    def held(self) -> dict[str, Any]:
        """All objects, versions and items, in the form of the recordings; its bucket is called as there."""
        client = self.server.s3()
        listed = client.list_objects_v2(Bucket=self.bucket).get("Contents", [])
        versions = client.list_object_versions(Bucket=self.bucket)
        found: dict[str, Any] = {
            "objects": [self._object(each["Key"]) for each in listed],
            "versions": _latest(versions.get("Versions", [])),
            "delete_markers": _latest(versions.get("DeleteMarkers", [])),
        }
        if self.table:
            found["dynamodb_items"] = self._items()
        renamed: dict[str, Any] = json.loads(json.dumps(found).replace(self.bucket, _RECORDED_BUCKET))
        return renamed

    def _items(self) -> list[dict[str, Any]]:
        """The items, sorted by their keys."""
        if not self.table:
            return []
        found: list[dict[str, Any]] = list(self.server.dynamodb().scan(TableName=self.table)["Items"])
        return sorted(found, key=lambda item: str(item["LockID"]["S"]))

    def _object(self, key: str) -> dict[str, Any]:
        head = self.server.s3().head_object(Bucket=self.bucket, Key=key, ChecksumMode="ENABLED")
        body = self.content(key)
        assert base64.b64decode(head["ChecksumSHA256"]) == hashlib.sha256(body).digest()
        return {
            "key": key,
            "etag": head["ETag"],
            "content_type": head["ContentType"],
            "sse": head.get("ServerSideEncryption"),
            "version_id": "VersionId" in head,
            "checksum_sha256": head.get("ChecksumSHA256"),
            "size": head["ContentLength"],
            "metadata": head["Metadata"],
            "body": body.decode(),
        }


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {json.dumps(each)}" for name, each in value.items()) + " }"
    return json.dumps(value)


def _latest(listed: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"key": each["Key"], "latest": each["IsLatest"]} for each in listed]

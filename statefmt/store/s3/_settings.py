"""The settings of an S3 backend, checked: which object holds the state, how it is locked, and which files are read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.store.backends.settings import BackendSetting, StatePlace
from statefmt.store.backends.types import object_key
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of
from statefmt.store.remote.hosts import is_of_folder
from statefmt.text import pattern

# Of retries and seconds: more makes no sense, and cannot be waited for.
_LARGEST_NUMBER: Final = 1_000_000
# The length of a key of 32 bytes in base64.
_CUSTOMER_KEY_LENGTH: Final = 44
# Old buckets have capitals and underscores too. Other characters could lead to another place.
_BUCKET: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")


@dataclass(frozen=True, slots=True)
class S3Settings:
    """Where a state is and how it is stored. `customer_key` are the 32 bytes of SSE-C; `tags` are None if not set."""

    bucket: str
    key: str
    base_key: str
    region: str
    workspace_prefix: str
    encrypt: bool
    kms_key: str
    customer_key: bytes | None = field(repr=False)
    acl: str
    state_tags: Mapping[str, str] | None
    lock_tags: Mapping[str, str] | None
    checksums: bool
    lock_file: bool
    table: str
    path_style: bool
    most_retries: int

    @property
    def path(self) -> str:
        """The state as lock information and DynamoDB name it."""
        return f"{self.bucket}/{self.key}"


@dataclass(frozen=True, slots=True)
class Given:
    """The settings of a backend by name, with where each comes from."""

    by_name: Mapping[str, BackendSetting] = field(repr=False)

    @classmethod
    def of(cls, place: StatePlace) -> Given:
        """Return the settings of a place."""
        return cls({setting.name: setting for setting in place.settings})

    def value(self, name: str) -> SettingValue:
        """Return a value, None if it is not set."""
        setting = self.by_name.get(name)
        return None if setting is None else setting.value

    def text(self, *names: str) -> str:
        """Return the first value that is set, "" if there is none."""
        for name in names:
            value = self.value(name)
            if value not in (None, ""):
                return str(value)
        return ""

    def truth(self, name: str) -> bool:
        """Return whether an argument is true."""
        return self.value(name) is True

    def number(self, name: str) -> int | None:
        """Return a whole number, None if it is not set. Raises StoreError."""
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, (int, float)) and 0 <= value <= _LARGEST_NUMBER and value == int(value):
            return int(value)
        raise StoreError(f"{self.where(name)}: {name} must be a whole number from 0 to {_LARGEST_NUMBER:,}")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; a single string is a list of one. Raises StoreError."""
        value = self.value(name)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(str(item) for item in value)
        raise StoreError(f"{self.where(name)}: {name} must be a list of strings")

    def mapping(self, name: str) -> Mapping[str, str] | None:
        """Return a map of strings, None if it is not set. Raises StoreError."""
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return {key: str(item) for key, item in value.items()}
        raise StoreError(f"{self.where(name)}: {name} must be a map of strings")

    def where(self, name: str) -> str:
        """Return the place of a setting, as a message names it."""
        setting = self.by_name.get(name)
        return (setting.place if setting else "") or "the backend 's3'"


def s3_settings(place: StatePlace) -> S3Settings:
    """Return the checked settings of a place. Raises StoreError with the argument and its place, never a secret.

    Source: OpenTofu `internal/backend/remote-state/s3/backend.go` (PrepareConfig, Configure).
    """
    given = Given.of(place)
    for name in ("bucket", "key"):
        if not given.text(name):
            raise StoreError(f"{given.where(name)}: {name} must not be empty")
    bucket = given.text("bucket")
    if bucket.startswith("arn:") or bucket.endswith("--x-s3"):
        what = "buckets named by an ARN" if bucket.startswith("arn:") else "directory buckets (S3 Express)"
        raise StoreError(f"{given.where('bucket')}: {what} are not supported")
    if _BUCKET.fullmatch(bucket) is None:
        raise StoreError(f"{given.where('bucket')}: {bucket!r} is not the name of a bucket")
    if any(part in (".", "..") for part in given.text("key").split("/")):
        # Servers, and proxies on the way to them, may take it for another object.
        raise StoreError(f"{given.where('key')}: key must not have parts that are . or ..")
    for name in ("key", "workspace_key_prefix"):
        if given.text(name) != given.text(name).strip("/"):
            raise StoreError(f"{given.where(name)}: {name} must not start or end with a slash")
    if not given.text("region"):
        raise StoreError("the backend 's3' needs a region: set `region`, AWS_REGION or AWS_DEFAULT_REGION")
    _check_conflicts(given)
    retries = given.number("max_retries")
    return S3Settings(
        bucket=bucket,
        key=object_key(place.values, place.workspace),
        base_key=given.text("key"),
        region=given.text("region"),
        workspace_prefix=given.text("workspace_key_prefix"),
        encrypt=given.truth("encrypt"),
        kms_key=given.text("kms_key_id"),
        customer_key=_customer_key(given),
        acl=given.text("acl"),
        state_tags=given.mapping("state_tags") or None,
        lock_tags=given.mapping("lock_tags") or None,
        checksums=not given.truth("skip_s3_checksum"),
        lock_file=given.truth("use_lockfile"),
        table=given.text("dynamodb_table"),
        path_style=given.truth("use_path_style") or given.truth("force_path_style"),
        most_retries=5 if retries is None else retries,
    )


def _check_conflicts(given: Given) -> None:
    for one, other in (
        ("kms_key_id", "sse_customer_key"),
        ("shared_credentials_file", "shared_credentials_files"),
        ("allowed_account_ids", "forbidden_account_ids"),
        ("endpoints.s3", "endpoint"),
        ("endpoints.dynamodb", "dynamodb_endpoint"),
        ("endpoints.sts", "sts_endpoint"),
        ("endpoints.iam", "iam_endpoint"),
        ("assume_role.role_arn", "role_arn"),
    ):
        pair = [given.by_name.get(one), given.by_name.get(other)]
        # A variable gives way to any argument, by whichever name; but a key of encryption is never guessed.
        written = [setting for setting in pair if setting and (setting.source != "environment" or one == "kms_key_id")]
        if len([setting for setting in written if setting.value not in (None, "", [], {})]) > 1:
            raise StoreError(f"{given.where(one)}: {one} and {other} cannot be set both")
    mode = given.text("retry_mode")
    if mode not in ("", "standard", "adaptive"):
        raise StoreError(f"{given.where('retry_mode')}: retry_mode must be 'standard' or 'adaptive'")


def _customer_key(given: Given) -> bytes | None:
    text = given.text("sse_customer_key")
    if not text:
        return None
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(text) != _CUSTOMER_KEY_LENGTH or len(key) != 32:
        # Without the value, which is a secret.
        raise StoreError(f"{given.where('sse_customer_key')}: sse_customer_key must be 32 bytes in base64") from None
    return key


# In bytes; people have hundreds of profiles.
LARGEST: Final = 16 << 20
_ARGUMENTS: Final = ("shared_config_files", "shared_credentials_files", "shared_credentials_file")


class AwsFiles(NamedTuple):
    """The paths of both files. `named_by` is the setting by which the files of a folder name one, None if none does."""

    config: str
    credentials: str
    named_by: BackendSetting | None


def aws_files(given: Given, environment: Mapping[str, str]) -> AwsFiles:
    """Return the files that are read. Raises StoreError if there are several of a kind."""
    home = environment.get("HOME") or str(Path.home())
    config = _one_file(given, "shared_config_files") or environment.get("AWS_CONFIG_FILE", "")
    credentials = _one_file(given, "shared_credentials_files") or given.text("shared_credentials_file")
    credentials = credentials or environment.get("AWS_SHARED_CREDENTIALS_FILE", "")
    settings = (given.by_name.get(name) for name in _ARGUMENTS)
    return AwsFiles(
        _in_home(config or "~/.aws/config", home),
        _in_home(credentials or "~/.aws/credentials", home),
        next((setting for setting in settings if is_of_folder(setting)), None),
    )


def check_files(files: AwsFiles) -> None:
    """Make sure that the SDK can read the files to their end if a folder names one. Raises StoreError."""
    if files.named_by is None:
        return
    for name in (files.config, files.credentials):
        try:
            read_bounded(name, LARGEST)
        except FileNotFoundError:
            # The SDK says so, or goes on without it.
            continue
        except OSError as error:
            raise StoreError(f"{files.named_by.place}: {name}: {reason_of(error)}") from None


def _one_file(given: Given, name: str) -> str:
    files = given.texts(name)
    if len(files) > 1:
        raise StoreError(f"{given.where(name)}: several files in {name} are not supported: name one")
    return files[0] if files else ""


def _in_home(name: str, home: str) -> str:
    """Return a path with the home directory of the environment in the place of `~`."""
    return f"{home}{name[1:]}" if name == "~" or name.startswith("~/") else name

"""Checks the settings of an S3 backend: the object of the state, its locks, and the files to read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.store.backends.settings import BackendSetting, StatePlace
from statefmt.store.backends.types import object_key
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of
from statefmt.store.remote.client import Connection
from statefmt.store.remote.hosts import approach, is_of_folder, server_of
from statefmt.text import pattern

# Of retries and seconds; more is useless.
_LARGEST_NUMBER: Final = 1_000_000
# The length of a key of 32 bytes in base64.
_CUSTOMER_KEY_LENGTH: Final = 44
# Old buckets may have capitals and underscores. Other characters could lead to another place.
_BUCKET: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")


@dataclass(frozen=True, slots=True)
class S3Settings:
    """The location of a state and its storage. `customer_key` are the 32 bytes of SSE-C; `tags` are None if not set."""

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
        """The name of the state in lock information and DynamoDB."""
        return f"{self.bucket}/{self.key}"


@dataclass(frozen=True, slots=True)
class Given:
    """The settings of a backend by name, with their origins."""

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
        """Return the first value that is set; "" without any."""
        for name in names:
            value = self.value(name)
            if value not in (None, ""):
                return str(value)
        return ""

    def truth(self, name: str) -> bool:
        """Return the value of a boolean argument."""
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
        """Return the place of a setting for messages."""
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
        # Servers and proxies may resolve it to another object.
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
        # Any argument takes precedence over a variable, by either name; but an encryption key is never guessed.
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


# In bytes; users have hundreds of profiles.
LARGEST: Final = 16 << 20
_ARGUMENTS: Final = ("shared_config_files", "shared_credentials_files", "shared_credentials_file")


class AwsFiles(NamedTuple):
    """The paths of both files. `named_by` is the setting of the folder that names one, None without any."""

    config: str
    credentials: str
    named_by: BackendSetting | None


def aws_files(given: Given, environment: Mapping[str, str]) -> AwsFiles:
    """Return the paths of the files. Raises StoreError if there are several of a kind."""
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
    """Check that the SDK can read the files to their end if a folder names one. Raises StoreError."""
    if files.named_by is None:
        return
    for name in (files.config, files.credentials):
        try:
            read_bounded(name, LARGEST)
        except FileNotFoundError:
            # The SDK reports it, or continues without the file.
            continue
        except OSError as error:
            raise StoreError(f"{files.named_by.place}: {name}: {reason_of(error)}") from None


def _one_file(given: Given, name: str) -> str:
    files = given.texts(name)
    if len(files) > 1:
        raise StoreError(f"{given.where(name)}: several files in {name} are not supported: name one")
    return files[0] if files else ""


def _in_home(name: str, home: str) -> str:
    """Replace `~` in a path with the home directory of the environment."""
    return f"{home}{name[1:]}" if name == "~" or name.startswith("~/") else name


# The arguments that set the endpoint of a service, the newer name first.
_ENDPOINT_ARGUMENTS: Final = {
    "s3": ("endpoints.s3", "endpoint"),
    "dynamodb": ("endpoints.dynamodb", "dynamodb_endpoint"),
    "sts": ("endpoints.sts", "sts_endpoint"),
    "sso": ("endpoints.sso",),
}
# The domain of each partition, and of its IPv6 endpoints. Source: the partitions of the AWS SDKs.
_PARTITIONS: Final = (
    ("cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
    ("us-isob-", "sc2s.sgov.gov", "api.aws.scloud"),
    ("us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
    ("us-iso-", "c2s.ic.gov", "api.aws.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
    ("eusc-", "amazonaws.eu", "api.amazonwebservices.eu"),
    ("", "amazonaws.com", "api.aws"),
)
_REGION: Final = pattern(r"[a-z]{2,}(?:-[a-z]+)+-[0-9]+")
# A bucket whose name can be part of a host name.
_HOST_PART: Final = pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The URL of a service, without a final slash; and the argument that sets it, or ""."""

    url: str
    argument: str = ""


def aws_endpoint(given: Given, service: str, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of AWS for a service. Raises StoreError if the region is not valid."""
    region = given.text("region")
    if _REGION.fullmatch(region) is None:
        # It becomes part of a host name.
        raise StoreError(
            f"{given.where('region')}: {region!r} is not a region of AWS; set an endpoint for other services"
        )
    domain, newer = next((domain, newer) for start, domain, newer in _PARTITIONS if region.startswith(start))
    name = f"{service}-fips" if _is_on(given, environment, "fips") else service
    if not _is_on(given, environment, "dualstack"):
        return Endpoint(f"https://{name}.{region}.{domain}")
    if service == "s3":
        return Endpoint(f"https://{name}.dualstack.{region}.{domain}")
    return Endpoint(f"https://{name}.{region}.{newer}")


def is_of_aws(host: str) -> bool:
    """Return whether a host belongs to AWS, whose services behave as documented."""
    return any(host.endswith((f".{domain}", f".{newer}")) for _, domain, newer in _PARTITIONS)


def custom_endpoint(given: Given, service: str, environment: Mapping[str, str]) -> Endpoint | None:
    """Return the configured endpoint of a service, None for the AWS endpoint. Raises StoreError.

    Arguments take precedence over variables, by either name. Source: OpenTofu `backend.go` (customEndpoints).
    """
    names = [name for name in _ENDPOINT_ARGUMENTS.get(service, ()) if given.text(name)]
    names.sort(key=lambda name: given.by_name[name].source == "environment")
    if names:
        return _valid(given.text(names[0]), given.where(names[0]), names[0])
    url = environment.get("AWS_ENDPOINT_URL", "")
    return _valid(url, "AWS_ENDPOINT_URL", "") if url else None


def bucket_url(endpoint: Endpoint, bucket: str, *, path_style: bool) -> str:
    """Return the URL of a bucket: with its name in the host or, if impossible, in the path."""
    parts = urlsplit(endpoint.url)
    fits = _HOST_PART.fullmatch(bucket) is not None or (
        parts.scheme == "http" and all(_HOST_PART.fullmatch(part) for part in bucket.split("."))
    )
    if path_style or not fits or _is_address(parts.hostname or ""):
        return f"{endpoint.url}/{bucket}"
    return f"{parts.scheme}://{bucket}.{parts.netloc}{parts.path}"


def _valid(url: str, where: str, argument: str) -> Endpoint:
    complete = (url if "://" in url else f"https://{url}").rstrip("/")
    server_of(complete, where)
    return Endpoint(complete, argument)


def _is_on(given: Given, environment: Mapping[str, str], name: str) -> bool:
    variable = environment.get(f"AWS_USE_{name.upper()}_ENDPOINT", "")
    return given.truth(f"use_{name}_endpoint") or variable.lower() == "true"


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


_METADATA: Final = "ec2_metadata_service_endpoint"


def approach_service(connection: Connection, given: Given, url: str, argument: str, *, resolves: bool = False) -> None:
    """Announce the host of a URL, set by `argument` if not "". Raises StoreError like `approach`.

    A proxy that only the folder names counts as a host: with `insecure` or certificates of the folder, it can read
    everything.
    """
    setting = given.by_name.get(argument)
    named_by = setting.place if setting is not None and is_of_folder(setting) else ""
    credentials = _of_user(given)
    approach(connection, urlsplit(url).netloc, named_by=named_by, credentials=credentials, resolves=resolves)
    for name in ("http_proxy", "https_proxy"):
        proxy = given.by_name.get(name)
        if proxy is not None and proxy.value and is_of_folder(proxy):
            where = str(proxy.value)
            host = urlsplit(where if "://" in where else f"http://{where}").netloc.rpartition("@")[2]
            approach(connection, host, named_by=proxy.place, credentials=credentials)


def refuse_endpoint_of_folder(given: Given) -> None:
    """Raise StoreError if only the folder names the metadata service, which provides the credentials of the machine."""
    setting = given.by_name.get(_METADATA)
    if setting is not None and setting.value and is_of_folder(setting):
        raise StoreError(
            f"{setting.place}: {_METADATA} names the service that gives the credentials of this machine, and only this "
            "file names it; nothing was sent. Set AWS_EC2_METADATA_SERVICE_ENDPOINT, or remove the argument"
        )


def _of_user(given: Given) -> str:
    """Return a name for the user's credentials in use; "" if the folder has its own."""
    own = [given.by_name.get(name) for name in ("access_key", "secret_key")]
    names = []
    if not all(setting is not None and setting.value and setting.source != "environment" for setting in own):
        names.append("your AWS credentials")
    customer_key = given.by_name.get("sse_customer_key")
    if customer_key is not None and customer_key.source == "environment":
        names.append("AWS_SSE_CUSTOMER_KEY")
    return " and ".join(names)

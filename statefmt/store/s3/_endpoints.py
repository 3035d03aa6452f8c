"""The endpoints of AWS services: those that settings or variables name, and whether they may be contacted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import Connection
from statefmt.store.remote.hosts import approach, is_of_folder, server_of
from statefmt.store.s3._settings import Given
from statefmt.text import pattern

# The arguments that set the endpoint of a service, the newer one first.
_ARGUMENTS: Final = {
    "s3": ("endpoints.s3", "endpoint"),
    "dynamodb": ("endpoints.dynamodb", "dynamodb_endpoint"),
    "sts": ("endpoints.sts", "sts_endpoint"),
    "sso": ("endpoints.sso",),
}
# The domain of each partition, and that of its endpoints with IPv6. Source: the partitions of the AWS SDKs.
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
# A bucket whose name can be a part of the name of a host.
_HOST_PART: Final = pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The URL of a service, without a slash at its end; and the argument that sets it, "" if none does."""

    url: str
    argument: str = ""


def aws_endpoint(given: Given, service: str, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of AWS for a service. Raises StoreError if the region is not valid."""
    region = given.text("region")
    if _REGION.fullmatch(region) is None:
        # It becomes a part of a host name.
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
    """Return whether a host is one of AWS, whose services keep what they document."""
    return any(host.endswith((f".{domain}", f".{newer}")) for _, domain, newer in _PARTITIONS)


def custom_endpoint(given: Given, service: str, environment: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint of a service that something sets, None for that of AWS. Raises StoreError.

    Arguments win over variables, by whichever name. Source: OpenTofu `backend.go` (customEndpoints).
    """
    names = [name for name in _ARGUMENTS.get(service, ()) if given.text(name)]
    names.sort(key=lambda name: given.by_name[name].source == "environment")
    if names:
        return _valid(given.text(names[0]), given.where(names[0]), names[0])
    url = environment.get("AWS_ENDPOINT_URL", "")
    return _valid(url, "AWS_ENDPOINT_URL", "") if url else None


def bucket_url(endpoint: Endpoint, bucket: str, *, path_style: bool) -> str:
    """Return the URL of a bucket: with its name in the host, or in the path where that cannot be."""
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
    """Name the host of a URL, which the `argument` sets, "" if none does. Raises StoreError as `approach`.

    A proxy that only the folder names counts as a host: with `insecure` or certificates of the folder, it sees all.
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
    """Raise StoreError if only the folder names the metadata service, which gives the credentials of the machine."""
    setting = given.by_name.get(_METADATA)
    if setting is not None and setting.value and is_of_folder(setting):
        raise StoreError(
            f"{setting.place}: {_METADATA} names the service that gives the credentials of this machine, and only this "
            "file names it; nothing was sent. Set AWS_EC2_METADATA_SERVICE_ENDPOINT, or remove the argument"
        )


def _of_user(given: Given) -> str:
    """Return which of the user's credentials are used, as a question names them; "" if the folder has its own."""
    own = [given.by_name.get(name) for name in ("access_key", "secret_key")]
    names = []
    if not all(setting is not None and setting.value and setting.source != "environment" for setting in own):
        names.append("your AWS credentials")
    customer_key = given.by_name.get("sse_customer_key")
    if customer_key is not None and customer_key.source == "environment":
        names.append("AWS_SSE_CUSTOMER_KEY")
    return " and ".join(names)

"""The endpoints of services: those that the settings or variables name, and those of AWS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.remote.urls import server_of
from statefmt.store.s3._settings import Given
from statefmt.text.pattern import pattern

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

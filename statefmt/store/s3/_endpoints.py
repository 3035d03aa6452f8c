"""The endpoints of the services, the way to them, and who named them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from statefmt.store.s3._settings import Given

# The arguments that set the endpoint of a service, the newer one first.
_ARGUMENTS: Final = {
    "s3": ("endpoints.s3", "endpoint"),
    "dynamodb": ("endpoints.dynamodb", "dynamodb_endpoint"),
    "sts": ("endpoints.sts", "sts_endpoint"),
    "sso": ("endpoints.sso",),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A URL, and the argument that sets it; "" if a variable of all services does."""

    url: str
    argument: str

    @property
    def host(self) -> str:
        """The host, with the port if there is one."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def custom_endpoint(given: Given, service: str, environment: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint of a service that something sets, None for that of AWS.

    Arguments win over variables, by whichever name. Source: OpenTofu `backend.go` (customEndpoints).
    """
    names = [name for name in _ARGUMENTS.get(service, ()) if given.text(name)]
    names.sort(key=lambda name: given.by_name[name].source == "environment")
    if names:
        return Endpoint(_with_scheme(given.text(names[0])), names[0])
    url = environment.get("AWS_ENDPOINT_URL", "")
    return Endpoint(_with_scheme(url), "") if url else None


def _with_scheme(url: str) -> str:
    return url if "://" in url else f"https://{url}"

"""The proxies on the way to a service, from the configuration or the environment."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network

from statefmt.store.s3._settings import Given


def proxies_for(given: Given, host: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the proxies for requests to a host, by the scheme of the request; {} for none.

    Arguments win over variables, each for itself. Source: Go's `golang.org/x/net/http/httpproxy`.
    """
    unless = given.text("no_proxy") or _variable(environment, "no_proxy")
    if _is_excluded(host, unless):
        return {}
    found = {
        scheme: given.text(f"{scheme}_proxy") or _variable(environment, f"{scheme}_proxy")
        for scheme in ("http", "https")
    }
    return {scheme: url for scheme, url in found.items() if url}


def _is_excluded(host: str, unless: str) -> bool:
    """Return whether no proxy is used for a host, which may have a port. This machine never has one."""
    name, _, port = host.lower().rpartition(":")
    if not name or not port.isdigit():
        name = host.lower()
    name = name.strip("[]")
    if name == "localhost" or _is_loopback(name):
        return True
    for part in filter(None, (part.strip().lower() for part in unless.split(","))):
        if part == "*" or part in (name, host.lower()) or _is_in_network(name, part):
            return True
        # `.example.com` is for the names below it, `example.com` for itself too.
        if name.endswith(part if part.startswith(".") else f".{part}"):
            return True
    return False


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _is_in_network(name: str, network: str) -> bool:
    try:
        return ip_address(name) in ip_network(network, strict=False)
    except ValueError:
        return False


def _variable(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name.upper()) or environment.get(name) or ""

"""Finds the proxy for a request in the environment, as Go does. Source: Go `golang.org/x/net/http/httpproxy`."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.remote.urls import USUAL_PORTS

_VARIABLES: Final = {"http": ("HTTP_PROXY", "http_proxy"), "https": ("HTTPS_PROXY", "https_proxy")}
_EXCEPTIONS: Final = ("NO_PROXY", "no_proxy")


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Return the URL of the proxy for a request to a URL, perhaps with credentials; None if there is none.

    Requests to this machine never use one. Raises StoreError, without credentials, for a kind of proxy that is not
    supported.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    variable = next((name for name in _VARIABLES[parts.scheme] if environment.get(name)), None)
    # A web server sets HTTP_PROXY to what the client sent as its header Proxy.
    if variable is None or (variable == "HTTP_PROXY" and environment.get("REQUEST_METHOD")):
        return None
    if _is_local(host) or _is_excepted(host, parts.port or USUAL_PORTS[parts.scheme], environment):
        return None
    proxy = environment[variable]
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        found = urlsplit(proxy)
        valid = bool(found.hostname) and (found.port or 0) >= 0
    except ValueError:
        valid = False
    if not valid or found.scheme not in ("http", "https"):
        raise StoreError(f"{variable}: this is not the URL of an HTTP proxy, the only kind that is supported")
    return proxy


def _is_local(host: str) -> bool:
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _is_excepted(host: str, port: int, environment: Mapping[str, str]) -> bool:
    excepted = next((environment[name] for name in _EXCEPTIONS if environment.get(name)), "")
    if not excepted:
        return False
    # Imported late: most environments have no proxy.
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # typeshed lacks it

    names = [name.strip() for name in excepted.split(",")]
    if "*" in names or proxy_bypass_environment(f"{host}:{port}", {"no": excepted.replace("*.", ".")}):
        return True
    address = _address(host)
    return address is not None and any(address in network for network in map(_network, names) if network is not None)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None

"""URLs of servers: the only ones that are used are valid, and have no credentials in them."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.backends.shown import without_credentials

# The port of each scheme unless a URL has another.
USUAL_PORTS: Final = {"http": 80, "https": 443}


class Server(NamedTuple):
    """Where a URL leads."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """The host as users name it, with the port unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL_PORTS[self.scheme] else f"{host}:{self.port}"


def server_of(url: str, what: str, way_out: str = "") -> Server:
    """Return the server of an HTTP URL.

    Raises StoreError, which calls the URL `what`, if it is not valid or names a user or a password, with the `way_out`.
    """
    shown = without_credentials(url)
    # urllib would drop some of these characters.
    if not url.isprintable() or " " in url or "\\" in url:
        raise StoreError(f"{what}: a URL cannot contain spaces, backslashes and control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise StoreError(f"{what}: {shown} is not a valid URL") from None
    if parts.scheme not in USUAL_PORTS or not parts.hostname:
        raise StoreError(f"{what}: {shown} is not a URL that begins with http:// or https://")
    if "@" in parts.netloc:
        raise StoreError(f"{what}: {shown} has a user or a password in it, which others could see{way_out}")
    return Server(parts.scheme, parts.hostname, USUAL_PORTS[parts.scheme] if port is None else port)

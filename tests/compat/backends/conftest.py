"""The servers that states are on."""

from tests.backends.conftest import http_server, kind, moto_server, pg_server, weed_server

__all__ = ["http_server", "kind", "moto_server", "pg_server", "weed_server"]

"""The servers that states are on."""

from tests.backends.conftest import http_server, moto_server, new_spot, pg_server, weed_server

__all__ = ["http_server", "moto_server", "new_spot", "pg_server", "weed_server"]

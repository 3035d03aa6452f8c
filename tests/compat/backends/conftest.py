"""The servers that states are on."""

from tests.backends.conftest import http_server, new_spot

__all__ = ["http_server", "new_spot"]

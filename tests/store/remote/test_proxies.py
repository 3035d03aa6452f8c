"""The proxy of a request, by the rules and examples of Go's `httpproxy`."""

from __future__ import annotations

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import Retries, is_passing
from statefmt.store.remote.hosts import proxy_for
from tests.tables import each_row

PROXY = "http://proxy.example:3128"


@each_row(
    ("url", "environment", "expected"),
    [
        ("http://a.example/", {}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY}, PROXY),
        ("http://a.example/", {"http_proxy": PROXY}, PROXY),
        ("http://a.example/", {"HTTP_PROXY": "", "http_proxy": PROXY}, PROXY),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "http_proxy": "http://other"}, PROXY),
        ("http://a.example/", {"HTTPS_PROXY": PROXY}, None),
        ("https://a.example/", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://a.example/", {"https_proxy": "proxy.example:3128"}, PROXY),
        ("https://a.example/", {"HTTP_PROXY": PROXY}, None),
        # In a CGI script, a client could set it.
        ("http://a.example/", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, None),
        ("http://localhost/", {"HTTP_PROXY": PROXY}, None),
        ("http://127.0.0.9:80/", {"HTTP_PROXY": PROXY}, None),
        ("http://[::1]/", {"HTTP_PROXY": PROXY}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "NO_PROXY": "*"}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "NO_PROXY": "b.example, a.example"}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "no_proxy": "example"}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "no_proxy": "*.example"}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "no_proxy": "xample"}, PROXY),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "no_proxy": "a.example:80"}, None),
        ("http://a.example/", {"HTTP_PROXY": PROXY, "no_proxy": "a.example:81"}, PROXY),
        ("http://10.1.2.3/", {"HTTP_PROXY": PROXY, "no_proxy": "10.1.0.0/16"}, None),
        ("http://10.2.2.3/", {"HTTP_PROXY": PROXY, "no_proxy": "10.1.0.0/16"}, PROXY),
        ("http://10.1.2.3/", {"HTTP_PROXY": PROXY, "no_proxy": "10.1.2.3"}, None),
    ],
)
def test_proxies(url: str, environment: dict[str, str], expected: str | None) -> None:
    assert proxy_for(url, environment) == expected


@pytest.mark.parametrize("proxy", ["socks5://me:hunter2@proxy.example", "http://", "http://me:hunter2@p:x", "ftp://x"])
def test_proxies_that_are_not_supported(proxy: str) -> None:
    with pytest.raises(StoreError, match="HTTP_PROXY: ") as raised:
        proxy_for("http://a.example/", {"HTTP_PROXY": proxy})
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("attempt", "shortest", "longest"), [(0, 0.5, 1.0), (1, 1.0, 2.0), (2, 2.0, 4.0), (5, 15.0, 30.0), (9, 15.0, 30.0)]
)
def test_waits_double_up_to_the_longest(attempt: int, shortest: float, longest: float) -> None:
    retries = Retries(most=10)
    assert (retries.wait(attempt, 0.0), retries.wait(attempt, 1.0)) == (shortest, longest)


def test_waits_that_a_server_asks_for() -> None:
    retries = Retries(most=2)
    assert retries.wait(0, 0.0, asked=120.0) == 120.0
    assert retries.wait(0, 0.0, asked=301.0) is None
    assert retries.wait(2, 0.0) is None


@pytest.mark.parametrize(("status", "passes"), [(200, False), (404, False), (429, True), (500, True), (501, False)])
def test_what_passes(status: int, passes: bool) -> None:
    assert is_passing(status) is passes

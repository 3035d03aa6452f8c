"""Certificates, proxies, redirects, limits, and what is told about requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.transport import SMALL_ANSWER
from tests.servers.certificates import Authority
from tests.servers.http import Fault, StateServer, state_server
from tests.store.http.conftest import MINE, MakeClient

STATE: Final = b'{"serial": 1}\n'
SECRET: Final = "hunter2"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def secure(authority: Authority, tmp_path: Path) -> Iterator[StateServer]:
    with state_server(authority.server(tmp_path)) as running:
        running.state = STATE
        yield running


@pytest.fixture
def other() -> Iterator[StateServer]:
    with state_server() as running:
        running.state = STATE
        yield running


def _all_at(url: str) -> dict[str, str]:
    return {"address": url, "lock_address": url, "unlock_address": url}


def test_a_certificate_of_an_unknown_authority(secure: StateServer, client: MakeClient) -> None:
    with pytest.raises(StoreError, match=r"cannot be verified \(unable to get local issuer certificate\)") as raised:
        client(**_all_at(secure.url)).read()
    assert "--no-verify trusts every server" in raised.value.on_command_line
    assert secure.requests == []


def test_the_authority_of_the_backend(authority: Authority, secure: StateServer, client: MakeClient) -> None:
    one = client(**_all_at(secure.url), client_ca_certificate_pem=authority.pem)
    one.lock(MINE)
    assert one.read() is not None


def test_the_authority_of_the_environment(
    authority: Authority, secure: StateServer, client: MakeClient, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text(authority.pem)
    environment = {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}
    assert client(environment=environment, **_all_at(secure.url)).read() is not None
    for broken in ("missing.pem", "server.pem/x"):
        with pytest.raises(StoreError, match="SSL_CERT_FILE: "):
            client(environment={"SSL_CERT_FILE": str(tmp_path / broken)}, **_all_at(secure.url)).read()


@pytest.mark.parametrize("by", ["run", "backend"])
def test_without_verification(by: str, secure: StateServer, client: MakeClient, notes: list[str]) -> None:
    one = (
        client(**_all_at(secure.url), options={"verify": False})
        if by == "run"
        else client(**_all_at(secure.url), skip_cert_verification=True)
    )
    one.read()
    one.read()
    host = secure.url.split("/")[2]
    (note,) = [note for note in notes if "not verified" in note]
    assert note == (
        f"the certificate of {host} is not verified: whoever is in between can read the credentials and the state, and "
        "change them"
    )


def test_a_client_certificate(authority: Authority, client: MakeClient, tmp_path: Path) -> None:
    issued = authority.issued("client")
    with state_server(authority.server(tmp_path, wants_certificate=True)) as server:
        server.state = STATE
        settings = {**_all_at(server.url), "client_ca_certificate_pem": authority.pem}
        keys = {"client_certificate_pem": issued.certificate, "client_private_key_pem": issued.key}
        assert client(**settings, **keys).read() is not None
        with pytest.raises(StoreError):
            client(**settings, retry_max=0).read()
        other = authority.issued("other")
        with pytest.raises(StoreError, match="not valid PEM, or no pair") as raised:
            client(**settings, **{**keys, "client_private_key_pem": other.key}).read()
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy"])
def test_a_proxy(variable: str, other: StateServer, client: MakeClient) -> None:
    """The other server answers for a host that does not exist."""
    proxy = other.url.replace("http://", f"http://me:{SECRET}@").removesuffix("/state/demo")
    one = client(environment={variable: proxy}, **_all_at("http://state.invalid/x"))
    assert one.read() is not None
    assert other.requests[0].path == "http://state.invalid/x"
    # me:hunter2
    assert other.requests[0].headers["proxy-authorization"] == "Basic bWU6aHVudGVyMg=="


def test_a_proxy_that_fails(other: StateServer, client: MakeClient) -> None:
    """It does not know CONNECT."""
    proxy = other.url.replace("http://", f"http://me:{SECRET}@")
    with pytest.raises(StoreError) as raised:
        client(environment={"HTTPS_PROXY": proxy}, **_all_at("https://state.invalid/x")).lock(MINE)
    assert not isinstance(raised.value, UnknownOutcomeError)
    assert str(raised.value) == "https://state.invalid/x: the proxy: it answered with status 405"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("", "/"),
        ("/", "/"),
        ("?a=b", "/?a=b"),
        ("/a/../b//c/./d", "/a/../b//c/./d"),
        ("/a%2Fb%20c;d,e@f:g", "/a%2Fb%20c;d,e@f:g"),
        ("/x?y=%2F&z#part", "/x?y=%2F&z"),
        ("/é", "/%C3%A9"),
    ],
)
def test_paths_stay_as_they_are(written: str, sent: str, server: StateServer, client: MakeClient) -> None:
    client(address=server.url.removesuffix("/state/demo") + written).read()
    assert server.requests[0].path == sent


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_read_is_redirected(status: int, server: StateServer, other: StateServer, client: MakeClient) -> None:
    server.state = STATE
    for target in (f"{server.url}/new", other.url):
        server.faults = [("GET", Fault(status, {"Location": target}))]
        assert client(username="me", password=SECRET, headers={"X-Token": SECRET}).read() is not None
    same, elsewhere = server.requests[1], other.requests[0]
    assert same.path == "/state/demo/new"
    assert {"authorization", "x-token"} <= same.headers.keys()
    assert not {"authorization", "x-token"} & elsewhere.headers.keys()


def test_a_redirect_elsewhere_has_no_client_certificate(
    authority: Authority, client: MakeClient, tmp_path: Path
) -> None:
    context = authority.server(tmp_path, wants_certificate=True)
    issued = authority.issued("me")
    keys = {"client_certificate_pem": issued.certificate, "client_private_key_pem": issued.key}
    with state_server(context) as first, state_server(context) as second:
        first.state = second.state = STATE
        one = client(**_all_at(first.url), **keys, client_ca_certificate_pem=authority.pem, retry_max="0")
        assert one.read() is not None
        first.faults = [("GET", Fault(302, {"Location": second.url}))]
        with pytest.raises(StoreError):
            one.read()
        assert second.requests == []


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest", "http://[fd00:ec2::254]/", "http://2852039166/"])
def test_no_server_redirects_to_a_metadata_service(target: str, server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(302, {"Location": target}))]
    with pytest.raises(StoreError, match=r"/state/demo: the server redirects: .* is a link-local address"):
        client().read()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_write_is_not_redirected_to_another_host(
    status: int, server: StateServer, other: StateServer, client: MakeClient
) -> None:
    server.faults = [("POST", Fault(status, {"Location": f"{other.url}?token={SECRET}"}))]
    with pytest.raises(StoreError, match="the server redirects POST to ") as raised:
        client(username="me", password=SECRET).write(STATE, None, None)
    assert other.requests == []
    assert SECRET not in str(raised.value)


def test_a_write_is_redirected_on_the_same_host(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(307, {"Location": "/new"}))]
    client().write(STATE, None, None)
    assert [(request.method, request.path) for request in server.requests[1:-1]] == [
        ("POST", "/state/demo"),
        ("POST", "/new"),
    ]
    assert server.state == STATE
    # A browser would go on with GET.
    server.faults = [("LOCK", Fault(302, {"Location": "/new"}))]
    with pytest.raises(StoreError, match="the server redirects LOCK to "):
        client().lock(MINE)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://me:hunter2@127.0.0.1/x", "//[", "http://a b/"])
def test_a_redirect_that_is_not_followed(target: str, server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(302, {"Location": target}))]
    with pytest.raises(StoreError) as raised:
        client().read()
    assert SECRET not in str(raised.value)


def test_redirects_without_an_end(server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(302, {"Location": "/x"}))] * 50
    with pytest.raises(StoreError, match="the server redirects without an end"):
        client().read()
    assert len(server.requests) == 10


def test_from_https_to_http(authority: Authority, secure: StateServer, other: StateServer, client: MakeClient) -> None:
    secure.faults = [("GET", Fault(302, {"Location": other.url}))]
    with pytest.raises(StoreError, match="which is not encrypted"):
        client(**_all_at(secure.url), client_ca_certificate_pem=authority.pem).read()
    assert other.requests == []


def test_an_answer_that_is_too_large(server: StateServer, client: MakeClient) -> None:
    for headers in ({}, {"Content-Length": str(1 << 50)}):
        server.faults = [("LOCK", Fault(200, headers, body=b" " * (SMALL_ANSWER + 1)))]
        with pytest.raises(StoreError, match="the answer is larger than 1,048,576 bytes, the limit"):
            client().lock(MINE)


def test_no_secret_is_told(server: StateServer, client: MakeClient, notes: list[str]) -> None:
    url = f"{server.url}?token={SECRET}"
    one = client(**_all_at(url), username="me", password=SECRET, headers={"X-Token": SECRET})
    server.faults = [("GET", Fault(lost=True)), ("POST", Fault(500, body=SECRET.encode()))] * 9
    with pytest.raises(StoreError) as raised:
        one.write(SECRET.encode(), None, None)
    told = [*notes, str(raised.value), repr(raised.value), repr(raised.value.__cause__)]
    assert not any(SECRET in text for text in told)
    assert raised.value.__suppress_context__
    assert notes[0] == f"connecting to {server.url.split('/')[2]} …"
    assert notes[1].startswith(f"GET {server.url}?token=…: the connection was lost before the end of the answer; ")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"address": "https://me:hunter2@state.example/x"}, "has a user or a password in it"),
        ({"lock_address": "https://hunter2@state.example/x"}, "has a user or a password in it"),
        ({"unlock_address": "https://me:hun/ter2@state.example/x"}, "is not a valid URL"),
        ({"address": "ftp://state.example/x"}, "is not a URL that begins with http:// or https://"),
        ({"address": "state.example"}, "is not a URL that begins with http:// or https://"),
        ({"address": "https://state.example/\r\nX: y"}, "cannot contain"),
        ({"address": "https://state.example:99999/"}, "is not a valid URL"),
        ({"lock_method": "LOCK /x HTTP/1.1\r\nX: y"}, "lock_method is not a method"),
        ({"headers": {"X-A": "hunter2\r\nX: y"}}, "the value of X-A must be"),
        ({"headers": {"X A": "hunter2"}}, "names may have"),
        ({"headers": {"Content-MD5": "hunter2"}}, "cannot be set"),
        ({"headers": {"authorization": "hunter2"}, "username": "me"}, "cannot be set together with username"),
        ({"headers": "hunter2"}, "must be a map"),
        ({"client_certificate_pem": "hunter2"}, "client_certificate_pem is set, but client_private_key_pem is not"),
        ({"client_private_key_pem": "hunter2"}, "client_private_key_pem is set, but client_certificate_pem is not"),
        ({"retry_max": -1}, "must be a number from 0 to"),
        ({"retry_wait_min": float("inf")}, "must be a number from 0 to"),
        ({"retry_wait_max": 10**400}, "must be a number from 0 to"),
    ],
)
def test_settings_that_are_refused(setting: dict[str, object], message: str, client: MakeClient) -> None:
    with pytest.raises(StoreError) as raised:
        client(**setting)
    assert message in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "ter2" not in str(raised.value)


def test_the_way_out_of_a_password_in_a_url(client: MakeClient) -> None:
    with pytest.raises(StoreError, match="set username and password instead, or TF_HTTP_USERNAME and TF_HTTP_PASS"):
        client(address="https://me:hunter2@state.example/x")

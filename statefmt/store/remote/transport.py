"""Sends HTTP requests to backends, with timeouts, retries, proxies and certificates, and without revealing secrets."""

from __future__ import annotations

import random
import socket
import ssl
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import unquote, urljoin, urlsplit

import urllib3
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, exceptions as problems
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import Retry, Timeout

from statefmt.model.errors import MessagePart, StoreError, Wording
from statefmt.store.backends.description import without_credentials
from statefmt.store.reading import largest_stream, too_large
from statefmt.store.remote.client import (
    ADVICE,
    TOO_MANY,
    Connection,
    Patience,
    Retries,
    UnknownOutcomeError,
    is_passing,
)
from statefmt.store.remote.hosts import (
    Server,
    approach,
    is_metadata_address,
    metadata_refused,
    proxy_for,
    server_of,
    without_port,
)
from statefmt.store.remote.tls import TlsSettings, tls_context
from statefmt.text import pattern
from statefmt.version import __version__

_CHUNK: Final = 1 << 20
_PIECE: Final = 1 << 16
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# Redirects that keep the method and the body.
_FAITHFUL: Final = frozenset({307, 308})
_MOST_REDIRECTS: Final = 10
# Encodings that leave an answer unchanged; the second is the encoding of an upload, which some servers keep.
_PLAIN_ENCODINGS: Final = frozenset({"", "identity", "aws-chunked"})
# In bytes, of an answer other than a state.
SMALL_ANSWER: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `url` has no credentials, `headers` may have some.

    `changes` if it changes something; `repeats` if it may be sent again although it may have arrived. `largest` is the
    size of the largest answer in bytes. `is_redirected` if another server has named the URL. `label` is the name in
    messages for a URL with secrets of the user in its path.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    body: bytes | None = field(default=None, repr=False)
    changes: bool = False
    repeats: bool = True
    largest: int = SMALL_ANSWER
    is_redirected: bool = False
    label: str = ""

    @property
    def shown(self) -> str:
        """The URL without possible credentials."""
        return self.label or without_credentials(self.url)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Transport:
    """Sends the requests of one client; keeps connections open until it is closed."""

    def __init__(
        self,
        connection: Connection,
        tls: TlsSettings = TlsSettings(),
        retries: Retries = Retries(),
        patience: Patience | None = None,
    ) -> None:
        """Prepare without connecting. Certificates are not verified if `tls` or the run disables it.

        The default `patience` comes from the environment. Raises StoreError if it is invalid.
        """
        patience = patience or Patience.of(connection.environment)
        self._connection = connection
        self._tls = replace(tls, verifies=tls.verifies and connection.options.verify)
        self._retries = retries
        self._timeout = Timeout(connect=patience.connect, read=patience.answer)
        self._patience = patience
        self.largest = largest_stream(connection.environment)
        self._limit = TimeLimit(patience.whole, self._check_address)
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._contexts: dict[TlsSettings, ssl.SSLContext] = {}
        self._unverified: set[str] = set()

    def send(self, request: Request) -> Answer:
        """Send a request, and return the answer, whatever its status.

        Retries requests that did not arrive or were too many, and requests with `repeats` after other temporary
        problems. Follows redirects; to another host only for reads, and without the headers of the request. Raises
        StoreError, and UnknownOutcomeError if a change may have arrived.
        """
        for _ in range(_MOST_REDIRECTS):
            answer = self._answered(request)
            target = answer.headers.get("location", "")
            if answer.status not in _REDIRECTS or not target:
                return answer
            request = self._redirected(request, target, answer.status)
        raise StoreError(f"{request.shown}: the server redirects without an end")

    def close(self) -> None:
        for pool in self._pools.values():
            pool.clear()
        self._pools.clear()

    def pause(self, attempt: int, asked: float | None = None) -> bool:
        """Wait before a retry; `attempt` is 0 after the first request. Return False to give up."""
        wait = self._retries.wait(attempt, random.random(), asked)
        if wait is None:
            return False
        time.sleep(wait)
        return True

    def _answered(self, request: Request) -> Answer:
        attempt = 0
        arrived = False
        while True:
            try:
                answer = self._once(request)
            except NoAnswerError as problem:
                arrived |= problem.arrived
                may_repeat = problem.passes and (request.repeats or not problem.arrived)
                if not may_repeat or not self.pause(attempt):
                    if request.changes and arrived:
                        message = f"{request.shown}: {request.method} was sent, and {problem.reason}"
                        raise UnknownOutcomeError(message) from None
                    raise StoreError(f"{request.shown}: {problem.reason}", *problem.advice) from None
            else:
                may_repeat = is_passing(answer.status) if request.repeats else answer.status == TOO_MANY
                arrived |= answer.status != TOO_MANY
                if not may_repeat or not self.pause(attempt, _asked_wait(answer)):
                    return answer
            attempt += 1

    def _once(self, request: Request) -> Answer:
        start = time.monotonic()
        outcome = "no answer"
        received = 0
        try:
            answer = self._exchanged(request)
            outcome, received = str(answer.status), len(answer.body)
            return answer
        except NoAnswerError as problem:
            outcome = problem.reason
            raise
        finally:
            if self._connection.options.debug is not None:
                took = round((time.monotonic() - start) * 1000)
                sent = len(request.body or b"")
                self._connection.options.debug(
                    f"{request.method} {request.shown}: {outcome}; {took} ms, {sent} bytes sent, {received} received"
                )

    def _exchanged(self, request: Request) -> Answer:
        """Send a request once, and read the answer. Raises NoAnswerError, and StoreError for a too large answer."""
        proxy = proxy_for(request.url, self._connection.environment)
        # The certificate of the client is a credential, too.
        tls = replace(self._tls, certificate="", key="") if request.is_redirected else self._tls
        pool, target = self._way(proxy, request.url, tls)
        headers = {"User-Agent": f"statetool/{__version__}", **request.headers}
        if request.body is not None:
            headers["Content-Length"] = str(len(request.body))
        with self._limit.started():
            try:
                with warnings.catch_warnings():
                    # Statetool's own note is more specific.
                    warnings.simplefilter("ignore", problems.InsecureRequestWarning)
                    response = pool.urlopen(
                        request.method,
                        target,
                        body=None if request.body is None else _pieces(request.body),
                        headers=headers,
                        redirect=False,
                        retries=False,
                        timeout=self._timeout,
                        preload_content=False,
                    )
            except (problems.HTTPError, OSError) as error:
                raise self._limit.reached() or self._failure(error) from None
            except ValueError:
                # The message of http.client contains the value.
                raise StoreError(f"{request.shown}: the method or a header has invalid characters") from None
            try:
                body = _body(response, request)
                if (reached := self._limit.reached()) is not None:
                    # If the end of the connection ends the answer, a truncated answer looks complete.
                    raise reached
                response.release_conn()
            except (problems.HTTPError, OSError, NoAnswerError) as error:
                response.close()
                if not request.changes:
                    raise self._limit.reached() or self._failure(error) from None
                # The status alone gives the outcome of the request.
                body = b""
            except BaseException:
                response.close()
                raise
            return Answer(response.status, {name.lower(): value for name, value in response.headers.items()}, body)

    def _failure(self, error: Exception) -> NoAnswerError:
        return failure(error, self._patience.connect, self._patience.answer)

    def _check_address(self, host: str, address: str) -> None:
        """Raise StoreError if a host that the user has not named resolves to a metadata service."""
        if without_port(host) in self._connection.foreign and is_metadata_address(address):
            raise metadata_refused(f"{host} has the address {address}, which")

    def _way(
        self, proxy: str | None, url: str, tls: TlsSettings
    ) -> tuple[urllib3.PoolManager | urllib3.HTTPConnectionPool, str]:
        """Return the sender of a request, and the target of the request as the sender needs it."""
        server = server_of(url, "the URL")
        pools = self._pools_for(server, proxy, tls)
        if proxy is not None and server.scheme == "http":
            # The proxy needs the whole URL.
            return pools, url
        # A pool manager would resolve `..` in the path, which is part of a key in S3, and part of its signature.
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return pools.connection_from_host(server.host, server.port, server.scheme), target

    def _pools_for(self, server: Server, proxy: str | None, tls: TlsSettings) -> urllib3.PoolManager:
        if server.scheme == "https":
            if tls not in self._contexts:
                self._contexts[tls] = tls_context(tls, self._connection.environment)
            if not self._tls.verifies and server.name not in self._unverified:
                self._unverified.add(server.name)
                self._connection.note(
                    f"the certificate of {server.name} is not verified: whoever is in between can read the credentials "
                    "and the state, and change them"
                )
        key = f"{server.scheme} {proxy or ''} {bool(tls.certificate)}"
        if key not in self._pools:
            context = self._contexts[tls] if server.scheme == "https" else None
            is_secure = proxy is not None and proxy.startswith("https:")
            for_proxy = tls_context(TlsSettings(), self._connection.environment) if is_secure else None
            pools = (
                urllib3.PoolManager(ssl_context=context)
                if proxy is None
                else urllib3.ProxyManager(
                    _without_user(proxy),
                    proxy_headers=_proxy_headers(proxy),
                    proxy_ssl_context=for_proxy,
                    ssl_context=context,
                )
            )
            pools.pool_classes_by_scheme = self._limit.pool_classes
            self._pools[key] = pools
        return self._pools[key]

    def _redirected(self, request: Request, target: str, status: int) -> Request:
        try:
            url = urljoin(request.url, target)
        except ValueError:
            raise StoreError(f"{request.shown}: the server redirects to a URL that is not valid") from None
        old = server_of(request.url, "the URL")
        new = server_of(url, f"{request.shown}: the server redirects to another URL")
        shown = without_credentials(url)
        if old.scheme == "https" and new.scheme == "http":
            raise StoreError(f"{request.shown}: the server redirects to {shown}, which is not encrypted")
        # A server that redirects clients to HTTPS counts as the same.
        same = new == old or (new.host == old.host and (old.scheme, new.scheme) == ("http", "https"))
        if request.method in ("GET", "HEAD"):
            if not same:
                approach(self._connection, new.name, named_by=f"{request.shown}: the server redirects")
            elsewhere = request.is_redirected or not same
            return replace(request, url=url, headers=request.headers if same else {}, is_redirected=elsewhere)
        if not same or status not in _FAITHFUL:
            raise StoreError(
                f"{request.shown}: the server redirects {request.method} to {shown}; nothing was sent there. If it is "
                "the right address, set it"
            )
        return replace(request, url=url)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces: the timeout applies to each piece, and a large state may take longer."""
    for start in range(0, len(body), _PIECE):
        yield body[start : start + _PIECE]


def _body(response: urllib3.BaseHTTPResponse, request: Request) -> bytes:
    """Read the body of an answer. Raises StoreError if it is too large or encoded."""
    encoding = response.headers.get("content-encoding", "")
    if any(part.strip().lower() not in _PLAIN_ENCODINGS for part in encoding.split(",")):
        if request.changes:
            # The status alone gives the outcome of the request.
            return b""
        raise StoreError(
            f"{request.shown}: the answer has the encoding {encoding[:60]!r}, which was not asked for; have the "
            "server send the state as it is, without Content-Encoding"
        )
    parts: list[bytes] = []
    size = 0
    announced = response.headers.get("content-length", "")
    # The header of an answer to HEAD is about a body that does not follow; longer numbers are not needed.
    if (
        request.method != "HEAD"
        and announced.isascii()
        and announced.isdigit()
        and len(announced) < 20
        and int(announced) > request.largest
    ):
        raise _too_large(request)
    for part in response.stream(_CHUNK, decode_content=False):
        parts.append(part)
        size += len(part)
        if size > request.largest:
            raise _too_large(request)
    return b"".join(parts)


def _too_large(request: Request) -> StoreError:
    if request.largest == SMALL_ANSWER:
        return StoreError(f"{request.shown}: the answer is larger than {request.largest:,} bytes, the limit")
    return too_large(f"{request.shown}: the answer", request.largest)


def _asked_wait(answer: Answer) -> float | None:
    asked = answer.headers.get("retry-after")
    if asked is None:
        return None
    try:
        return Retry().parse_retry_after(asked)
    except (problems.HTTPError, ValueError, OverflowError):
        return None


def _without_user(proxy: str) -> str:
    scheme, _, rest = proxy.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def _proxy_headers(proxy: str) -> dict[str, str]:
    user, at, _ = proxy.partition("://")[2].partition("/")[0].rpartition("@")
    return dict(urllib3.make_headers(proxy_basic_auth=unquote(user))) if at else {}


_TUNNEL: Final = pattern(r"Tunnel connection failed: ([0-9]{3})\b")


class NoAnswerError(Exception):
    """A request has no complete answer.

    `reason` is a sentence, followed by the message parts `advice`. `arrived` is False if the request certainly did not
    reach the server. `passes` is False if the same request would fail again.
    """

    def __init__(self, reason: str, *advice: MessagePart, arrived: bool, passes: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice
        self.arrived = arrived
        self.passes = passes


def failure(error: Exception, connect: float, answer: float) -> NoAnswerError:
    """Translate an exception; `connect` and `answer` are the longest times to wait, in seconds."""
    match error:
        case problems.ProxyError():
            # urllib3 raises it only before the connection to the proxy, and a tunnel, exist.
            inner = failure(error.original_error, connect, answer)
            status = _TUNNEL.search(str(error.original_error))
            reason = f"it answered with status {status[1]}" if status else inner.reason
            return NoAnswerError(f"the proxy: {reason}", *inner.advice, arrived=False, passes=inner.passes)
        case problems.NameResolutionError():
            return NoAnswerError("the name of the host cannot be resolved", arrived=False)
        case problems.NewConnectionError():
            cause = error.__cause__
            reason = (isinstance(cause, OSError) and cause.strerror) or "there is no connection"
            return NoAnswerError(reason[:1].lower() + reason[1:], arrived=False)
        # Includes NewConnectionError.
        case problems.ConnectTimeoutError():
            return NoAnswerError(f"there was no connection within {connect:g} s", arrived=False)
        case problems.SSLError():
            return _of_tls(error)
        case problems.ReadTimeoutError():
            return NoAnswerError(f"there was no answer within {answer:g} s", arrived=True)
        case problems.DecodeError():
            return NoAnswerError("the answer cannot be decoded", arrived=True)
        case problems.LocationValueError():
            return NoAnswerError("this is not a valid URL", arrived=False, passes=False)
    return NoAnswerError("the connection was lost before the end of the answer", arrived=True)


def _of_tls(error: problems.SSLError) -> NoAnswerError:
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLCertVerificationError):
        return NoAnswerError(
            f"the certificate of the server cannot be verified ({cause.verify_message.rstrip('.')}); if it is from an "
            "authority of your own, name that in the arguments of the backend or with SSL_CERT_FILE; ",
            Wording("--no-verify", "verify=False in BackendOptions"),
            " trusts every server",
            arrived=False,
            passes=False,
        )
    reason = cause.reason if isinstance(cause, ssl.SSLError) and cause.reason else "unknown reason"
    # A server reports a missing client certificate after the request was sent.
    return NoAnswerError(f"there is no secure connection ({reason.lower().replace('_', ' ')})", arrived=True)


class TimeLimit:
    """A limit in seconds for each request of a client, which sends one at a time.

    `pool_classes` are the pools whose connections it ends. `check` receives the host and the address of each new
    connection before anything is sent, and may raise an error.
    """

    def __init__(self, seconds: float, check: Callable[[str, str], None] = lambda _host, _address: None) -> None:
        self._seconds = seconds
        self._is_over = threading.Event()
        self._socket: socket.socket | None = None
        limit = self

        def checked(host: str, connected: socket.socket) -> socket.socket:
            try:
                check(host, str(connected.getpeername()[0]))
            except BaseException:
                connected.close()
                raise
            return connected

        class Plain(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return checked(self.host, super()._new_conn())

            def send(self, data: Any) -> None:
                super().send(data)
                limit.watch(self.sock)

        class Secure(HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return checked(self.host, super()._new_conn())

            def send(self, data: Any) -> None:
                super().send(data)
                limit.watch(self.sock)

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        self.pool_classes: dict[str, type[HTTPConnectionPool]] = {"http": PlainPool, "https": SecurePool}

    @contextmanager
    def started(self) -> Iterator[None]:
        """Limit the time of the block."""
        self._is_over.clear()
        self._socket = None
        timer = threading.Timer(self._seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._socket = None

    def watch(self, connected: socket.socket | None) -> None:
        """Set the socket of the current request."""
        self._socket = connected
        if self._is_over.is_set():
            self._end()

    def reached(self) -> NoAnswerError | None:
        """Return the problem if the time is over, else None."""
        if not self._is_over.is_set():
            return None
        reason = f"the answer was not complete within {self._seconds:g} s; {ADVICE}"
        return NoAnswerError(reason, arrived=True, passes=False)

    def _end(self) -> None:
        self._is_over.set()
        if self._socket is not None:
            with suppress(OSError):
                # Not the method of a TLS socket, which also drops its session while another thread reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

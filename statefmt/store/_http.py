"""The backend `http`: its settings, and the client of a state."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5, sha256
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.description import DEFAULT_WORKSPACE, SettingValues, text_of, without_credentials
from statefmt.store.backends.settings import StatePlace
from statefmt.store.protocol import LockInfo, Stored, lock_json, read_lock_info
from statefmt.store.remote.client import Connection, LockHeldError, Patience, Retries, UnknownOutcomeError, is_passing
from statefmt.store.remote.hosts import approach, is_of_folder, server_of, user_credentials
from statefmt.store.remote.tls import TlsSettings
from statefmt.store.remote.transport import SMALL_ANSWER, Answer, Request, Transport
from statefmt.text import pattern

_OK: Final = 200
_NO_STATE: Final = frozenset({204, 404})
_WRITTEN: Final = frozenset({200, 201, 204})
# The address or the method is wrong.
_UNKNOWN_REQUEST: Final = frozenset({404, 405, 501})
_REMOVED: Final = frozenset({200, 204})
_LOCKED: Final = frozenset({409, 423})
_CONDITION_FAILED: Final = 412
# An ETag that matches no content.
_WRONG_TAG: Final = '"statetool-asks-whether-conditions-count"'
# Go's zero time, which OpenTofu sends if it only knows the ID of a lock.
_NO_TIME: Final = "0001-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class _Found:
    """The content on the server; `tag` is a strong ETag, "" if the server sends none."""

    content: bytes
    version: str
    tag: str


class HttpClient:
    """A connection to one state; see StateClient.

    The version of a content is its SHA-256, since most servers ignore conditions. A write reads again under the lock.
    """

    def __init__(self, place: StatePlace, connection: Connection, patience: Patience | None = None) -> None:
        """Check the settings, without connecting. Raises StoreError."""
        self._place = place
        self._connection = connection
        self._settings: HttpSettings = http_settings(place)
        self._transport = Transport(connection, self._settings.tls, self._settings.retries, patience)

    @property
    def location(self) -> str:
        return self._place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information, which the protocol leaves empty."""
        return ""

    @property
    def is_locking(self) -> bool:
        return self._settings.lock is not None

    def read(self) -> Stored | None:
        found = self._found()
        return None if found is None else Stored(found.content, found.version)

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state.

        After a lost answer, the request is sent again: the answer then shows whether the lock has our ID.
        """
        if self._settings.lock is None:
            raise StoreError(f"{self.location}: lock_address is not set, so this state cannot be locked")
        self._unlock_target()
        answer = self._send(self._settings.lock_method, self._settings.lock, lock_json(info), repeats=True)
        if answer.status == _OK:
            return
        if answer.status in _LOCKED:
            holder = read_lock_info(answer.body)
            if holder is None or holder.ID != info.ID:
                raise LockHeldError(holder)
        elif is_passing(answer.status):
            raise UnknownOutcomeError(f"{self.location}: the server answered the lock with status {answer.status}")
        else:
            raise self._refused("lock", answer)

    def holder(self) -> LockInfo | None:
        """Raise NotImplementedError: the protocol has no request that only reads the lock."""
        raise NotImplementedError

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content.

        The condition is checked by a last read. A server that sends ETags checks it as well: without a lock, only if it
        demonstrably honours conditions.
        """
        written = sha256(content).hexdigest()
        conditional = True
        attempt = 0
        while True:
            found = self._found()
            if attempt and found is not None and found.version == written:
                # An earlier attempt succeeded.
                return
            self._check(found, expected)
            tag = found.tag if found is not None and conditional else ""
            if lock is None and not attempt and found is not None:
                self._check_conditions(found)
            url = self._settings.state.url if lock is None else _with_lock(self._settings.state.url, lock.ID)
            answer = self._send(self._settings.update_method, self._settings.state, content, url=url, tag=tag)
            if answer.status in _WRITTEN:
                self._read_back(content)
                return
            if answer.status in _LOCKED:
                raise self._not_ours("write", read_lock_info(answer.body))
            if answer.status == _CONDITION_FAILED and tag:
                # The content has changed, or the server compares something else.
                if lock is None:
                    self._check(self._found(), expected)
                    raise self._unprotected("refuses its own ETag as the condition If-Match")
                conditional = False
            elif not is_passing(answer.status):
                raise self._refused("write", answer)
            elif not self._transport.pause(attempt):
                raise UnknownOutcomeError(f"{self.location}: the server answered the write with status {answer.status}")
            attempt += 1

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back.

        After a lost answer, the lock is taken again, which shows whether it still has our ID: on a repeated unlock
        request, a server might remove another lock.
        """
        target = self._unlock_target()
        attempt = 0
        while True:
            try:
                answer = self._send(self._settings.unlock_method, target, lock_json(info))
            except UnknownOutcomeError:
                if not self._transport.pause(attempt):
                    raise
            else:
                if answer.status in _REMOVED:
                    return
                if answer.status in _LOCKED:
                    raise self._not_ours("unlock", read_lock_info(answer.body))
                if not is_passing(answer.status):
                    raise self._refused("unlock", answer)
                if not self._transport.pause(attempt):
                    raise UnknownOutcomeError(
                        f"{self.location}: the server answered the unlock with status {answer.status}"
                    )
            try:
                self.lock(info)
            except LockHeldError as error:
                if error.lock_id:
                    return
                raise UnknownOutcomeError(f"{self.location}: the state is locked, perhaps still by this run") from None
            attempt += 1

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID.

        Some servers do not compare IDs, so a lock request with this ID comes first: if another lock is held, the server
        refuses, and nothing is removed.
        """
        target = self._unlock_target()
        info = LockInfo(lock_id, "", "", "", "", _NO_TIME, "")
        holder: LockInfo | None = None
        if self._settings.lock is not None:
            answer = self._send(self._settings.lock_method, self._settings.lock, lock_json(info), repeats=True)
            holder = read_lock_info(answer.body) if answer.status in _LOCKED else None
            if holder is not None and holder.ID and lock_id != holder.ID:
                raise StoreError(
                    f"{self.location}: the lock has the ID {holder.ID}, not {lock_id}: it is held by "
                    f"{holder.Who or 'somebody'}; nothing was removed"
                )
            if answer.status != _OK and answer.status not in _LOCKED:
                raise self._refused("lock", answer)
        answer = self._send(self._settings.unlock_method, target, lock_json(info))
        if answer.status in _LOCKED:
            raise self._not_ours("unlock", read_lock_info(answer.body))
        if answer.status not in _REMOVED:
            raise self._refused("unlock", answer)
        return holder

    def workspaces(self) -> Sequence[str]:
        return () if self._found() is None else (DEFAULT_WORKSPACE,)

    def delete(self, expected: Hashable) -> None:
        found = self._found()
        self._check(found, expected)
        tag = "" if found is None else found.tag
        answer = self._send("DELETE", self._settings.state, tag=tag)
        if answer.status == _CONDITION_FAILED and tag:
            raise self._changed(expected)
        if answer.status not in _REMOVED:
            raise self._refused("deletion", answer)

    def close(self) -> None:
        self._transport.close()

    def _found(self) -> _Found | None:
        target = self._settings.state
        approach(self._connection, target.host, named_by=target.named_by, credentials=self._settings.credentials)
        answer = self._transport.send(
            Request("GET", target.url, self._settings.headers, largest=self._transport.largest, label=target.label)
        )
        if answer.status in _NO_STATE or (answer.status == _OK and not answer.body):
            return None
        if answer.status != _OK:
            raise self._refused("read", answer)
        sent = answer.headers.get("content-md5")
        # Some servers write it in hexadecimal, which OpenTofu ignores.
        if sent is not None and sent.strip() not in (_md5(answer.body), _digest(answer.body).hex()):
            raise StoreError(
                f"{self.location}: the content does not have the Content-MD5 that the server sends: it is damaged, or "
                "the server is wrong"
            )
        tag = answer.headers.get("etag", "")
        return _Found(answer.body, sha256(answer.body).hexdigest(), "" if tag.startswith("W/") else tag)

    def _send(
        self, method: str, target: HttpTarget, body: bytes = b"", *, url: str = "", tag: str = "", repeats: bool = False
    ) -> Answer:
        """Send a request that changes something, after the approval of all hosts: a later refusal would leave a lock
        behind.
        """
        for one in (self._settings.state, self._settings.lock, self._settings.unlock):
            if one is not None:
                approach(self._connection, one.host, named_by=one.named_by, credentials=self._settings.credentials)
        headers = dict(self._settings.headers)
        if body:
            headers |= {"Content-Type": "application/json", "Content-MD5": _md5(body)}
        if tag:
            headers["If-Match"] = tag
        request = Request(
            method=method,
            url=url or target.url,
            headers=headers,
            body=body or None,
            changes=True,
            repeats=repeats,
            largest=SMALL_ANSWER,
            label=target.label,
        )
        return self._transport.send(request)

    def _unlock_target(self) -> HttpTarget:
        if self._settings.unlock is None:
            raise StoreError(
                f"{self.location}: unlock_address is not set, so a lock could not be removed again; set it, or leave "
                "out lock_address"
            )
        return self._settings.unlock

    def _check_conditions(self, found: _Found) -> None:
        """Make sure that the server refuses a write with a wrong ETag. Raises StoreError.

        The request has the content of the state: a server that ignores the condition changes nothing.
        """
        if not found.tag:
            self._connection.note(
                f"{self.location}: nothing locks this state, and the server sends no ETag: what somebody else writes "
                "at this moment would be lost"
            )
            return
        try:
            answer = self._send(self._settings.update_method, self._settings.state, found.content, tag=_WRONG_TAG)
        except UnknownOutcomeError as error:
            raise StoreError(
                f"{self.location}: {error}; this request changes nothing, and nothing was written"
            ) from None
        if answer.status in _WRITTEN:
            raise self._unprotected("ignores the condition If-Match")
        if answer.status in _LOCKED:
            raise self._not_ours("write", read_lock_info(answer.body))
        if answer.status != _CONDITION_FAILED:
            raise self._refused("write", answer)

    def _unprotected(self, what: str) -> StoreError:
        return StoreError(
            f"{self.location}: the server {what}, and nothing locks this state: what somebody else writes at the same "
            "time would be lost. Nothing was written. Set lock_address and unlock_address, and lock"
        )

    def _read_back(self, written: bytes) -> None:
        """Raise UnknownOutcomeError if the state lacks the content that the server has confirmed."""
        try:
            found = self._found()
        except StoreError as error:
            self._connection.note(f"the server confirmed the write, but the state could not be read again: {error}")
            return
        content = b"" if found is None else found.content
        if content != written and not _same_json(content, written):
            raise UnknownOutcomeError(f"{self.location}: the server confirmed the write, but has other content")

    def _check(self, found: _Found | None, expected: Hashable | None) -> None:
        if (None if found is None else found.version) != expected:
            raise self._changed(expected)

    def _changed(self, expected: Hashable | None) -> ChangedError:
        return ChangedError(f"{self.location}: somebody has changed the state meanwhile", str(expected or ""))

    def _not_ours(self, action: str, holder: LockInfo | None) -> StoreError:
        by = f" by {holder.Who or 'somebody'} with the ID {holder.ID}" if holder is not None else ""
        return StoreError(f"{self.location}: the server refuses to {action}: the state is locked{by}")

    def _refused(self, action: str, answer: Answer) -> StoreError:
        if answer.status == 401 and not self._settings.has_credentials:
            reason = "needs credentials: set username and password, or TF_HTTP_USERNAME and TF_HTTP_PASSWORD"
        elif answer.status in (401, 403):
            reason = f"does not accept the credentials for this {action} (status {answer.status})"
        else:
            reason = f"answered the {action} with status {answer.status}"
        if answer.status in _UNKNOWN_REQUEST and action in ("lock", "unlock"):
            reason += f"; check {action}_address and {action}_method"
        elif 400 <= answer.status < 500 and action == "write":
            reason += "; nothing was written"
        return StoreError(f"{self.location}: the server {reason}")


def _with_lock(url: str, lock_id: str) -> str:
    """Return a URL with the ID of the lock in its query, which is sorted, as Go writes it."""
    parts = urlsplit(url)
    query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "ID"]
    query.append(("ID", lock_id))
    return parts._replace(query=urlencode(sorted(query, key=lambda pair: pair[0]))).geturl()


def _md5(content: bytes) -> str:
    return b64encode(_digest(content)).decode()


def _digest(content: bytes) -> bytes:
    return md5(content, usedforsecurity=False).digest()


def _same_json(one: bytes, other: bytes) -> bool:
    """Return whether two contents differ only in layout and the order of members: a server may store parsed JSON.

    Numbers are compared as text, since a server that decodes them loses digits; repeated members count.
    """
    import json

    def read(content: bytes) -> object:
        return json.loads(
            content,
            parse_float=lambda text: ("number", text),
            parse_int=lambda text: ("number", text),
            object_pairs_hook=lambda members: ("object", sorted(members, key=lambda member: member[0])),
        )

    try:
        return read(one) == read(other)
    except (ValueError, RecursionError):
        return False


_CREDENTIALS: Final = ("username", "password", "client_certificate_pem", "client_private_key_pem")
_WAY_OUT: Final = "; set username and password instead, or TF_HTTP_USERNAME and TF_HTTP_PASSWORD"
# Of retries and seconds; more is useless.
_LARGEST_NUMBER: Final = 1_000_000
_METHOD: Final = pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER: Final = pattern(r"[A-Za-z0-9_-]+")
_HEADER_VALUE: Final = pattern(r"[ -~\t]*")
_RESERVED: Final = frozenset({"content-type", "content-md5", "content-length", "host", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """The target of a request: the URL, its host, and the place in the folder that names it, "" if the user names it.

    `label` is the name of the URL in messages, "" for the URL itself.
    """

    url: str = field(repr=False)
    host: str
    named_by: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """The settings of the client. `headers` have the credentials; `credentials` names the credentials of the
    environment.
    """

    state: HttpTarget
    update_method: str
    lock: HttpTarget | None
    lock_method: str
    unlock: HttpTarget | None
    unlock_method: str
    headers: Mapping[str, str] = field(repr=False)
    tls: TlsSettings = field(repr=False)
    retries: Retries
    credentials: str

    @property
    def has_credentials(self) -> bool:
        """Whether requests contain credentials."""
        return any(name.lower() == "authorization" for name in self.headers)


def http_settings(place: StatePlace) -> HttpSettings:
    """Return the settings of a place. Raises StoreError, without secrets, for invalid values."""
    values = place.values
    state = _target(place, "address")
    if state is None:
        raise StoreError("the backend 'http' needs address")
    return HttpSettings(
        state,
        _method(values, "update_method"),
        _target(place, "lock_address"),
        _method(values, "lock_method"),
        _target(place, "unlock_address"),
        _method(values, "unlock_method"),
        _headers(values),
        _tls(values),
        Retries(*(_number(values, name) for name in ("retry_max", "retry_wait_min", "retry_wait_max"))),
        user_credentials(place.settings, _CREDENTIALS),
    )


def _target(place: StatePlace, name: str) -> HttpTarget | None:
    setting = next((one for one in place.settings if one.name == name and one.value), None)
    if setting is None:
        return None
    url = str(setting.value)
    what = f"{setting.place}: {name}" if setting.place else name
    label = "" if setting.shown is None else without_credentials(str(setting.shown))
    try:
        server = server_of(url, what, _WAY_OUT)
    except StoreError:
        if label:
            # The error would show the URL.
            raise StoreError(f"{what}: {label} is not a valid URL") from None
        raise
    return HttpTarget(url, server.name, setting.place if is_of_folder(setting) else "", label)


def _method(values: SettingValues, name: str) -> str:
    method = text_of(values, name)
    if _METHOD.fullmatch(method) is None:
        raise StoreError(f"{name} is not a method of HTTP")
    return method


def _number(values: SettingValues, name: str) -> int:
    value = values.get(name)
    if not isinstance(value, int | float) or not 0 <= value <= _LARGEST_NUMBER:
        raise StoreError(f"{name} must be a number from 0 to {_LARGEST_NUMBER:,}")
    return int(value)


def _headers(values: SettingValues) -> dict[str, str]:
    given = values.get("headers") or {}
    if not isinstance(given, dict):
        raise StoreError("headers must be a map of strings")
    username, password = text_of(values, "username"), text_of(values, "password")
    headers: dict[str, str] = {}
    for name, value in given.items():
        if _HEADER.fullmatch(name) is None:
            raise StoreError("headers: names may have letters, digits, - and _ only")
        if not isinstance(value, str) or not value.strip() or _HEADER_VALUE.fullmatch(value) is None:
            raise StoreError(f"headers: the value of {name} must be a string of ASCII characters, and not empty")
        if name.lower() in _RESERVED:
            raise StoreError(f"headers: {name} cannot be set")
        if name.lower() == "authorization" and username:
            raise StoreError(f"headers: {name} cannot be set together with username")
        headers[name] = value
    if username:
        headers["Authorization"] = "Basic " + b64encode(f"{username}:{password}".encode()).decode()
    return headers


def _tls(values: SettingValues) -> TlsSettings:
    certificate, key = text_of(values, "client_certificate_pem"), text_of(values, "client_private_key_pem")
    for one, name, other in (
        (certificate, "client_certificate_pem", "client_private_key_pem"),
        (key, "client_private_key_pem", "client_certificate_pem"),
    ):
        if one and not (certificate and key):
            raise StoreError(f"{name} is set, but {other} is not")
    authorities = text_of(values, "client_ca_certificate_pem")
    return TlsSettings(authorities, certificate, key, verifies=not values.get("skip_cert_verification"))

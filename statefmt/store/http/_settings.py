"""The settings of the backend `http`, checked. Source: OpenTofu `internal/backend/remote-state/http/backend.go`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValues, text_of
from statefmt.store.backends.place import StatePlace
from statefmt.store.backends.shown import without_credentials
from statefmt.store.remote.retries import Retries
from statefmt.store.remote.tls import TlsSettings
from statefmt.store.remote.trust import is_of_folder, user_credentials
from statefmt.store.remote.urls import server_of
from statefmt.text.pattern import pattern

_CREDENTIALS: Final = ("username", "password", "client_certificate_pem", "client_private_key_pem")
_WAY_OUT: Final = "; set username and password instead, or TF_HTTP_USERNAME and TF_HTTP_PASSWORD"
# Of retries and seconds: more makes no sense, and cannot be waited for.
_LARGEST_NUMBER: Final = 1_000_000
_METHOD: Final = pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER: Final = pattern(r"[A-Za-z0-9_-]+")
_HEADER_VALUE: Final = pattern(r"[ -~\t]*")
_RESERVED: Final = frozenset({"content-type", "content-md5", "content-length", "host", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """Where a request goes: the URL, its host, and the place in the folder that names it, "" if the user does.

    `label` is what messages call the URL, "" for itself.
    """

    url: str = field(repr=False)
    host: str
    named_by: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """What the client needs. `headers` have the credentials; `credentials` names those of the environment."""

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
        """Whether requests say who sends them."""
        return any(name.lower() == "authorization" for name in self.headers)


def http_settings(place: StatePlace) -> HttpSettings:
    """Return the settings of a place. Raises StoreError for values that are not valid, without secrets."""
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

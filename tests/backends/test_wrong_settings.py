"""Settings of a backend that are wrong, with a secret in them: the message says what is wrong, and no secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool, folder, statetool

__all__ = ["folder", "statetool"]

_CANARY: Final = "CanaryThatNobodyMaySee"
# Nothing listens on this port.
_URL: Final = "http://127.0.0.1:9/state"
_SERVER: Final = "127.0.0.1:9"
_S3: Final[dict[str, Any]] = {
    "bucket": "b", "key": "k", "region": "eu-west-1", "endpoints": {"s3": "http://127.0.0.1:9"}, "access_key": "AKID",
    "secret_key": "secret", "max_retries": 1,
}  # fmt: skip

_WRONG: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("no port", "pg", {"conn_str": f"postgres://u:{_CANARY}@localhost:notaport/db"}),
    ("no end of an address", "pg", {"conn_str": f"postgres://u:{_CANARY}@[::1/db"}),
    ("no end of a quotation", "pg", {"conn_str": f"host=localhost password='{_CANARY}"}),
    ("no value", "pg", {"conn_str": f"host=localhost password={_CANARY} {_CANARY}"}),
    ("no such word", "pg", {"conn_str": f"host=localhost passwd={_CANARY}"}),
    ("no such parameter", "pg", {"conn_str": f"postgres://u@{_SERVER}/db?passwd={_CANARY}"}),
    ("a wrong escape", "pg", {"conn_str": f"postgres://u:%zz{_CANARY}@{_SERVER}/db"}),
    ("NUL", "pg", {"conn_str": f"postgres://u:{_CANARY}%00x@{_SERVER}/db"}),
    ("no scheme", "pg", {"conn_str": f"postgresql//u:{_CANARY}@{_SERVER}/db"}),
    ("two at signs", "pg", {"conn_str": f"postgres://u:x@{_CANARY}@{_SERVER}/db"}),
    ("a list", "pg", {"conn_str": [_CANARY]}),
    ("a number sign", "pg", {"conn_str": f"postgres://u:x#{_CANARY}@{_SERVER}/db"}),
    ("a password in the address", "http", {"address": f"http://u:{_CANARY}@{_SERVER}/state"}),
    ("a password in the lock address", "http", {"address": _URL, "lock_address": f"http://u:{_CANARY}@{_SERVER}/l"}),
    ("a wrong scheme", "http", {"address": f"ftp://u:{_CANARY}@{_SERVER}/state"}),
    ("a port that is none", "http", {"address": f"http://u:{_CANARY}@127.0.0.1:x/state"}),
    ("a slash in the password", "http", {"address": f"http://u:x/{_CANARY}@{_SERVER}/state"}),
    ("a key that is none", "http", {"address": _URL, "client_certificate_pem": "x", "client_private_key_pem": _CANARY}),
    ("a line end in a header", "http", {"address": _URL, "headers": {"X-Token": f"{_CANARY}\nx"}}),
    ("a line end in a name", "http", {"address": _URL, "headers": {f"X-{_CANARY}\n": _CANARY}}),
    ("not Latin-1", "http", {"address": _URL, "headers": {"X-Token": f"{_CANARY}\u20ac"}}),
    ("a text for headers", "http", {"address": _URL, "headers": _CANARY}),
    ("a list in headers", "http", {"address": _URL, "headers": {"X-Token": [_CANARY]}}),
    ("a password that is an object", "http", {"address": _URL, "username": "u", "password": {"x": _CANARY}}),
    ("a password with a line end", "http", {"address": _URL, "username": "u", "password": f"{_CANARY}\n"}),
    ("a key that is too short", "s3", {**_S3, "sse_customer_key": _CANARY}),
    ("a line end in an access key", "s3", {**_S3, "access_key": f"{_CANARY}\n"}),
    ("a line end in a token", "s3", {**_S3, "token": f"{_CANARY}\nx"}),
    ("not Latin-1 in a token", "s3", {**_S3, "token": f"{_CANARY}\u20ac"}),
    ("a secret key that is a list", "s3", {**_S3, "secret_key": [_CANARY]}),
    ("a credentials file that is none", "s3", {**_S3, "access_key": None, "secret_key": None,
                                               "shared_credentials_files": ["wrong"]}),
    ("a token file that is none", "s3", {**_S3, "access_key": None, "secret_key": None, "assume_role_with_web_identity":
                                         {"role_arn": "arn:aws:iam::1:role/r", "web_identity_token": _CANARY}}),
    ("a password in an endpoint", "s3", {**_S3, "endpoints": {"s3": f"http://u:{_CANARY}@{_SERVER}"}}),
    ("a password in a proxy", "s3", {**_S3, "http_proxy": f"http://u:{_CANARY}@{_SERVER}"}),
]  # fmt: skip


@pytest.mark.parametrize(("backend", "config"), [case[1:] for case in _WRONG], ids=[case[0] for case in _WRONG])
@pytest.mark.parametrize("command", ["list --debug", "where", "mv a.a a.b --debug"])
def test_the_message_has_no_secret(
    command: str,
    backend: str,
    config: dict[str, Any],
    statetool: Statetool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (folder / ".terraform").mkdir()
    recorded = {"version": 3, "backend": {"type": backend, "config": config, "hash": 1}}
    (folder / ".terraform/terraform.tfstate").write_text(json.dumps(recorded))
    (folder / "wrong").write_text(f"[default]\naws_access_key_id = x\n {_CANARY}\n{_CANARY}\n[{_CANARY}\n")
    done = statetool(*command.split())
    assert _CANARY not in done.text + done.err
    if command != "where":
        assert (done.status, done.out) == (2, b"")
        # With --debug, requests come first.
        assert any(line.startswith("statetool: ") for line in done.err.splitlines())

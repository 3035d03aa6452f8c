"""What real OpenTofu wrote, read and refused: the records of tests/conformance/encryption.jsonl.xz.

Its file `external` has the programs that some configurations run, so those must run in the folder of that.
"""

from __future__ import annotations

import base64
import json
import lzma
from pathlib import Path
from typing import Any, Final

from statefmt.encryption import Configuration, configuration_of, merged, parse_envelope, parse_json

FOLDER: Final = Path(__file__).parents[1] / "conformance"
_LINES: Final = lzma.decompress((FOLDER / "encryption.jsonl.xz").read_bytes()).splitlines()
RECORDS: Final[dict[str, dict[str, Any]]] = {record["id"]: record for record in map(json.loads, _LINES)}

_STANDARD: Final[dict[str, Any]] = {
    "method": {"aes_gcm": {"main": {"keys": "${key_provider.pbkdf2.main}"}}},
    "state": {"method": "method.aes_gcm.main"},
}


def pbkdf2(**arguments: object) -> dict[str, Any]:
    """A configuration with one provider, `key_provider.pbkdf2.main`, of these arguments."""
    return {"key_provider": {"pbkdf2": {"main": arguments}}, **_STANDARD}


# The records that were made with HCL alone, said in JSON by hand.
_BY_HAND: Final[dict[str, Any]] = {
    "pbkdf2-passphrase-heredoc": pbkdf2(passphrase="first line of it\nsecond line\n", iterations=200000),
    "pbkdf2-fraction-ignored": pbkdf2(
        passphrase="correct-horse-battery-staple", iterations=200000.5, key_length=16.5
    ),
    "aad-converted": {
        **pbkdf2(passphrase="correct-horse-battery-staple", iterations=200000),
        "method": {"aes_gcm": {"main": {"keys": "${key_provider.pbkdf2.main}", "aad": ["1", 2]}}},
    },
    "hcl-comments-one-line-blocks": pbkdf2(passphrase="correct-horse-battery-staple", iterations=200000),
    "merge-environment-over-file": {
        "key_provider": {"pbkdf2": {"main": {"passphrase": "environment-passphrase"}}},
    },
    "bad-no-configuration": {},
    "config-encryption-wrapper": {"encryption": {}},
    "config-name-with-dot": {
        "key_provider": {"pbkdf2": {"a.b": {"passphrase": "correct-horse-battery-staple"}}}, **_STANDARD
    },
}  # fmt: skip
_TWICE: Final = '{"key_provider": [%s, %s], "method": %s, "state": %s}'
_BASE: Final = {"merge-environment-over-file": pbkdf2(passphrase="base-file-passphrase-1", iterations=200000)}


def configuration_text(record: dict[str, Any]) -> str:
    """The configuration of a record in JSON."""
    if record["id"] == "config-duplicate-provider":
        provider = json.dumps(pbkdf2(passphrase="correct-horse-battery-staple")["key_provider"])
        return _TWICE % (provider, provider, json.dumps(_STANDARD["method"]), json.dumps(_STANDARD["state"]))
    return json.dumps(record.get("config_json", _BY_HAND.get(record["id"])))


def configured(text: str, variables: dict[str, str] | None = None) -> Configuration:
    """The configuration that a text in JSON is."""
    return configuration_of(parse_json(text.encode(), variables or {}))


def configuration(record: dict[str, Any]) -> Configuration:
    """The configuration of a record, over that of its module if it has one."""
    own = configured(configuration_text(record), record.get("vars"))
    base = _BASE.get(record["id"])
    return own if base is None else merged(configured(json.dumps(base)), own)


class RecordedRandomness:
    """The salts and the nonce that an envelope was made with."""

    def __init__(self, encrypted: bytes) -> None:
        envelope = parse_envelope(encrypted)
        assert envelope is not None
        self._envelope = envelope

    def salt(self, meta_key: str, length: int) -> bytes:
        """The salt that is in the metadata."""
        salt = base64.b64decode(json.loads(self._envelope.meta[meta_key])["salt"])
        assert len(salt) == length
        return salt

    def nonce(self, length: int) -> bytes:
        """The beginning of the data."""
        return bytes(self._envelope.data)[:length]

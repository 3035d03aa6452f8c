"""What real OpenTofu wrote, read and refused: the records of tests/conformance/encryption.jsonl.xz.

Its file `external` has the programs that some configurations run, so those must run in the folder of that.
"""

from __future__ import annotations

import base64
import json
import lzma
from pathlib import Path
from typing import Any, Final

from statefmt.encryption import EncryptionConfiguration, Origin, merged, parse_envelope
from statefmt.encryption.sources import read_surroundings, text_configuration

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


def configured(text: str, variables: dict[str, str] | None = None) -> EncryptionConfiguration:
    """The configuration that a text in HCL or in JSON is."""
    environment = {f"TF_VAR_{name}": value for name, value in (variables or {}).items()}
    return text_configuration(Origin.of_file("c.hcl"), text.encode(), read_surroundings(None, environment, ()))


def configuration(record: dict[str, Any], syntax: str = "config") -> EncryptionConfiguration:
    """The configuration of a record, over that of its module if it has one. `syntax` is `config` or `config_json`."""
    text = record[syntax]
    own = configured(text if isinstance(text, str) else json.dumps(text), record.get("vars"))
    base = record.get("config_base")
    return own if base is None else merged(configured(base), own)


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

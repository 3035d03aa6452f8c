"""Every recorded envelope is read, written and refused as OpenTofu does it, to the byte."""

from __future__ import annotations

from typing import Final

import pytest

from statefmt.encryption import EnvelopeLayout, check_configuration, decrypt, encrypt
from statefmt.encryption._cipher import encrypts
from statefmt.model.errors import ConfigurationError, EncryptionError
from tests.encryption.recorded import FOLDER, RECORDS, RecordedRandomness, configuration
from tests.tables import each_row

# Read by OpenTofu and refused here, each with the reason.
_REFUSED: Final = {
    "pbkdf2-fraction-ignored": "an argument that is ignored without a word is an error",
    "ok-chain-upstream-meta-absent-forged": "OpenTofu reads it with the empty passphrase: anybody can make such a file",
    "demo-static": "no release of OpenTofu knows this key provider",
    "demo-xor": "no release of OpenTofu knows this key provider",
}
# Refused by OpenTofu and taken here.
_TAKEN: Final = {
    "bad-plain-no-terraform-version": "a plain state without terraform_version is read everywhere else, too"
}
_READ: Final = [name for name, one in RECORDS.items() if one["outcome"] == "ok" and name not in _REFUSED]
# Not those that were written with another configuration than the one that reads them.
_WRITTEN: Final = [
    name for name in _READ if RECORDS[name]["made_by"] == "opentofu" and RECORDS[name]["status"] == "satisfied"
]
_FAILING: Final = [
    name for name, one in RECORDS.items() if (one["outcome"] == "error") ^ (name in _REFUSED or name in _TAKEN)
]


def _both(names: list[str]) -> list[tuple[str, str]]:
    """The records with the configuration in HCL, and in JSON where it can be said so."""
    return [(name, syntax) for name in names for syntax in ("config", "config_json") if syntax in RECORDS[name]]


@pytest.fixture(autouse=True)
def _in_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


@each_row(("name", "syntax"), _both(_READ), sample=40)
def test_reads(name: str, syntax: str) -> None:
    record = RECORDS[name]
    opened = decrypt(record["encrypted"].encode(), configuration(record, syntax))
    assert opened.plain == record["plaintext"].encode()
    assert ("satisfied" if opened.is_current else "migration") == record["status"]


@each_row("name", _WRITTEN, sample=20)
def test_writes_to_the_byte(name: str) -> None:
    record = RECORDS[name]
    encrypted = record["encrypted"].encode()
    own = configuration(record)
    layout = EnvelopeLayout.INDENTED if record.get("envelope_form") == "indented" else EnvelopeLayout.COMPACT
    if not encrypts(own):
        assert encrypt(record["plaintext"].encode(), own, _NoRandomness()) == encrypted
        return
    assert encrypt(record["plaintext"].encode(), own, RecordedRandomness(encrypted), layout) == encrypted


@each_row(("name", "syntax"), _both(_FAILING))
def test_refuses(name: str, syntax: str) -> None:
    record = RECORDS[name]
    with pytest.raises(EncryptionError) as caught:
        own = configuration(record, syntax)
        if record["op"] == "configure":
            check_configuration(own)
        elif record["op"] == "encrypt":
            encrypt(record["plaintext"].encode(), own, _NoRandomness())
        else:
            decrypt(record["encrypted"].encode(), own)
    assert isinstance(caught.value, ConfigurationError) or record["op"] != "configure"


@pytest.mark.parametrize("name", _TAKEN)
def test_takes_what_is_read_everywhere_else(name: str) -> None:
    record = RECORDS[name]
    encrypted = record["encrypted"].encode()
    assert decrypt(encrypted, configuration(record)).plain == encrypted


class _NoRandomness:
    """For what must not ask for any."""

    def salt(self, meta_key: str, length: int) -> bytes:
        raise AssertionError(meta_key)

    def nonce(self, length: int) -> bytes:
        raise AssertionError

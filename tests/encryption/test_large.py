"""Large states: encrypted while they are looked at, and decrypted while they are decoded."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from statefmt.encryption import EnvelopeLayout, SystemRandomness, decrypt, encrypt
from statefmt.model.errors import EncryptionError
from tests.encryption.recorded import configured
from tests.tables import each_row

KEY = list(range(32))
METHOD = {"keys": {"encryption_key": KEY, "decryption_key": KEY}, "aad": [1, 2]}
OWN = configured(json.dumps({"method": {"aes_gcm": {"m": METHOD}}, "state": {"method": "method.aes_gcm.m"}}))
HEAD = b'{"version":4,"terraform_version":"1.13.0","serial":7,"lineage":"l","outputs":{}'
# From a length that is encrypted in one go to one of many pieces, with every number of bytes left over.
PLAINS = [HEAD + b" " * more + b"}" for more in (0, 196_000, 196_001, 196_002, 999_000, 1_200_000, 1_200_001)]
LARGE = PLAINS[-1]


@each_row("layout", EnvelopeLayout)
@each_row("plain", PLAINS, ids=len)
def test_as_cryptography_has_it(plain: bytes, layout: EnvelopeLayout) -> None:
    encrypted = encrypt(plain, OWN, SystemRandomness(), layout)
    data = base64.b64decode(json.loads(encrypted)["encrypted_data"])
    assert AESGCM(bytes(KEY)).decrypt(data[:12], data[12:], b"\1\2") == plain
    assert decrypt(encrypted, OWN).plain == plain


# The envelope of a large state, said otherwise than OpenTofu says it.
OTHERWISE: dict[str, Any] = {
    "line breaks in the data": lambda text, data: text.replace(data, data[:70_000] + r"\r\n" + data[70_000:]),
    "an escape in the data": lambda text, data: text.replace(data, rf"\u{ord(data[0]):04x}{data[1:]}"),
    "a member after the data": lambda text, data: text.replace(data, f'{data}","more":"'),
    "a member after the version": lambda text, data: text[:-1] + ',"more":1}',
    "more data before it": lambda text, data: '{"x":{"encrypted_data":"A"},' + text[1:],
    "white space": lambda text, data: text.replace('":', '" :\n').replace(",", " , ") + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERWISE)
def test_reads(name: str) -> None:
    text = encrypt(LARGE, OWN, SystemRandomness()).decode()
    changed = OTHERWISE[name](text, json.loads(text)["encrypted_data"])
    assert changed != text
    assert decrypt(changed.encode(), OWN).plain == LARGE


DAMAGED: dict[str, tuple[Any, str]] = {
    "a quotation mark in the data": (lambda text: text[:300_000] + '"' + text[300_001:], "not valid JSON"),
    "another letter in the data": (lambda text: text[:300_000] + "-" + text[300_001:], "it is not base64"),
    "padding in the data": (lambda text: text[:300_000] + "=" + text[300_001:], "it is not base64"),
    "a letter too few": (lambda text: text[:300_000] + text[300_001:], "it is not base64"),
    "four letters too few": (lambda text: text[:300_000] + text[300_004:], "the key is wrong, or the envelope was"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_refuses(name: str) -> None:
    change, reason = DAMAGED[name]
    changed = change(encrypt(LARGE, OWN, SystemRandomness()).decode()).encode()
    with pytest.raises(EncryptionError, match=reason):
        decrypt(changed, OWN)


@pytest.mark.parametrize("length", [1, 100_000])
def test_a_long_lineage(length: int) -> None:
    plain = b'{"serial":1,"lineage":"%b"%b}' % (b"l" * length, b" " * 1_000_000)
    encrypted = encrypt(plain, OWN, SystemRandomness())
    assert json.loads(encrypted)["lineage"] == "l" * length
    assert decrypt(encrypted, OWN).plain == plain


@pytest.mark.parametrize("plain", [b"[%b]" % (b"1," * 999_999 + b"1"), LARGE[:-1], LARGE.replace(b"7,", b"7.0,")])
def test_what_is_no_state_is_not_encrypted(plain: bytes) -> None:
    with pytest.raises(EncryptionError, match="the plain state"):
        encrypt(plain, OWN, SystemRandomness())


def test_a_program_that_fails_has_its_own_reason() -> None:
    own = configured(json.dumps({
        "method": {"external": {"m": {"encrypt_command": ["/nonexistent"], "decrypt_command": ["/nonexistent"]}}},
        "state": {"method": "method.external.m"},
    }))  # fmt: skip
    with pytest.raises(EncryptionError, match="cannot be run"):
        encrypt(LARGE, own, SystemRandomness())

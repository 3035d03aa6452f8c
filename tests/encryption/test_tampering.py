"""An envelope that was changed anywhere is refused, and the reason does not tell where."""

from __future__ import annotations

import base64
import json
from typing import Final

import pytest

from statefmt.encryption import SystemRandomness, decrypt, encrypt, parse_envelope
from statefmt.model.errors import EncryptionError
from tests.encryption.recorded import RECORDS, configuration, configured, pbkdf2
from tests.tables import each_row

_KEY: Final = list(range(32))
_LITERAL: Final = configured(json.dumps({
    "method": {"aes_gcm": {"main": {"keys": {"encryption_key": _KEY, "decryption_key": _KEY}, "aad": [1, 2]}}},
    "state": {"method": "method.aes_gcm.main"},
}))  # fmt: skip
_PLAIN: Final = b'{"version":4,"terraform_version":"1.13.0","serial":7,"lineage":"c8b2f0de"}\n'
# A key that is derived by one iteration, so that it can be done often.
_QUICK: Final = RECORDS["ok-meta-1-iteration"]
_REASON: Final = "the key is wrong, or the envelope was changed"


def _flipped(text: str, place: int) -> str:
    data = bytearray(base64.b64decode(text))
    data[place] ^= 1
    return base64.b64encode(data).decode()


def _reason(encrypted: str, own: object = _LITERAL) -> str:
    with pytest.raises(EncryptionError) as caught:
        decrypt(encrypted.encode(), own)  # type: ignore[arg-type]
    return str(caught.value)


def test_every_byte_of_nonce_ciphertext_and_tag() -> None:
    envelope = json.loads(encrypt(_PLAIN, _LITERAL, SystemRandomness()))
    data = envelope["encrypted_data"]
    reasons = {
        _reason(json.dumps({**envelope, "encrypted_data": _flipped(data, place)}))
        for place in range(12 + len(_PLAIN) + 16)
    }
    assert reasons == {f"no method of the configuration can read this state:\n  method.aes_gcm.main: {_REASON}"}


def test_every_byte_of_the_salt() -> None:
    envelope = json.loads(_QUICK["encrypted"])
    ((key, entry),) = envelope["meta"].items()
    metadata = json.loads(base64.b64decode(entry))
    for place in range(len(base64.b64decode(metadata["salt"]))):
        changed = json.dumps({**metadata, "salt": _flipped(metadata["salt"], place)})
        meta = {key: base64.b64encode(changed.encode()).decode()}
        assert _REASON in _reason(json.dumps({**envelope, "meta": meta}), configuration(_QUICK))


def test_one_reason_for_all_of_them() -> None:
    """For the salt, each part of the data, and another passphrase: the whole message is the same."""
    envelope = json.loads(_QUICK["encrypted"])
    data = envelope["encrypted_data"]
    length = len(base64.b64decode(data))
    ((key, entry),) = envelope["meta"].items()
    metadata = json.loads(base64.b64decode(entry))
    salted = json.dumps({**metadata, "salt": _flipped(metadata["salt"], 5)}).encode()
    own = configuration(_QUICK)
    reasons = {
        _reason(json.dumps({**envelope, "encrypted_data": _flipped(data, place)}), own)
        for place in (0, 11, 12, length // 2, length - 17, length - 16, length - 1)
    }
    reasons.add(_reason(json.dumps({**envelope, "meta": {key: base64.b64encode(salted).decode()}}), own))
    other = configured(json.dumps(pbkdf2(passphrase="some-other-passphrase")))
    reasons.add(_reason(_QUICK["encrypted"], other))
    (reason,) = reasons
    assert reason == (
        "no method of the configuration can read this state (it has metadata of key_provider.pbkdf2.main):\n"
        f"  method.aes_gcm.main: {_REASON}"
    )


def test_every_byte_of_the_text() -> None:
    """Refused, or without any effect, as where the name of a member is another one; never another state."""
    encrypted = encrypt(_PLAIN, _LITERAL, SystemRandomness())
    opened = set()
    for place in range(len(encrypted)):
        for byte in b'\0\n"\\ ,:{}=Aa0\x80' + bytes([encrypted[place] ^ 1, encrypted[place] ^ 0x20]):
            changed = encrypted[:place] + bytes([byte]) + encrypted[place + 1 :]
            if changed == encrypted:
                continue
            try:
                plain = decrypt(changed, _LITERAL).plain
            except EncryptionError:
                continue
            assert plain == _PLAIN, (place, byte)
            envelope = parse_envelope(changed)
            assert envelope is not None
            assert envelope.serial in (7, None), (place, byte)
            assert envelope.lineage in ("c8b2f0de", ""), (place, byte)
            opened.add(place)
    data = encrypted.index(b'"encrypted_data":"') + len(b'"encrypted_data":"')
    # The last letters have bits that stand for nothing, and padding.
    changed_data = [place for place in opened if data <= place < encrypted.rindex(b'","encryption_version"') - 4]
    assert opened
    assert changed_data == []


def test_every_letter_of_the_lineage() -> None:
    envelope = json.loads(encrypt(_PLAIN, _LITERAL, SystemRandomness()))
    lineage = envelope["lineage"]
    for place in range(len(lineage)):
        changed = lineage[:place] + chr(ord(lineage[place]) ^ 1) + lineage[place + 1 :]
        reason = _reason(json.dumps({**envelope, "lineage": changed}))
        assert reason == "the lineage on the envelope differs from the one in the state: the envelope was changed"


def test_the_serial() -> None:
    envelope = json.loads(encrypt(_PLAIN, _LITERAL, SystemRandomness()))
    assert "serial" in _reason(json.dumps({**envelope, "serial": 8}))


def test_data_that_is_moved_to_another_place() -> None:
    """Cut off at either end, and put after itself."""
    envelope = json.loads(encrypt(_PLAIN, _LITERAL, SystemRandomness()))
    data = base64.b64decode(envelope["encrypted_data"])
    for changed in (data[1:], data[:-1], data + b"\0", data[12:] + data[:12]):
        text = base64.b64encode(changed).decode()
        assert _REASON in _reason(json.dumps({**envelope, "encrypted_data": text}))


@each_row(
    ("metadata", "reason"),
    [
        (
            {"iterations": 10_000_001},
            "asks for 10,000,001 iterations for a key of 16 bytes. The limit is 10,000,000 rounds",
        ),
        (
            {"iterations": 99_999_999},
            "If it is correct, set `iterations = 99999999` in key_provider.pbkdf2.main to accept it",
        ),
        ({"iterations": 2**40}, "No configuration can accept more than 100,000,000"),
        ({"iterations": 2**62}, "No configuration can accept more than 100,000,000"),
        ({"salt": base64.b64encode(bytes(1_000_001)).decode()}, "the salt in the envelope has 1,000,001 bytes"),
        ({"iterations": -1}, "invalid iteration count"),
        ({"iterations": 1.5}, "iterations"),
        ({"iterations": "1"}, "iterations"),
        ({"key_length": 2**31}, "bytes"),
        ({"key_length": 20}, "a key of 20 bytes"),
        ({"hash_function": "md5"}, "invalid iteration count"),
        ({"hash_function": 1}, "hash_function"),
        ({"salt": "*"}, "not base64"),
        ({"iterations": 0}, "no metadata"),
        ({"salt": ""}, "no metadata"),
        ({"salt": None}, "no metadata"),
    ],
)
def test_metadata_that_would_keep_busy_or_break(metadata: dict[str, object], reason: str) -> None:
    envelope = json.loads(_QUICK["encrypted"])
    ((key, entry),) = envelope["meta"].items()
    changed = json.dumps({**json.loads(base64.b64decode(entry)), **metadata})
    meta = {key: base64.b64encode(changed.encode()).decode()}
    assert reason in _reason(json.dumps({**envelope, "meta": meta}), configuration(_QUICK))


def test_a_configuration_that_asks_for_as_many_iterations_accepts_them() -> None:
    own = configured(json.dumps(pbkdf2(passphrase="correct-horse-battery-staple", iterations=10_000_001)))
    other = configured(json.dumps(pbkdf2(passphrase="correct-horse-battery-staple")))
    encrypted = encrypt(_PLAIN, own, SystemRandomness())
    assert decrypt(encrypted, own).plain == _PLAIN
    assert "`iterations = 10000001` in key_provider.pbkdf2.main to accept it" in _reason(encrypted.decode(), other)


def test_a_key_of_absurd_length_for_a_chained_provider() -> None:
    document = pbkdf2(chain="key_provider.pbkdf2.up")
    document["key_provider"]["pbkdf2"]["up"] = {"passphrase": "correct-horse-battery-staple"}
    own = configured(json.dumps(document))
    envelope = json.loads(encrypt(_PLAIN, own, SystemRandomness()))
    entry = json.loads(base64.b64decode(envelope["meta"]["key_provider.pbkdf2.up"]))
    for length in (1025, 500_000_000):
        changed = json.dumps({**entry, "iterations": 1, "key_length": length})
        meta = {**envelope["meta"], "key_provider.pbkdf2.up": base64.b64encode(changed.encode()).decode()}
        reason = _reason(json.dumps({**envelope, "meta": meta}), own)
        assert f"a key of {length:,} bytes; the limit is 1,024." in reason
        assert f"`key_length = {length}` in key_provider.pbkdf2.up to accept it" in reason

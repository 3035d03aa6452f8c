"""Configurations of every make-up mean the same in both syntaxes, and what one of them writes the other one reads."""

from __future__ import annotations

import base64
import json
from itertools import product
from typing import Any, Final

import pytest

from statefmt.encryption import EncryptionConfiguration, SystemRandomness, decrypt, encrypt, parse_envelope
from statefmt.encryption._cipher import encrypts
from statefmt.model.errors import EncryptionError
from tests.encryption.recorded import FOLDER
from tests.encryption.sources.configured import hcl, text
from tests.tables import each_row

_PLAIN: Final = b'{"version":4,"terraform_version":"1.13.0","serial":7,"lineage":"c8b2f0de"}\n'
_KEY: Final = list(range(32))
_PROGRAM: Final = ["python3", str(FOLDER / "external/keys.py")]
_METHOD: Final = ["python3", str(FOLDER / "external/method.py")]
# Iterations are as few as a configuration can have, and the derived key as short.
_DERIVED: Final = {"iterations": 200000, "hash_function": "sha256", "key_length": 16, "salt_length": 8}

# Key providers by what the method refers to; the last is the one that it uses.
_KEYS: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "keys in the configuration": ({}, {"encryption_key": _KEY, "decryption_key": _KEY}),
    "a passphrase": (
        {"pbkdf2": {"k": {"passphrase": "c\u00f8rrect-hørse-battery", **_DERIVED}}}, "${key_provider.pbkdf2.k}"
    ),
    "a program": ({"external": {"k": {"command": _PROGRAM}}}, "${key_provider.external.k}"),
    "chained to a program": (
        {"external": {"up": {"command": _PROGRAM}},
         "pbkdf2": {"k": {"chain": "${key_provider.external.up}", **_DERIVED}}},
        "${key_provider.pbkdf2.k}",
    ),
    "chained to keys": ({"pbkdf2": {"k": {"chain": {"encryption_key": _KEY, "decryption_key": _KEY}, **_DERIVED}}},
                        "${key_provider.pbkdf2.k}"),
}  # fmt: skip
_ALIASES: Final = ("", "an alias <\u2028> of ${nothing}")
_METHODS: Final[dict[str, dict[str, Any]]] = {
    "aes_gcm": {},
    "aes_gcm with aad": {"aad": [0, 1, 255]},
    "external": {"encrypt_command": [*_METHOD, "encrypt"], "decrypt_command": [*_METHOD, "decrypt"]},
}
_OTHER: Final = {"keys": {"encryption_key": _KEY[::-1], "decryption_key": _KEY[::-1]}}
# The methods of a target, of which `m` is the one of the case, and whether what `m` wrote is current then.
_TARGETS: Final = {("m",): True, ("m", "other"): True, ("other", "m"): False, ("other", "plain", "m"): False}


def _configuration(keys: str, alias: str, method: str, target: tuple[str, ...]) -> dict[str, Any]:
    providers, used = _KEYS[keys]
    escaped = alias.replace("${", "$${")
    named = {
        type_: {name: {**body, **({"encrypted_metadata_alias": escaped} if alias and name == "k" else {})}
                for name, body in blocks.items()}
        for type_, blocks in providers.items()
    }  # fmt: skip
    type_ = method.split(maxsplit=1)[0]
    addresses = {"m": f"method.{type_}.m", "other": "method.aes_gcm.other", "plain": "method.unencrypted.plain"}
    blocks: dict[str, Any] = {"aes_gcm": {"other": _OTHER}, "unencrypted": {"plain": {}}}
    blocks.setdefault(type_, {})["m"] = {"keys": used, **_METHODS[method]}
    chain: dict[str, Any] = {}
    for one in reversed(target):
        chain = {"method": addresses[one], **({"fallback": chain} if chain else {})}
    return {"key_provider": named, "method": blocks, "state": chain}


def _spelled(own: dict[str, Any]) -> tuple[EncryptionConfiguration, EncryptionConfiguration]:
    return text(json.dumps(own)), text(hcl(own))


_CASES: Final = list(product(_KEYS, _ALIASES, _METHODS))


@each_row(("keys", "alias", "method"), _CASES, ids=["-".join(map(str, case)) for case in _CASES], sample=8)
def test_both_syntaxes(keys: str, alias: str, method: str) -> None:
    writing = _spelled(_configuration(keys, alias, method, ("m",)))
    assert _meaning(writing[0]) == _meaning(writing[1])
    encrypted = encrypt(_PLAIN, writing[1], SystemRandomness())
    envelope = parse_envelope(encrypted)
    assert envelope is not None
    assert (alias in envelope.meta) == bool(alias and _KEYS[keys][0])
    for place, (target, is_current) in enumerate(_TARGETS.items()):
        opened = decrypt(encrypted, _spelled(_configuration(keys, alias, method, target))[place % 2])
        assert (opened.plain, opened.is_current) == (_PLAIN, is_current)
    _check_tampering(encrypted, writing[0], authenticated=method != "external")


def _check_tampering(encrypted: bytes, own: EncryptionConfiguration, *, authenticated: bool) -> None:
    envelope = json.loads(encrypted)
    for name, value in (("serial", 8), ("lineage", "x"), ("encryption_version", "v1"), ("encrypted_data", "")):
        with pytest.raises(EncryptionError):
            decrypt(json.dumps({**envelope, name: value}).encode(), own)
    if envelope["meta"]:
        with pytest.raises(EncryptionError):
            decrypt(json.dumps({**envelope, "meta": {}}).encode(), own)
    data = bytearray(base64.b64decode(envelope["encrypted_data"]))
    for place in (0, 12, len(data) - 1) if authenticated else ():
        changed = bytes(byte ^ (at == place) for at, byte in enumerate(data))
        with pytest.raises(EncryptionError):
            decrypt(json.dumps({**envelope, "encrypted_data": base64.b64encode(changed).decode()}).encode(), own)


def _meaning(own: EncryptionConfiguration) -> object:
    """A configuration without the places in it."""
    return (
        {str(address): (block.alias, dict(block.arguments.values)) for address, block in own.key_providers.items()},
        {str(address): dict(block.arguments.values) for address, block in own.methods.items()},
        own.targets,
    )


@pytest.mark.parametrize("target", [("plain",), ("plain", "m"), ("m", "plain"), ("m", "other", "plain")])
def test_plain_states(target: tuple[str, ...]) -> None:
    for own in _spelled(_configuration("keys in the configuration", "", "aes_gcm", target)):
        opened = decrypt(_PLAIN, own)
        assert (opened.plain, opened.is_current) == (_PLAIN, target[0] == "plain")
        assert encrypts(own) == (target[0] != "plain")


@pytest.mark.parametrize("target", [("m",), ("m", "other")])
def test_plain_states_where_none_is_wanted(target: tuple[str, ...]) -> None:
    for own in _spelled(_configuration("keys in the configuration", "", "aes_gcm", target)):
        with pytest.raises(EncryptionError, match="does not accept plain states"):
            decrypt(_PLAIN, own)

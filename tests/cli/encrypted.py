"""Configurations and encrypted states to run the commands on."""

from __future__ import annotations

import json
from typing import Any, Final

from statefmt.encryption import EncryptionConfiguration, EnvelopeLayout, SystemRandomness, encrypt
from tests.encryption import recorded

# No key is derived from these, so that the commands are quick.
_KEYS: Final = {"old": list(range(32)), "new": list(range(1, 33))}


def configuration(*names: str) -> dict[str, Any]:
    """A configuration whose first method is the first of the names, with the others as fallbacks.

    Names are `old`, `new`, and `plain` for a method of type unencrypted.
    """
    methods = {name: f"method.aes_gcm.{name}" for name in _KEYS} | {"plain": "method.unencrypted.plain"}
    target: dict[str, Any] = {}
    for name in reversed(names):
        target = {"method": methods[name], **({"fallback": target} if target else {})}
    keys = {name: {"keys": {"encryption_key": key, "decryption_key": key}} for name, key in _KEYS.items()}
    return {"method": {"aes_gcm": keys, "unencrypted": {"plain": {}}}, "state": target}


def configured(*names: str) -> EncryptionConfiguration:
    """Such a configuration, ready for use."""
    return recorded.configured(json.dumps(configuration(*names)))


def encrypted(plain: bytes, *names: str, layout: EnvelopeLayout = EnvelopeLayout.COMPACT) -> bytes:
    """A state, encrypted with such a configuration."""
    return encrypt(plain, configured(*names), SystemRandomness(), layout)

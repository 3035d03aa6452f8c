"""Bytes that must not be shown: passphrases and keys."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import NoReturn


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Secret:
    """Bytes that no message, log or traceback shows; only `reveal` returns them."""

    _value: bytes

    def reveal(self) -> bytes:
        """Return the bytes."""
        return self._value

    def __len__(self) -> int:
        return len(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value, other._value)

    __hash__ = None  # type: ignore[assignment] # a hash reveals something about its value

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be serialized")

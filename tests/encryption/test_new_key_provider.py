"""One more key provider is a file and a line: `static` of OpenTofu's source, tried with what OpenTofu wrote by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pytest

from statefmt.encryption import check_configuration, decrypt, encrypt
from statefmt.encryption._configuration import Arguments, ArgumentValue, KeyProviderBlock
from statefmt.encryption._keys import KeySource, NewKey, Randomness, Secret
from statefmt.encryption.key_providers import BUILDERS
from statefmt.model.errors import ConfigurationError
from tests.encryption.recorded import RECORDS, RecordedRandomness, configuration

_RECORD = RECORDS["demo-static"]
_META = b'{"magic":"Hello world!"}'


# What would be the file.
@dataclass(frozen=True, slots=True)
class StaticKey:
    """A `key_provider "static"`."""

    key: Secret
    meta_key: str
    address: str

    @property
    def meta_keys(self) -> Mapping[str, str]:
        return {self.meta_key: self.address}

    @property
    def length(self) -> int:
        return len(self.key)

    def new_key(self, randomness: Randomness) -> NewKey:
        return NewKey(self.key, {self.meta_key: _META})

    def old_key(self, meta: Mapping[str, bytes], lengths: tuple[int, ...]) -> Secret | None:
        return self.key if meta.get(self.meta_key) == _META else None


def static(block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]) -> StaticKey:
    block.arguments.allow("key")
    return StaticKey(Secret(bytes.fromhex(block.arguments.text("key") or "")), block.meta_key, str(block.address))


@pytest.mark.parametrize("syntax", ["config", "config_json"])
def test_a_new_key_provider(syntax: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = configuration(_RECORD, syntax)
    with pytest.raises(ConfigurationError, match=r"unknown type of key provider; known types are pbkdf2, external"):
        check_configuration(own)
    # What would be the line.
    monkeypatch.setitem(cast("dict[str, Any]", BUILDERS), "static", static)
    encrypted = _RECORD["encrypted"].encode()
    assert decrypt(encrypted, own).plain == _RECORD["plaintext"].encode()
    assert encrypt(_RECORD["plaintext"].encode(), own, RecordedRandomness(encrypted)) == encrypted

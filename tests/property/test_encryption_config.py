"""However a configuration is damaged: it is used or refused in words, and no word of the passphrase is among them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import given, strategies as st

from statefmt.configuration import LoadOptions, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.encryption import Origin, check_configuration
from statefmt.encryption.sources import module_configuration, read_surroundings, text_configuration
from statefmt.lint.check import check_configuration as check_module
from statefmt.model.errors import StatetoolError
from statefmt.render.findings import fix_text
from tests.encryption.sources.configured import hcl

_SECRET: Final = "plantedSecretOfMany.Letters"
_JSON: Final = {
    "key_provider": {
        "pbkdf2": {"main": {"passphrase": _SECRET, "iterations": 200000, "encrypted_metadata_alias": "a"}}
    },
    "method": {"aes_gcm": {"main": {"keys": "${key_provider.pbkdf2.main}", "aad": [1, 2]}}},
    "state": {"method": "method.aes_gcm.main", "enforced": True, "fallback": {"method": "method.aes_gcm.main"}},
}
_TEXTS: Final = (hcl(_JSON), json.dumps(_JSON, indent=1))
_TOKENS: Final = (
    "", '"', "'", "\\", "${", "%{", "}", "{", "[", "]", "(", ")", "=", ":", ".", ",", "::", "-", " ", "\n", "<<X\n",
    "#", "/*", "null", "local.", "var.", "a.", "upper(", "!", "?", "\0", "\u2028", "1e999", "key_provider.", "method.",
    "0x", "\x1b[2J",
)  # fmt: skip
_CHANGES: Final = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 12), st.sampled_from(_TOKENS)), min_size=1, max_size=4
)


def _damaged(text: str, changes: list[tuple[int, int, str]]) -> str:
    for start, length, token in changes:
        text = text[:start] + token + text[start + length :]
    return text


def _tells(said: str) -> bool:
    """Whether a message has a piece of the passphrase in it, of a length that is no accident."""
    return any(_SECRET[at : at + 7] in said for at in range(len(_SECRET) - 6))


@given(st.sampled_from(_TEXTS), _CHANGES)
def test_a_damaged_text(text: str, changes: list[tuple[int, int, str]]) -> None:
    try:
        own = text_configuration(Origin.of_file("c"), _damaged(text, changes).encode(), read_surroundings(None, {}, ()))
        assert not _tells(repr(own))
        check_configuration(own)
    except StatetoolError as error:
        assert not _tells(str(error)), str(error)


@given(_CHANGES)
def test_a_damaged_module(changes: list[tuple[int, int, str]]) -> None:
    inside = _TEXTS[0].replace(json.dumps(_SECRET), "local.p")
    around = f'locals {{\n  p = "{_SECRET}"\n}}\nterraform {{\n  encryption {{\n{inside}  }}\n}}\n'
    with TemporaryDirectory() as folder:
        Path(folder, "a.tf").write_bytes(_damaged(around, changes).encode())
        try:
            own = module_configuration(read_surroundings(Path(folder), {}, ()))
            if own is not None:
                check_configuration(own)
        except StatetoolError as error:
            assert not _tells(str(error)), str(error)
        for finding in check_module(ProviderReferences(load(Path(folder), LoadOptions()))):
            assert not _tells(f"{finding.summary} {finding.detail} {fix_text(finding.fix)}"), finding

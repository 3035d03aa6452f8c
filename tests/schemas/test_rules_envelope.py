"""What the envelope's schema takes and refuses, a case a line; and what no schema takes."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.tables import each_row

Validators = dict[str, Draft202012Validator]

# As members of an envelope that is sound without them.
ENVELOPE: dict[str, tuple[Any, bool]] = {
    "data and version only": ({}, True),
    "everything": ({"serial": 1, "lineage": "a", "meta": {"key_provider.static.a": "e30="}}, True),
    "nothing outside": ({"serial": None, "lineage": "", "meta": None}, True),
    "lineage null": ({"lineage": None}, True),
    "unknown member": ({"hint": 1}, True),
    "data in lines": ({"encrypted_data": "bnVs\r\nbA==\n"}, True),
    "data as bytes": ({"encrypted_data": [1, 2]}, True),
    "data bytes too large": ({"encrypted_data": [256]}, False),
    "data bytes negative": ({"encrypted_data": [-1]}, False),
    "data bytes of text": ({"encrypted_data": ["a"]}, False),
    "data bytes with null": ({"encrypted_data": [1, None]}, True),
    "data empty": ({"encrypted_data": ""}, False),
    "data no bytes": ({"encrypted_data": []}, False),
    "data null": ({"encrypted_data": None}, False),
    "data not base64": ({"encrypted_data": "*"}, False),
    "data not padded": ({"encrypted_data": "bnVsbA"}, False),
    "version unknown": ({"encryption_version": "v1"}, False),
    "version number": ({"encryption_version": 0}, False),
    "serial least": ({"serial": -(2**63)}, True),
    "serial too small": ({"serial": -(2**63) - 1}, False),
    "serial largest": ({"serial": 2**63 - 1}, True),
    "serial too large": ({"serial": 2**63}, False),
    "serial text": ({"serial": "1"}, False),
    "lineage number": ({"lineage": 1}, False),
    "meta entry null": ({"meta": {"a": None}}, True),
    "meta list": ({"meta": []}, False),
    "meta object": ({"meta": {"a": {"salt": "AA=="}}}, False),
    "meta not base64": ({"meta": {"a": "{}"}}, False),
}


@each_row(("members", "valid"), ENVELOPE.values(), ids=ENVELOPE)
def test_envelope(members: dict[str, Any], valid: bool, validators: Validators) -> None:
    envelope = {"encrypted_data": "bnVsbA==", "encryption_version": "v0", **members}
    assert validators["encrypted-state"].is_valid(envelope) == valid


@pytest.mark.parametrize("missing", ["encrypted_data", "encryption_version"])
def test_envelope_without(missing: str, validators: Validators) -> None:
    envelope = {"encrypted_data": "bnVsbA==", "encryption_version": "v0"}
    del envelope[missing]
    assert not validators["encrypted-state"].is_valid(envelope)


@each_row("name", ["state-v1", "state-v2", "state-v3", "state-v4", "encrypted-state"])
@each_row("document", [{}, [], None, "a"], ids=str)
def test_not_a_state(name: str, document: Any, validators: Validators) -> None:
    assert not validators[name].is_valid(document)

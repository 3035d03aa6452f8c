"""Every error that a rule finds in a state has choices, or is listed here with what else mends it."""

from __future__ import annotations

from typing import Final

from statefmt.edit.repairs.find import OFFERS, RULES
from statefmt.model.findings import Code, Severity

_MENDED_OTHERWISE: Final = {
    Code.NOT_A_STATE: "salvage",
    Code.UNSUPPORTED_VERSION: "a newer release",
    Code.ENCRYPTED: "its encryption configuration",
    Code.BACKEND_CONFIGURATION: "it is not a state",
    Code.JSON_SCHEMA: "fmt, or upgrade; what keeps the state from being read has choices",
    Code.ENVELOPE_IDENTITY: "restore, or decrypt",
    Code.ENVELOPE_VERSION: "a newer release",
    Code.RELEASE_LOSES_OBJECT: "only if the state goes to another release",
    Code.RELEASE_LOSES_MEMBER: "only if the state goes to another release",
    Code.RELEASE_REFUSES_STATE: "only if the state goes to another release",
    Code.ATTRIBUTE_UNDECODABLE: "needs the schemas: set, unset or edit",
    Code.SCHEMA_VERSION_NEWER: "a newer provider",
    Code.WRITE_ONLY_STORED: "needs the schemas: unset",
}
# Rules about configurations, plans and applies.
_NOT_OF_STATES: Final = ("CFG", "CFS", "PLN", "LIF")


def test_every_error() -> None:
    errors = {code for code in Code if code.severity is Severity.ERROR and not code.startswith(_NOT_OF_STATES)}
    assert errors - OFFERS.keys() == _MENDED_OTHERWISE.keys()


def test_every_rule_that_is_asked() -> None:
    assert set(RULES) <= OFFERS.keys()

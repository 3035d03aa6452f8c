"""Converts the `index_key` of an object to an instance key.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from typing import Final

from statefmt.formats.reading._normalised import normalised
from statefmt.formats.versions.invalid import INVALID_METADATA, InvalidDocument
from statefmt.formats.versions.v4 import IndexKey
from statefmt.golang import int_of_number
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

# Integers that a 64-bit float represents exactly.
_EXACT_INTEGERS: Final = range(-(2**53), 2**53)
_KINDS: Final = {bool: "a boolean", list: "an array", dict: "an object"}


def ordinary_key(given: IndexKey) -> InstanceKey | None:
    """Return the instance key for a common `index_key`, else None: then the caller must use `lift_key`."""
    if given is None:
        return NO_KEY
    if type(given) is str:
        return StringKey(given)
    if type(given) is int and given in _EXACT_INTEGERS:
        return IntKey(given)
    return None


def lift_key(
    given: IndexKey, resource: str, pointer: str, findings: list[Finding], *, exact: bool
) -> InstanceKey | None:
    """Return the instance key for an `index_key`; None if its type is not valid for a key.

    `exact` means that it comes from an upgrade, not from JSON; `pointer` points to it. Raises InvalidDocument if it is
    too large.
    """
    ordinary = ordinary_key(given)
    if ordinary is not None:
        return ordinary
    if isinstance(given, (bool, list, dict)):
        detail = (
            f"Resource {resource} has an instance with {_KINDS[type(given)]} as its key; "
            "a key is a whole number or a string."
        )
        findings.append(Code.INVALID_INSTANCE_KEY.notice(INVALID_METADATA, detail, resource, pointer))
        return None
    if exact and isinstance(given, int):
        return IntKey(given)
    assert isinstance(given, (int, float))
    try:
        number = int_of_number(given)
    except OverflowError as error:
        raise InvalidDocument(pointer, "it is a number beyond what a 64-bit float can hold", resource) from error
    if number != given:
        findings.append(normalised(f"the instance key {given}", str(number), resource, pointer))
    return IntKey(number)

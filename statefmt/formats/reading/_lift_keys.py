"""From the `index_key` of an object to the key of its instance.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from typing import Final

from statefmt.formats.reading._normalised import normalised
from statefmt.formats.versions.invalid import INVALID_METADATA, InvalidDocument
from statefmt.formats.versions.v4 import IndexKey
from statefmt.model.addrs import (
    NO_KEY,
    InstanceKey,
    IntKey,
    StringKey,
)
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

_INT64: Final = range(-(2**63), 2**63)
# What a 64-bit float holds exactly.
_EXACT_INTEGERS: Final = range(-(2**53), 2**53)
_KINDS: Final = {bool: "a boolean", list: "an array", dict: "an object"}


def ordinary_key(given: IndexKey) -> InstanceKey | None:
    """The instance key of a usual `index_key`; None where `lift_key` must give that."""
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
    """The instance key that an `index_key` means; None where it is of no type that a key can have.

    `exact` says that it comes from an upgrade and not from JSON; `pointer` leads to it. Raises InvalidDocument where it
    is too large.
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
    # OpenTofu takes every number in JSON through a 64-bit float into an integer, as amd64 converts it.
    assert isinstance(given, (int, float))
    try:
        number = int(float(given))
    except OverflowError as error:
        raise InvalidDocument(pointer, "it is a number beyond what a 64-bit float can hold", resource) from error
    if number not in _INT64:
        number = _INT64.start
    if number != given:
        findings.append(normalised(f"the instance key {given}", str(number), resource, pointer))
    return IntKey(number)

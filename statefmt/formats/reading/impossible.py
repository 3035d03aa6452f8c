"""Finds all values of a v4 document that have the right type and are impossible; the reader stops at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statefmt.formats.reading._lift_keys import lift_key, ordinary_key
from statefmt.formats.reading._private import canonical_private
from statefmt.formats.versions.invalid import InvalidDocument, check_uint64
from statefmt.formats.versions.v4 import InstanceObjectV4, StateV4
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def impossible_values(document: StateV4) -> Iterator[Finding]:
    """Yield a finding for each impossible value, in file order."""
    yield from _problem(lambda: check_uint64(document.serial, "/serial"))
    for number, resource in enumerate(document.resources or ()):
        for place, given in enumerate((resource.instances if resource else None) or ()):
            if resource is not None and given is not None:
                yield from _of_object(given, resource.address(), f"/resources/{number}/instances/{place}")


def _of_object(given: InstanceObjectV4, address: str, pointer: str) -> Iterator[Finding]:
    if ordinary_key(given.index_key) is None:
        yield from _problem(lambda: lift_key(given.index_key, address, f"{pointer}/index_key", [], exact=False))
    yield from _problem(lambda: check_uint64(given.schema_version, f"{pointer}/schema_version"))
    yield from _problem(lambda: check_uint64(given.identity_schema_version, f"{pointer}/identity_schema_version"))
    if given.private:
        try:
            canonical_private(given.private)
        except ValueError as error:
            yield InvalidDocument(f"{pointer}/private", f"it is {error}", address, Code.PRIVATE_INVALID).finding()


def _problem(read: Callable[[], object]) -> Iterator[Finding]:
    try:
        read()
    except InvalidDocument as invalid:
        yield invalid.finding()

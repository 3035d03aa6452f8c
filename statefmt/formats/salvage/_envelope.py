"""Reads the members of a state beside its resources, as far as they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from statefmt.formats.salvage._names import odd_members
from statefmt.formats.salvage._scan import ScannedValue
from statefmt.formats.salvage._values import integer, is_utf8, string
from statefmt.formats.salvage.model import SalvagedEnvelope


class FoundOutput(NamedTuple):
    """An output: where its value begins, and its bytes, None if it is torn."""

    name: str
    offset: int
    raw: bytes | None


def envelope_of(text: bytes, node: ScannedValue) -> SalvagedEnvelope:
    """Return what a state says of itself, without its outputs."""
    return SalvagedEnvelope(
        version=integer(text, node.child("version")),
        terraform_version=_raw(text, node.child("terraform_version")),
        serial=integer(text, node.child("serial")),
        lineage=string(text, node.child("lineage")),
        check_results=_raw(text, node.child("check_results")),
        others=tuple((name, raw) for name, raw in odd_members_of(text, node) if raw is not None),
        is_encrypted="version" not in node.names
        and bool(node.names & {"encrypted_data", "encryption_version", "meta"}),
    )


def odd_members_of(text: bytes, node: ScannedValue) -> Iterator[tuple[str, bytes | None]]:
    """Yield the members of a state that the format does not have: name and bytes, None if they may be torn."""
    for child, is_behind in odd_members(node):
        is_certain = "\ufffd" not in child.name and not node.repeats and (node.is_whole or not is_behind)
        yield child.name, _raw(text, child) if is_certain else None


def outputs_of(text: bytes, node: ScannedValue) -> Iterator[FoundOutput]:
    """Yield the outputs of a state."""
    outputs = node.child("outputs")
    for child in outputs.children if outputs else ():
        is_certain = child.name and child.kind == "{" and not child.repeats
        yield FoundOutput(child.name, child.start, _raw(text, child) if is_certain else None)


def lost_members_of(text: bytes, node: ScannedValue) -> Iterator[str]:
    """Yield the names of members, beside those with a meaning of their own in a report, that are or may be torn."""
    checks = node.child("check_results")
    if checks is not None and _raw(text, checks) is None:
        yield checks.name
    yield from (name for name, raw in odd_members_of(text, node) if raw is None)


def _raw(text: bytes, node: ScannedValue | None) -> bytes | None:
    return text[node.start : node.end] if node is not None and node.is_whole and is_utf8(text, node) else None

"""Reads the members of a state beside its resources, as far as they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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
        is_encrypted="version" not in node.names
        and bool(node.names & {"encrypted_data", "encryption_version", "meta"}),
    )


def outputs_of(text: bytes, node: ScannedValue) -> Iterator[FoundOutput]:
    """Yield the outputs of a state."""
    outputs = node.child("outputs")
    for child in outputs.children if outputs else ():
        is_certain = child.name and child.kind == "{" and not child.repeats
        yield FoundOutput(child.name, child.start, _raw(text, child) if is_certain else None)


def _raw(text: bytes, node: ScannedValue | None) -> bytes | None:
    return text[node.start : node.end] if node is not None and node.is_whole and is_utf8(text, node) else None

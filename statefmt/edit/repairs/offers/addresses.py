"""Offers choices for addresses that cannot be parsed: modules, dependencies, check results (ADR001, DEP001, CHK001)."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers.parts import removal, replacement, string
from statefmt.formats.writing.changes import Path
from statefmt.golang import encode_string
from statefmt.model.addrs import parse_abs_resource, parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding


def module(state: LooseState, path: Path, finding: Finding) -> Iterator[Choice]:
    """Name the module, or forget the resource."""
    yield string(path, "module", "ADDRESS", "the module that has the resource", parse_module_instance)
    yield removal(path[:-1], "forget the resource; the real objects continue to exist", "forget")


def dependency(state: LooseState, path: Path, finding: Finding) -> Iterator[Choice]:
    """Name the resource without an instance key, or drop the dependency."""
    resource = _resource(state.string(path))
    if resource and "depends_on" not in path:
        yield replacement(path, encode_string(resource), "resource", f"depend on the whole resource, {resource}")
    check = parse_abs_resource_instance if "depends_on" in path else parse_abs_resource
    yield string(path, "address", "ADDRESS", "depend on this instead", check)
    yield removal(path, "drop the dependency; the next apply writes those of the configuration")


def check_result(state: LooseState, path: Path, finding: Finding) -> Iterator[Choice]:
    """Remove a check result, which the next plan writes again."""
    # The whole result, or one of its objects.
    yield removal(path[:-1], "remove the result; the next plan checks again")
    yield string(path, "address", "ADDRESS", "the address of what was checked")


def _resource(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).containing_resource())
    except AddressError:
        return ""

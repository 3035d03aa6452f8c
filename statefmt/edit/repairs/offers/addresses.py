"""Offers choices for addresses that cannot be parsed: modules, resources, check results (ADR001, ADR009, CHK001)."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import removal, string
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding


def module_address_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the module, or forget the resource."""
    yield string(path, "module", "ADDRESS", "the module that has the resource", parse_module_instance)
    yield removal(path[:-1], "forget the resource; the real objects continue to exist", "forget")


def identifier_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write another type or name, or forget the resource."""
    blocks = state.blocks(path)
    member = path[-1]

    def rename(given: str) -> dict[JsonPath, bytes | None]:
        if not is_identifier(given):
            raise SurgeryError(f"{given!r} is not an identifier")
        address = state.address_with(blocks[0], member, given)
        if state.blocks_at(address):
            raise SurgeryError(f"the state already has a resource {address}")
        return {(*block, member): encode_string(given) for block in blocks}

    yield Choice("rename", f"this {member}", rename, "IDENTIFIER", alone=True)
    forgotten = "forget the resource; the real objects continue to exist"
    yield Choice("forget", forgotten, lambda _: dict.fromkeys(blocks))


def check_result_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Remove a check result, which the next plan writes again."""
    # The whole result, or one of its objects.
    yield removal(path[:-1], "remove the result; the next plan checks again")
    yield string(path, "address", "ADDRESS", "the address of what was checked")

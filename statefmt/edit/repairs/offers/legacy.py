"""Offers choices for states of versions 1 to 3 that cannot be upgraded (STA005)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import json_value, removal, string
from statefmt.formats.writing.changes import JsonPath, MovedText
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding

_FORGET: Final = "forget the resource; the real object continues to exist"
# /modules/0/resources/aws_instance.web
_RESOURCE_STEPS: Final = 4


def not_upgradable_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Mend what the upgrade refuses: a provider reference, the name of a resource, the path of a module, the serial."""
    if path[-1] == "provider":
        yield string(path, "provider", "REFERENCE", "this provider, as provider.TYPE or provider.TYPE.ALIAS")
        yield removal(path, "the default provider of the type")
    elif path[-1] == "path":
        yield json_value(path, 'this path, as ["root", "MODULE"]')
        yield removal(path[:-1], "forget the module and all of its resources", "forget")
    elif len(path) == _RESOURCE_STEPS and path[0] == "modules" and path[2] == "resources":
        if state.raw(path) != b"null":
            yield renaming(state, path)
        yield removal(path, _FORGET, "forget")
    elif len(path) > _RESOURCE_STEPS and path[2] == "resources":
        yield removal(path, "remove it")
    elif len(path) == _RESOURCE_STEPS and path[2] == "outputs":
        yield removal(path, "remove the output; the next apply writes it again")
    elif path[0] == "modules":
        yield removal(path, "remove it", "forget")
    elif path == ("serial",):
        yield json_value(path, "this serial")
        yield removal(path, "start again at 0")


def renaming(state: LooseState, path: JsonPath) -> Choice:
    """Give an entry of `resources` another name."""
    text = "this address: TYPE.NAME or TYPE.NAME.INDEX"
    return Choice("rename", text, lambda given: _renamed(state, path, given), "ADDRESS")


def _renamed(state: LooseState, path: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    renamed = (*path[:-1], given)
    if state.raw(renamed) is not None:
        raise SurgeryError(f"the module already has a resource {given}")
    return {path: None, renamed: MovedText(state.raw(path) or b"null", path)}

"""Offers choices for parts that have the wrong JSON type or an impossible value (STA004, INS011)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import fixed, json_value, removal, replacement
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.findings import Finding
from statefmt.model.snapshot import HIGHEST_SERIAL
from statefmt.text import pattern

# The text of a whole number, also as Python and JavaScript write it in a float.
_WHOLE: Final = pattern(r"(\d{1,20})(?:\.0+)?")
_SCALAR: Final = pattern(r"-?[0-9][0-9.eE+-]*|true|false")


def wrong_type_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Convert the value if its text fits the type; write another one; remove it, which means the default."""
    repeated = state.repeated(path)
    if repeated is not None:
        # The path may lead into another of them than the one with the problem.
        for name, last in (("keep=last", True), ("keep=first", False)):
            text = f"of the members with one name, such as {repeated[-1]}, keep the {name.removeprefix('keep=')}"
            yield fixed(name, text, {repeated[:-1]: state.once_only(repeated[:-1], last=last)})
        return
    text = (state.raw(path) or b"").decode("utf-8", "replace")
    bare = state.string(path) if text.startswith('"') else text
    wanted = finding.detail
    whole = _WHOLE.fullmatch(bare)
    if ("expected int" in wanted or "whole number" in wanted) and whole and int(whole[1]) <= HIGHEST_SERIAL:
        yield replacement(path, whole[1].encode(), "convert", f"write the number {whole[1]}")
    elif "expected bool" in wanted and bare in {"true", "false"}:
        yield replacement(path, bare.encode(), "convert", f"write {bare} without quotes")
    elif "expected str" in wanted and _SCALAR.fullmatch(text):
        yield replacement(path, encode_string(text), "convert", "write the same as a string")
    elif wanted.startswith(f"The member {finding.pointer} is not valid: expected array") and text.startswith("{"):
        yield replacement(path, b"[" + text.encode() + b"]", "wrap", "write it as the only element of an array")
    yield json_value(path)
    yield removal(path, "remove it: everything in it is forgotten")


def private_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Remove private data that no provider can read."""
    yield removal(path, "remove it: the provider loses what it kept there, such as timeouts")
    yield json_value(path)

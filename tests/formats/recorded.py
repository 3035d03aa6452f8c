"""The recorded states: what OpenTofu 1.13 does with each of 1,397 files."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_DATA: Final = Path(__file__).parents[1] / "conformance" / "read.jsonl.xz"

Case = dict[str, Any]


class _Number(str):
    """The text of a JSON number."""

    __slots__ = ()


CASES: Final[list[Case]] = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]
GROUPS: Final = tuple(dict.fromkeys(str(case["group"]) for case in CASES))


def input_of(case: Case) -> bytes:
    """The bytes of the state file."""
    return base64.b64decode(case["input_b64"]) if "input_b64" in case else str(case["input"]).encode()


def outputs_of(case: Case) -> list[bytes]:
    """Every text that OpenTofu was seen to write for an accepted file."""
    return [_output(result) for result in (case, *case.get("alternatives", ()))]


def findings_of(case: Case) -> list[set[tuple[str, str]]]:
    """Every set of (severity, summary) that OpenTofu was seen to report."""
    return [
        {(found["severity"], found["summary"]) for found in result["diagnostics"]}
        for result in (case, *case.get("alternatives", ()))
    ]


def in_one_order(text: bytes) -> str:
    """A canonical text with the parts sorted whose order OpenTofu leaves to chance.

    Number texts and the order of members stay, so that two texts are equal only if they differ in nothing else.
    """
    document = json.loads(text, parse_int=_Number, parse_float=_Number)
    for result in document["check_results"] or ():
        result["objects"] = _sorted(result["objects"])
    document["check_results"] = _sorted(document["check_results"])
    for resource in document["resources"]:
        # Integers against strings only: among themselves both have their order.
        resource["instances"].sort(key=lambda instance: type(instance.get("index_key")) is str)
    return json.dumps(document)


def providers_of(text: bytes) -> Iterator[tuple[str, str]]:
    """Each object of a v4 file (its resource, key and deposed key, as text) with the provider in force for it."""
    for resource in json.loads(text)["resources"]:
        for instance in resource["instances"]:
            place = (resource["type"], resource["name"], instance.get("index_key"), instance.get("deposed"))
            yield json.dumps(place), instance.get("provider") or resource["provider"]


def without_providers(text: bytes) -> str:
    """What a canonical text says, apart from providers."""
    document = json.loads(text, parse_int=_Number, parse_float=_Number)
    for resource in document["resources"]:
        for part in (resource, *resource["instances"]):
            part.pop("provider", None)
    return json.dumps(document)


def _output(result: Case) -> bytes:
    return base64.b64decode(result["output_b64"]) if "output_b64" in result else str(result["output"]).encode()


def _sorted(items: list[Any] | None) -> list[Any] | None:
    return items and sorted(items, key=json.dumps)

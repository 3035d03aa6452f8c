"""Every recorded state that is refused but can be parsed is mended by choices."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from statefmt.edit.repairs.decisions import Decided
from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.edit.repairs.find import is_fatal
from statefmt.edit.repairs.repair import repaired
from statefmt.formats.raw_json.spans import container_at
from statefmt.formats.reading.inspect import inspect
from tests.formats.recorded import CASES, input_of

_VALUES: Final = {
    "ADDRESS": 'provider["registry.opentofu.org/hashicorp/aws"]',
    "JSON": '"x"',
    "VERSION": "1.9.4",
    "KEY": "0badc0de",
    "REFERENCE": "provider.aws",
}
_REFUSED: Final = [
    case
    for case in CASES
    if case["tier"] == 1 and (found := inspect(input_of(case))).version is not None and found.snapshot is None
]


def _first(defect: Defect, _: bool) -> Decided | None:
    """The first choice that needs no value, else the first one."""
    if not is_fatal(defect) or not defect.choices:
        return None
    plain: Choice | None = next((choice for choice in defect.choices if not choice.value), None)
    choice = plain or defect.choices[0]
    return Decided(choice, _VALUES.get(choice.value, ""))


def test_there_are_refused_states() -> None:
    assert len(_REFUSED) == 336


@pytest.mark.parametrize("case", _REFUSED, ids=lambda case: case["id"])
def test_mended(case: dict[str, Any]) -> None:
    data = input_of(case)
    repair = repaired(data, _first)
    assert inspect(repair.content).snapshot is not None
    # Every attributes object that is left is one of the file, byte for byte.
    assert inspect(data).version != 4 or not _attributes(repair.content) - _attributes(data)


def _attributes(data: bytes, start: int = 0) -> Counter[bytes]:
    found: Counter[bytes] = Counter()
    container = container_at(data, start)
    for item in container.items:
        if item.name == "attributes":
            found[data[item.value.start : item.value.end]] += 1
        elif data[item.value.start : item.value.start + 1] in (b"{", b"["):
            found += _attributes(data, item.value.start)
    return found

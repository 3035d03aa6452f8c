"""Each choice for states of versions 1 to 3, with the bytes that it changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.edit.repairs.find import defects
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.compact_state import mended
from tests.tables import each_row

_WHOLE: dict[str, Any] = {"type": "aws_vpc", "primary": {"id": "x"}}


def _state(*modules: Any, version: int = 3, serial: int = 3) -> str:
    head = {"version": version, "terraform_version": "0.11.14", "serial": serial, "lineage": "l"}
    if version == 1:
        head = {"version": 1, "serial": serial}
    return json.dumps(head | {"modules": list(modules)}, separators=(",", ":"))


def _module(resources: Any = None, outputs: Any = None, path: Any = ("root",)) -> dict[str, Any]:
    return {"path": path, "outputs": outputs or {}, "resources": resources or {}}


_OTHER = _module({"aws_vpc.b": _WHOLE})


@each_row("version", [1, 2, 3])
@each_row(
    ("before", "decision", "after"),
    [
        ([_module({"vpc": _WHOLE, "aws_vpc.b": _WHOLE})], "STA005 * forget", [_OTHER]),
        ([_module({"vpc": _WHOLE})], "STA005 * rename=aws_vpc.b", [_OTHER]),
        ([_module({"aws_vpc.a": None, "aws_vpc.b": _WHOLE})], "STA005 * forget", [_OTHER]),
        ([None, _OTHER], "STA005 * forget", [_OTHER]),
        ([_OTHER, _module({"aws_vpc.a": _WHOLE}, path=["m"])], "STA005 * forget", [_OTHER]),
        (
            [_module({"aws_vpc.b": _WHOLE | {"provider": "provider.a.b.c"}})],
            "STA005 * provider=provider.aws",
            [_module({"aws_vpc.b": _WHOLE | {"provider": "provider.aws"}})],
        ),
        ([_module({"aws_vpc.b": _WHOLE | {"provider": "provider.a.b.c"}})], "STA005 * remove", [_OTHER]),
        (
            [_module({"aws_vpc.b": _WHOLE | {"deposed": [None, {"id": "y"}]}})],
            "STA005 * remove",
            [_module({"aws_vpc.b": _WHOLE | {"deposed": [{"id": "y"}]}})],
        ),
        # An instance that a state has twice: in two modules with one path, or under two names.
        (
            [_OTHER, _module({"aws_vpc.b": _WHOLE | {"depends_on": []}})],
            "ADR002 aws_vpc.b keep=first",
            [_OTHER, _module()],
        ),
        (
            [_module({"aws_vpc.b.0": _WHOLE, "aws_vpc.b.00": _WHOLE})],
            "ADR002 * keep=last",
            [_module({"aws_vpc.b.00": _WHOLE})],
        ),
        (
            [_module({"aws_vpc.b.0": _WHOLE, "aws_vpc.b.00": _WHOLE})],
            "ADR002 * rename=aws_vpc.b.1",
            [_module({"aws_vpc.b.0": _WHOLE, "aws_vpc.b.1": _WHOLE})],
        ),
    ],
)
def test_choices(before: list[Any], decision: str, after: list[Any], version: int) -> None:
    assert mended(_state(*before, version=version), decision) == _state(*after, version=version)


def test_outputs_and_serial() -> None:
    assert mended(_state(_module(outputs={"a": None})), "STA005 * remove") == _state(_module())
    assert mended(_state(_OTHER, serial=-1), "STA005 * value=4") == _state(_OTHER, serial=4)


def test_everything_is_found_at_once() -> None:
    """The upgrade stops at the first problem; the list does not."""
    broken = _module(
        {"vpc": _WHOLE, "a.b.c": _WHOLE, "aws_vpc.a": _WHOLE | {"provider": "provider.a.b.c"}, "aws_vpc.b": None}
    )
    found = defects(_state(broken, None, _module(path=[]), serial=-1).encode())
    assert [one.finding.pointer for one in found] == [
        "/serial",
        "/modules/0/resources/vpc",
        "/modules/0/resources/a.b.c",
        "/modules/0/resources/aws_vpc.a/provider",
        "/modules/0/resources/aws_vpc.b",
        "/modules/1",
        "/modules/2/path",
    ]
    assert all(one.choices for one in found)


def test_taken_name() -> None:
    with pytest.raises(SurgeryError, match="already has a resource"):
        mended(_state(_module({"vpc": _WHOLE, "aws_vpc.b": _WHOLE})), "STA005 * rename=aws_vpc.b")

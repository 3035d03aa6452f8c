"""The work of salvage grows with the bytes, whatever their shape: calls are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Final

from benchmarks.damages.kinds import KINDS
from benchmarks.damages.states import LAYOUTS, changed, plan, write
from statefmt.formats.salvage import salvage
from tests.tables import each_row

_STATE: Final = b'{"version":4,"serial":1,"lineage":"l","resources":['
_HEAD: Final = b'{"mode":"managed","type":"t","name":"n","provider":"p","instances":['
_OBJECT: Final = b'{"schema_version":0,"attributes":{"id":"i"}}'
_SHAPES: Final[dict[str, Callable[[int], bytes]]] = {
    "nested objects": lambda n: b'{"a":' * n,
    "nested arrays": lambda n: _STATE + b"[" * n,
    "nested states": lambda n: b'{"version":' * n,
    "nested resources": lambda n: _STATE + _HEAD * n,
    "closed nested resources": lambda n: _STATE + _HEAD * n + b"]}" * n + b"]}\n",
    "open braces": lambda n: b"{" * n,
    "closed braces": lambda n: _STATE + b"}" * n,
    "quotes": lambda n: b'"' * n,
    "braces and quotes": lambda n: b'{"' * n,
    "names": lambda n: b'{"":' * n + b'"',
    "white space": lambda n: b"{" + b" " * n + b"{" + b" " * n,
    "partial states": lambda n: _STATE * n,
    "partial resources": lambda n: _STATE + _HEAD + _OBJECT + (b"," + _HEAD + _OBJECT) * n,
    "loose resources": lambda n: _STATE + b"\0" + (_HEAD + _OBJECT + b"]},") * n,
    "loose objects": lambda n: _STATE + b"x" + (_OBJECT + b",") * n,
    "torn objects": lambda n: _STATE + _HEAD + (_OBJECT[:-9] + b"\0") * n,
    "lines of logs": lambda n: b'{"x": [{"version":' * n,
    "lines of logs with holes": lambda n: b'{"x": [{"version":\0' * n,
    "holes": lambda n: (_STATE + b"\0\0") * n,
    "backslashes": lambda n: _STATE + b'"' + b"\\" * n,
    "escaped quotes": lambda n: b"{&quot;version&quot;:" * n,
    "colors": lambda n: b"\x1b[" * n + b"\x1b[0m" * n,
    "members of one name": lambda n: _STATE + b'{"mode":1' + b',"mode":1' * n,
    "states behind a state": lambda n: (_STATE + b"]}\n") * n,
}


def _calls(data: bytes) -> int:
    """Return how many calls salvage makes for the data, of Python and of C."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        salvage(data)
    finally:
        sys.setprofile(None)
    return count


@each_row("shape", _SHAPES, sample=8)
def test_shapes(shape: str) -> None:
    one, two, four = (_calls(_SHAPES[shape](200 * factor)) for factor in (1, 2, 4))
    assert two <= 2.2 * one + 100
    assert four <= 2.2 * two + 100


def _damaged(kind: str, size: int) -> bytes:
    """Return a damaged state; all of a kind have one layout, since an indented one has fewer parts for its bytes."""
    chance = Random(kind)
    layout = LAYOUTS[chance.choice(list(LAYOUTS))]
    newest = plan(chance, size)
    return KINDS[kind].damage(chance, write(newest, layout), write(changed(chance, newest), layout)).data


@each_row("kind", KINDS, sample=8)
def test_damages(kind: str) -> None:
    each = [_calls(data) / len(data) for data in (_damaged(kind, size * 40_000) for size in (1, 4))]
    assert each[1] <= 3 * each[0] + 0.1

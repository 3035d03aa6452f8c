"""A state that is read beside another one is read as on its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import pytest
from hypothesis import given, strategies as st

from benchmarks.shapes import SHAPES
from statefmt.formats.reading import ReadResult, read
from statefmt.formats.reading.beside import read_beside
from statefmt.model.errors import StateError
from statefmt.model.findings import Finding
from tests.formats.recorded import CASES, input_of
from tests.instructions import instructions
from tests.tables import each_row

_SHAPES = {name: b"".join(shape.pieces(20_000)) for name, shape in SHAPES.items()}


def _block(name: str, attributes: str = '{"id":"x"}', **members: str) -> str:
    more = "".join(f',"{member}":{value}' for member, value in members.items())
    return (
        f'{{"mode":"managed","type":"aws_vpc","name":"{name}",'
        '"provider":"provider[\\"registry.opentofu.org/hashicorp/aws\\"]",'
        f'"instances":[{{"schema_version":0,"attributes":{attributes}}}]{more}}}'
    )


def _state(*blocks: str, serial: int = 1, more: str = "") -> bytes:
    return f'{{"version":4,"serial":{serial},"lineage":"l"{more},"resources":[{", ".join(blocks)}]}}'.encode()


_FIVE = [_block(name, json.dumps({"id": name, "long": "x" * 200})) for name in "abcde"]


def _outcome(reading: Callable[[], ReadResult]) -> ReadResult | tuple[Finding, ...]:
    try:
        return reading()
    except StateError as error:
        return error.findings


def _assert_same(data: bytes, other: ReadResult) -> None:
    assert _outcome(lambda: read_beside(data, other)) == _outcome(lambda: read(data))


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param(_FIVE, id="equal"),
        pytest.param([*_FIVE[:2], _block("c"), *_FIVE[3:]], id="changed"),
        pytest.param([_block("a"), *_FIVE[1:]], id="first changed"),
        pytest.param([*_FIVE[:4], _block("e")], id="last changed"),
        pytest.param([_block("new"), *_FIVE], id="inserted"),
        pytest.param([*_FIVE, _block("new")], id="appended"),
        pytest.param(_FIVE[1:], id="removed"),
        pytest.param([*_FIVE[:2], *_FIVE[4:]], id="removed within"),
        pytest.param(_FIVE[::-1], id="reversed"),
    ],
)
def test_shared_resources_are_taken_from_the_other_state(blocks: Sequence[str]) -> None:
    other = read(_state(*_FIVE))
    data = _state(*blocks, serial=2)
    result = read_beside(data, other)
    assert result == read(data)
    by_addr = {resource.addr: resource for resource in other.snapshot.resources}
    shared = [one for one, text in zip(result.snapshot.resources, blocks, strict=True) if text in _FIVE]
    assert all(
        obj.attributes is known.attributes
        for one in shared
        for obj, known in zip(one.objects, by_addr[one.addr].objects, strict=True)
    )


@each_row(
    "data",
    [
        pytest.param(_state(*_FIVE, _FIVE[0]), id="a resource twice"),
        pytest.param(_state(*_FIVE, more=',"resources":[1]'), id="an invalid list before"),
        pytest.param(_state(*_FIVE, more=f',"resources":[{_block("x")}]'), id="a list before"),
        pytest.param(_state(*_FIVE)[:-1] + f',"resources":[{_block("x")}]}}'.encode(), id="a list after"),
        pytest.param(_state(*_FIVE, _block("x"))[:-1] + f',"resources":[{_block("x")}]}}'.encode(), id="the same rest"),
        pytest.param(_state(*_FIVE)[:-1] + b',"Resources":[]}', id="another case"),
        pytest.param(_state(*_FIVE)[:-1] + b',"\\u0072esources":[]}', id="an escaped name"),
        pytest.param(_state(*_FIVE, more=',"zz":1'), id="an unknown member"),
        pytest.param(_state(*_FIVE, _block("x", zz="1")), id="an unknown member of a resource"),
        pytest.param(_state(*_FIVE, "1"), id="no resource"),
        pytest.param(_state(*_FIVE, "null"), id="null"),
        pytest.param(_state(*_FIVE, ""), id="a comma too many"),
        pytest.param(_state(*_FIVE)[:-1], id="cut"),
        pytest.param(_state(*_FIVE)[:-2], id="cut in the list"),
        pytest.param(_state(*_FIVE) + b"1", id="followed by more"),
        pytest.param(_state(*_FIVE).replace(b"}, {", b"} {", 1), id="no comma"),
        pytest.param(_state(*_FIVE).replace(b"}, {", b"}\v,\t \n{", 1), id="no white space"),
        pytest.param(_state(*_FIVE).replace(b"}, {", b"}\t,\t \n{", 1), id="other white space"),
        pytest.param(_state(*_FIVE).replace(b'"l"', b'"\xff"'), id="not UTF-8"),
        pytest.param(_state(*_FIVE).replace(b'"version":4', b'"version":5'), id="another version"),
        pytest.param(_state(*_FIVE).replace(b'"version":4', b'"version":4.0'), id="an odd version"),
        pytest.param(
            _state(*_FIVE, more=f',"outputs":{{"o":{{"value":[{_FIVE[0]}],"type":"dynamic"}}}}'), id="in value"
        ),
        pytest.param(_state(), id="no resources"),
        pytest.param(b'{"version":4,"serial":1,"lineage":"l"}', id="no list"),
        pytest.param(b'{"version":4,"serial":1,"lineage":"l","resources":null}', id="null for the list"),
        pytest.param(b'{"version":4,"serial":1,"lineage":"l","resources":{}}', id="an object for the list"),
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="an array"),
    ],
)
def test_odd_states_are_read_as_on_their_own(data: bytes) -> None:
    _assert_same(data, read(_state(*_FIVE)))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(_state(*_FIVE, _FIVE[0]), id="a resource twice"),
        pytest.param(_state(*_FIVE, more=f',"resources":[{_block("x")}]'), id="two lists"),
        pytest.param(_state(*_FIVE, _block("x", each='"list"')), id="a finding"),
        pytest.param(_state(), id="no resources"),
        pytest.param(b'{"version":4,"serial":1,"lineage":"l"}', id="no list"),
        pytest.param(_SHAPES["format-3"], id="an older format"),
    ],
)
def test_states_are_read_beside_odd_ones_as_on_their_own(other: bytes) -> None:
    found = _outcome(lambda: read(other))
    if isinstance(found, ReadResult):
        _assert_same(_state(*_FIVE, serial=2), found)


def test_recorded_states_are_read_beside_others_as_on_their_own() -> None:
    compared = 0
    for case in CASES:
        data = input_of(case)
        other = _outcome(partial(read, data))
        if isinstance(other, ReadResult):
            _assert_same(data, other)
            _assert_same(data.replace(b'"serial": ', b'"serial": 1', 1), other)
            compared += 1
    assert compared > 100


@given(st.sampled_from(sorted(_SHAPES)), st.randoms(use_true_random=False), st.integers(1, 4))
def test_mutated_states_are_read_as_on_their_own(shape: str, random: Random, times: int) -> None:
    data = changed = _SHAPES[shape]
    for _ in range(times):
        changed = _mutated(changed, random)
    _assert_same(changed, read(data))
    found = _outcome(lambda: read(changed))
    if isinstance(found, ReadResult):
        _assert_same(data, found)


def _mutated(data: bytes, random: Random) -> bytes:
    """Move, repeat or remove whole lines or a few bytes, or insert something."""
    if data.count(b"\n") > 50 and random.random() < 0.5:
        lines = data.splitlines(keepends=True)
        start = random.randrange(len(lines))
        end = start + random.choice([1, 1, 2, 33])
        part, left = lines[start:end], lines[:start] + lines[end:]
        place = random.randrange(len(left) + 1)
        return b"".join(random.choice([left, lines[:place] + part + lines[place:], left[:place] + part + left[place:]]))
    start = random.randrange(len(data) + 1)
    new = random.choice([b"", b" ", b",", b"x", b"0", b'"', b"{", b"}", b"[]", b"null,", b"\\", b'"resources": [],'])
    return data[:start] + new + data[start + random.randrange(3) :]


def test_shared_resources_are_not_read_again() -> None:
    data = _state(*(_block(f"n{number}") for number in range(500)))
    changed = data.replace(b'"id":"x"', b'"id":"y"', 1)
    other = read(data)
    assert instructions(lambda: read_beside(changed, other)) * 2 < instructions(lambda: read(changed))

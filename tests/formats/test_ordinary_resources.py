"""Ordinary resources are read one by one, with the result of the thorough way, which sees the whole document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from benchmarks.shapes import SHAPES
from statefmt.formats.reading import inspect, read, read_one_by_one
from statefmt.formats.reading.resources import ResourceLifter
from statefmt.formats.versions import InvalidDocument, ResourceV4
from statefmt.model.errors import StateError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import ResourceState
from tests.formats.recorded import CASES, input_of
from tests.property.mutations import mutated
from tests.property.strategies import StateText, states as odd_states

_SAMPLES = Path(__file__).parents[2] / "samples"


def _states() -> Iterator[bytes]:
    yield from map(input_of, CASES)
    for shape in SHAPES.values():
        yield b"".join(shape.pieces(60_000))
    for sample in sorted(_SAMPLES.rglob("*.tfstate")):
        yield sample.read_bytes()


def _lifted(
    lift: Callable[[ResourceLifter], Callable[[Sequence[ResourceV4 | None]], tuple[ResourceState, ...]]],
    resources: Sequence[ResourceV4 | None],
) -> tuple[tuple[ResourceState, ...] | str, list[Finding]]:
    lifter = ResourceLifter()
    try:
        return lift(lifter)(resources), lifter.findings
    except InvalidDocument as error:
        return str(error), lifter.findings


def _assert_read_alike(data: bytes) -> None:
    """Compare what reading one by one gives with what inspecting gives, and with what the thorough way gives."""
    inspection = inspect(data)
    try:
        result = read(data)
    except StateError as error:
        assert inspection.snapshot is None
        assert error.findings == inspection.findings
    else:
        assert result.snapshot == inspection.snapshot
        assert result.findings == inspection.findings
        assert (result.version, result.style) == (inspection.version, inspection.style)
    if inspection.document is not None and inspection.document.resources:
        resources = inspection.document.resources
        assert _lifted(lambda lifter: lifter.lift, resources) == _lifted(lambda lifter: lifter._each, resources)


def test_recorded_and_generated_states_are_read_alike() -> None:
    read_in_one_pass = 0
    for data in _states():
        _assert_read_alike(data)
        read_in_one_pass += read_one_by_one(data) is not None
    assert read_in_one_pass > 700


@given(state=odd_states())
def test_odd_states_are_read_alike(state: StateText) -> None:
    _assert_read_alike(state.data)


@pytest.mark.parametrize(("first", "count"), [(0, 300), pytest.param(300, 1200, marks=pytest.mark.slow)])
def test_damaged_states_are_read_alike(first: int, count: int) -> None:
    states = [data for data in _states() if inspect(data).version == 4]
    for seed in range(first, first + count):
        random = Random(seed)
        _assert_read_alike(mutated(random.choice(states), random))


def test_a_repeated_member_is_read_thoroughly() -> None:
    one, other = (
        b'{"mode": "managed", "type": "a_b", "name": "%b", "provider": "provider[\\"a/b\\"]", "instances": %b}'
        % (name, instances)
        for name, instances in ((b"a", b'[{"attributes": {}}]'), (b"b", b"[]"))
    )
    for first, last in (
        (b"[%b]" % one, b"[%b]" % other),
        (b"[%b, %b]" % (one, one), b"[%b]" % other),
        (b'["x"]', b"[%b]" % one),
        (b"[%b]" % one.replace(b"{}", b'{}, "schema_version": -1'), b"[%b]" % other),
    ):
        _assert_read_alike(b'{"version": 4, "resources": %b, "resources": %b}' % (first, last))

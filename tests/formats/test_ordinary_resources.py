"""Resources that need no closer look are lifted in one pass, with the result of the thorough way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.shapes import SHAPES
from statefmt.formats.reading._lift_resources import ResourceLifter
from statefmt.formats.reading.inspect import inspect
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.v4 import ResourceV4
from statefmt.model.findings import Finding
from statefmt.model.resources import ResourceState
from tests.formats.recorded import CASES, input_of


def _states() -> Iterator[bytes]:
    yield from map(input_of, CASES)
    for shape in SHAPES.values():
        yield b"".join(shape.pieces(60_000))


def _lifted(
    resources: Sequence[ResourceV4 | None], *, thorough: bool
) -> tuple[tuple[ResourceState, ...] | str, list[Finding]]:
    lifter = ResourceLifter()
    try:
        return (lifter._each if thorough else lifter.lift)(resources), lifter.findings
    except InvalidDocument as error:
        return str(error), lifter.findings


def test_ordinary_resources_are_lifted_like_all_others() -> None:
    compared = 0
    for data in _states():
        document = inspect(data).document
        if document is not None and document.resources:
            assert _lifted(document.resources, thorough=False) == _lifted(document.resources, thorough=True)
            compared += len(document.resources)
    assert compared > 1500

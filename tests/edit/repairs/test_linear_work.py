"""The work of a repair grows with the bytes, whatever the shape of the state; it is counted, not timed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from statefmt.edit.repairs import Decided, repaired
from statefmt.edit.repairs.member_choices import Defect
from statefmt.formats.reading import read
from tests.edit.repairs.compact_state import AWS, GOOGLE, keyed, resource, state
from tests.instructions import instructions
from tests.tables import each_row

_SIZES: Final = (20, 40, 80)
# Where each part does little work for each of the others.
_LARGER: Final = {"resources without a provider": (70, 140, 280)}
# Twice as many parts are twice the work, give or take; in a quadratic repair the step is four times as high.
_HIGHEST_STEP: Final = 2.5
_OTHER: Final = resource(keyed("0", "x"), name="other")
_OUTPUT: Final = {"value": "x", "type": "number"}
_OLD: Final = {"version": 3, "terraform_version": "0.11.14", "serial": 3, "lineage": "l"}


def _objects(number: int, rest: Callable[[int], str], key: str = "%d") -> list[str]:
    return [keyed(key % place if "%" in key else key, f"i{place}", rest(place)) for place in range(number)]


def _plain(number: int) -> list[str]:
    return _objects(number, lambda _: "")


def _own(provider: str) -> str:
    return f',"provider":"{provider}"'


def _old(number: int) -> str:
    resources = {f"vpc-{place}": {"type": "aws_vpc", "primary": {"id": "x"}} for place in range(number)}
    return json.dumps(_OLD | {"modules": [{"path": ["root"], "outputs": {}, "resources": resources}]})


def _deposed(number: int) -> str:
    pairs = [
        text
        for place in range(number)
        for text in (
            keyed(str(place), "x", _own(rf"{AWS}.by[\"a\"]")),
            keyed(str(place), "y", _own(rf"{AWS}.by[\"b\"]") + ',"deposed":"0123abcd"'),
        )
    ]
    return state(resource(*pairs, provider=""))


def _resources(number: int) -> str:
    """As many resources without a provider as configurations of their type."""
    bare = [resource(keyed("0", "x"), name=f"bare{place}", provider="") for place in range(number)]
    return state(
        *[resource(keyed("0", "y"), name=f"r{place}", provider=f"{AWS}.a{place}") for place in range(number)], *bare
    )


_SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "objects without a provider": lambda n: state(resource(*_plain(n), provider=""), _OTHER),
    "resources without a provider": _resources,
    "one instance many times": lambda n: state(resource(*_objects(n, lambda _: "", "0"))),
    "many instances twice": lambda n: state(resource(*_plain(n), *_plain(n))),
    "one resource in many blocks": lambda n: state(*[resource(one) for one in _plain(n)]),
    "blocks in conflict": lambda n: state(
        *[resource(one, provider=(AWS, GOOGLE)[place % 2]) for place, one in enumerate(_plain(n))]
    ),
    "unreadable blocks": lambda n: state(_OTHER, *[resource(one, provider="?") for one in _plain(n)]),
    "unreadable objects": lambda n: state(
        resource(*_objects(n, lambda _: _own("?")), keyed('"x"', "y", _own(AWS)), provider="")
    ),
    "objects in conflict": lambda n: state(resource(*_objects(n, lambda place: _own(f"{AWS}.a{place}")), provider="")),
    "both levels": lambda n: state(resource(*_objects(n, lambda _: _own(AWS)))),
    "current and deposed": _deposed,
    "wrong types": lambda n: state(resource(*_objects(n, lambda _: ',"status":5'))),
    "private data": lambda n: state(resource(*_objects(n, lambda _: ',"private":"?"'))),
    "mixed keys": lambda n: state(resource(*_plain(n), *_objects(n, lambda _: "", '"s%d"'))),
    "names": lambda n: state(*[resource(name=f"a {place}") for place in range(n)]),
    "dependencies": lambda n: state(resource(*_objects(n, lambda _: ',"dependencies":["aws_vpc.gone","?"]'))),
    "marks": lambda n: state(resource(*_objects(n, lambda _: ',"sensitive_attributes":["id"]'))),
    "outputs": lambda n: state(
        outputs=json.dumps({f"o{place}": {"value": "x", "type": "number"} for place in range(n)})
    ),
    "old format": _old,
}


@each_row("shape", _SHAPES, sample=5)
def test_linear(shape: str) -> None:
    counts = [_work(_SHAPES[shape](number).encode()) for number in _LARGER.get(shape, _SIZES)]
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second < _HIGHEST_STEP * first, counts


def _first(defect: Defect) -> Decided | None:
    choice = next((choice for choice in defect.choices if not choice.value), None)
    return None if choice is None else Decided(choice, "")


def _work(data: bytes) -> int:
    """The number of instructions that a repair runs, of Python's own."""
    result = repaired(data, _first)
    read(result.content)
    assert result.mended
    return instructions(lambda: repaired(data, _first))

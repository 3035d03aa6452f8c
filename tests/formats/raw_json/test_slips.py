"""The slip of a hand edit is mended as it was before, or not at all, at any place; the end of a file is never added."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, strategies as st

from benchmarks.damages.slips import SLIPS, slipped
from benchmarks.damages.states import LAYOUTS, plan, write
from statefmt.formats import versions as v4
from statefmt.formats.raw_json import _tokens
from statefmt.formats.raw_json.slips import mended
from tests.tables import each_row

SAMPLES: Final = sorted(Path(__file__).parents[3].joinpath("samples").glob("v4-*.tfstate"))
_MADE: Final = {
    f"{layout} {seed}": write(plan(Random(seed), 3000), LAYOUTS[layout]).data
    for seed in range(3)
    for layout in ("indented", "compact")
}
_STATES: Final = {path.stem: path.read_bytes() for path in SAMPLES} | _MADE
_SAMPLE: Final = 20


def _value(text: bytes) -> Any:
    """Return the value of a JSON text with repeated names and the spelling of numbers."""
    return json.loads(text, object_pairs_hook=tuple, parse_float=str, parse_int=str)


@each_row("kind", SLIPS)
@each_row("seed", [pytest.param(n, marks=[pytest.mark.slow] if n >= _SAMPLE else []) for n in range(400)])
def test_the_state_is_as_it_was(kind: str, seed: int) -> None:
    name = list(_STATES)[seed % len(_STATES)]
    data = slipped(kind, seed, _STATES[name])
    if data is None:
        return
    found = mended(data)
    # In a file with one line, a bracket may belong to several places: then none is chosen.
    assert found is None or _value(found.text) == _value(_STATES[name])


_VALUES: Final = [
    "", "x", "0", "null", "[]", "{", "}", "},{", ":", ",", ": ", ", ", ":,", ",:", ",1,", "a, b", "k: v", '"', '", "',
    '": "', 'say "x"', "it\u2019s", "'", "',", "':'", "\u2018,\u2019", "\u201cx\u201d", "5\u201d", "\u201c", ", \u201d",
]  # fmt: skip
_TYPOGRAPHIC: Final = [*"\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f'`\xb4\xab\xbb\u2039\u203a\u2032\u2033\uff02"]
_COMMON: Final = ("", '""', "\u201d", "'")


@each_row(
    "quote",
    [pytest.param(one, id=ascii(one), marks=[] if one in _COMMON else [pytest.mark.slow])
     for one in ("", '""', *_TYPOGRAPHIC)],
)  # fmt: skip
def test_a_quote_is_only_mended_where_no_other_reading_is_possible(quote: str) -> None:
    made = found = 0
    for value in _VALUES:
        if not quote and not {"\u201c", "\u201d"}.isdisjoint(value):
            # A quote beside such a one is taken for lacking because the other was typed in its place.
            continue
        attributes = {"n": value, "list": [value, "x", value], "m": {"k": ", ", "l": value}, "z": 0}
        one = {"schema_version": 0, "attributes": attributes}
        resource = {"mode": "managed", "type": "a", "name": "b", "instances": [one]}
        state = {"version": 4, "serial": 7, "lineage": "3f1c2a77", "resources": [resource]}
        for layout in ({"indent": 2}, {"separators": (",", ":")}):
            whole = json.dumps(state, ensure_ascii=False, **layout)
            for string in re.finditer(r'"(?:[^"\\]|\\.)*"', whole[whole.index('"attributes"') :]):
                inner, place = string[0][1:-1], whole.index('"attributes"') + string.start()
                spellings = [f'{quote}{inner}"', f'"{inner}{quote}']
                for spelling in [*spellings, *([f"{quote}{inner}{quote}"] if quote in _TYPOGRAPHIC else [])]:
                    text = whole[:place] + spelling + whole[place + len(string[0]) :]
                    result = mended(text.encode())
                    assert result is None or _value(result.text) == _value(whole.encode()), text
                    made, found = made + 1, found + (result is not None)
    assert found > made / 4


@each_row("kind", SLIPS)
def test_nearly_every_slip_in_an_indented_state_is_mended(kind: str) -> None:
    states = [data for name, data in _STATES.items() if name.startswith("indented") or name == "v4-regions"]
    made = [one for seed in range(60) if (one := slipped(kind, seed, states[seed % len(states)])) is not None]
    assert len(made) > 10
    assert sum(mended(one) is not None for one in made) >= 0.95 * len(made)


@given(st.sampled_from(sorted(_STATES)), st.integers(0, 10_000), st.sampled_from([b"", b"\n", b"}", b"]", b"\0", b'"']))
def test_a_file_that_was_cut_off_is_not_a_slip(name: str, at: int, end: bytes) -> None:
    whole = _STATES[name].rstrip()
    cut = whole[: at % (len(whole) - 1)]
    found = mended(cut + end)
    # A bracket that was typed at the end of a cut file may be all that it lacks.
    assert found is None or end in (b"}", b"]")


@pytest.mark.parametrize(
    ("what", "old", "new", "line", "column"),
    [
        ("1 comma missing", b'"serial": 58,', b'"serial": 58', 4, 15),
        ("1 colon missing", b'"serial": 58', b'"serial" 58', 4, 11),
        ("1 other character in place of a colon", b'"serial": 58', b'"serial" = 58', 4, 12),
        ("1 quote missing", b'"serial": 58', b'"serial: 58', 4, 10),
        ("1 quote missing", b'"serial": 58', b'serial": 58', 4, 3),
        ("1 name without quotes", b'"serial": 58', b"serial: 58", 4, 3),
        ("None in place of null", b'"check_results": null', b'"check_results": None', 244, 20),
        ("1 [ missing", b'"resources": [', b'"resources": ', 33, 16),
        ("1 } too many", b'"check_results": null\n}', b'"check_results": null\n}}', 245, 2),
        ("1 comma too many", b'"check_results": null\n}', b'"check_results": null\n},', 245, 2),
        ("1 comment", b'"check_results": null\n}', b'"check_results": null\n}\n# mine', 246, 1),
    ],
)
def test_the_place_is_that_of_the_slip(what: str, old: bytes, new: bytes, line: int, column: int) -> None:
    whole = _STATES["v4-regions"]
    assert whole.count(old) == 1
    found = mended(whole.replace(old, new))
    assert found is not None
    assert [(one.what, one.line, one.column) for one in found.slips] == [(what, line, column)]


def test_several_slips_of_one_kind() -> None:
    whole = _STATES["v4-regions"]
    commented = whole.replace(b'"mode": "managed",', b'"mode": "managed", // kept')
    found = mended(commented)
    assert found is not None
    assert _value(found.text) == _value(whole)
    assert found.slips[0].what == f"{whole.count(b'managed')} comments"
    two = whole.replace(b'"version": 4,', b'"version": 4').replace(b'"serial": 58,', b'"serial": 58')
    found = mended(two)
    assert found is not None
    assert [(one.line, one.column) for one in found.slips] == [(2, 15), (4, 15)]


def test_two_slips_of_different_kinds_are_left_alone() -> None:
    whole = _STATES["v4-regions"]
    assert mended(whole.replace(b'"version": 4,', b'"version": 4').replace(b'"serial":', b'"serial"')) is None


def test_the_names_of_the_format_are_known() -> None:
    assert set(v4.StateV4.__struct_encode_fields__) - {"unknown", "\0unknown"} >= _tokens.STATE
    known = {
        "resource": (v4.ResourceV4, _tokens.RESOURCE),
        "object": (v4.InstanceObjectV4, _tokens.OBJECT),
        "output": (v4.OutputV4, _tokens.OUTPUT),
    }
    for struct, names in known.values():
        fields = {name for name in struct.__struct_encode_fields__ if name.isidentifier() and name != "unknown"}
        assert fields == names

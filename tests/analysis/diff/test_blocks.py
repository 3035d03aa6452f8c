"""Where two lists of blocks differ, by content and in their order. All expectations are written by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, strategies as st

from statefmt import pairing
from statefmt.analysis.diff.places import Crossing, Plain, equal_values, plain
from statefmt.analysis.diff.values import NoValue, ValueChange, value_changes
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.cty import STRING, ListType, ObjectType, SetType, Type
from statefmt.pairing import MOST_PAIRS, BlockPairing, Keys
from tests.tables import each_row

# Both lists, and what differs: `+`, `-` or `~`, the path, and the values; `order` has the old position of each element.
_RULES: Final = {
    "22": '{"from":22,"to":22,"cidr":["10.0.0.0/8"],"note":""}',
    "22 wider": '{"from":22,"to":22,"cidr":["10.0.0.0/8","192.168.0.0/16"],"note":""}',
    "80": '{"from":80,"to":80,"cidr":["0.0.0.0/0"],"note":""}',
    "80 noted": '{"from":80,"to":80,"cidr":["0.0.0.0/0"],"note":"web"}',
    "443": '{"from":443,"to":443,"cidr":["0.0.0.0/0"],"note":"tls"}',
    "443 noted": '{"from":443,"to":443,"cidr":["0.0.0.0/0"],"note":"https"}',
}


def _rules(*names: str) -> str:
    return f"[{','.join(_RULES[name] for name in names)}]"


TABLE: Final[list[tuple[str, str, str, list[str]]]] = [
    # Reordered.
    ("two swapped", _rules("22", "80"), _rules("80", "22"), ["order 1 0"]),
    ("three turned round", _rules("22", "80", "443"), _rules("443", "80", "22"), ["order 2 1 0"]),
    ("last one first", _rules("22", "80", "443"), _rules("443", "22", "80"), ["order 2 0 1"]),
    ("first one last", _rules("22", "80", "443"), _rules("80", "443", "22"), ["order 1 2 0"]),
    ("one field only", '[{"p":1},{"p":2}]', '[{"p":2},{"p":1}]', ["order 1 0"]),
    ("members in another order", '[{"a":1,"b":2}]', '[{"b":2,"a":1}]', []),
    ("and members in another order", '[{"a":1,"b":2},{"a":3}]', '[{"a":3},{"b":2,"a":1}]', ["order 1 0"]),
    # One changed.
    ("one changed in place", _rules("22", "80", "443"), _rules("22", "80 noted", "443"), ['~ 1/note: "" > "web"']),
    ("one changed and reordered", _rules("22", "80", "443"), _rules("443", "22 wider", "80"),
     ["order 2 0 1", '+ of 0/cidr: "192.168.0.0/16"']),
    ("one changed and last", _rules("22", "80", "443"), _rules("80", "443", "22 wider"),
     ["order 1 2 0", '+ of 0/cidr: "192.168.0.0/16"']),
    ("all changed in place", _rules("22", "80", "443"), _rules("22 wider", "80 noted", "443 noted"),
     ['+ of 0/cidr: "192.168.0.0/16"', '~ 1/note: "" > "web"', '~ 2/note: "tls" > "https"']),
    ("all changed and turned round", _rules("22", "80", "443"), _rules("443 noted", "80 noted", "22 wider"),
     ["order 2 1 0", '+ of 0/cidr: "192.168.0.0/16"', '~ 1/note: "" > "web"', '~ 2/note: "tls" > "https"']),
    ("all of a single member changed", '[{"p":1},{"p":2}]', '[{"p":3},{"p":4}]', ["~ 0/p: 1 > 3", "~ 1/p: 2 > 4"]),
    ("a member added in each", '[{"n":"a"},{"n":"b"}]', '[{"n":"a","x":1},{"n":"b","x":1}]', ["+ 0/x: 1", "+ 1/x: 1"]),
    ("a member added in each, turned round", '[{"n":"a"},{"n":"b"}]', '[{"n":"b","x":1},{"n":"a","x":1}]',
     ["order 1 0", "+ 0/x: 1", "+ 1/x: 1"]),
    ("a member removed", '[{"n":"a","x":1},{"n":"b","x":1}]', '[{"n":"a"},{"n":"b","x":1}]', ["- 0/x: 1"]),
    ("another name for a member", '[{"a":1}]', '[{"b":1}]', ["- 0/a: 1", "+ 0/b: 1"]),
    # Added and removed.
    ("added at the end", _rules("22"), _rules("22", "80"), [f"+ 1: {_RULES['80']}"]),
    ("added at the front", _rules("22", "80"), _rules("443", "22", "80"), [f"+ 0: {_RULES['443']}"]),
    ("added in the middle", _rules("22", "443"), _rules("22", "80", "443"), [f"+ 1: {_RULES['80']}"]),
    ("added at the front, one changed", _rules("22", "80"), _rules("443", "22", "80 noted"),
     [f"+ 0: {_RULES['443']}", '~ 1/note: "" > "web"']),
    ("added at the front, all changed", '[{"n":"a","v":1},{"n":"b","v":2}]',
     '[{"n":"z","v":9},{"n":"a","v":3},{"n":"b","v":4}]', ['+ 0: {"n":"z","v":9}', "~ 0/v: 1 > 3", "~ 1/v: 2 > 4"]),
    ("added and reordered", _rules("22", "80"), _rules("80", "443", "22"), ["order 1 - 0", f"+ 1: {_RULES['443']}"]),
    ("removed at the front", _rules("22", "80", "443"), _rules("80", "443"), [f"- 0: {_RULES['22']}"]),
    ("removed in the middle", _rules("22", "80", "443"), _rules("22", "443"), [f"- 1: {_RULES['80']}"]),
    ("removed and reordered", _rules("22", "80", "443"), _rules("443", "22"), ["order 2 0", f"- 1: {_RULES['80']}"]),
    ("removed at the front, one changed", _rules("22", "80", "443"), _rules("80 noted", "443"),
     [f"- 0: {_RULES['22']}", '~ 1/note: "" > "web"']),
    ("a window that moves on", _rules("22", "80"), _rules("80", "443"),
     [f"- 0: {_RULES['22']}", f"+ 1: {_RULES['443']}"]),
    ("a window of single members", '[{"p":1},{"p":2}]', '[{"p":2},{"p":3}]', ['- 0: {"p":1}', '+ 1: {"p":3}']),
    ("from empty", "[]", '[{"p":1},{"p":2}]', ['+ 0: {"p":1}', '+ 1: {"p":2}']),
    ("to empty", '[{"p":1},{"p":2}]', "[]", ['- 0: {"p":1}', '- 1: {"p":2}']),
    # Duplicates.
    ("a duplicate removed", _rules("22", "22", "80"), _rules("22", "80"), [f"- 1: {_RULES['22']}"]),
    ("a duplicate added", _rules("22", "80"), _rules("22", "80", "80"), [f"+ 2: {_RULES['80']}"]),
    ("the first of two removed", _rules("22", "80", "22"), _rules("80", "22"), [f"- 0: {_RULES['22']}"]),
    ("all but one removed", '[{"p":1},{"p":1},{"p":1}]', '[{"p":1}]', ['- 1: {"p":1}', '- 2: {"p":1}']),
    ("a duplicate moved", _rules("22", "22", "80"), _rules("22", "80", "22"), ["order 0 2 1"]),
    ("one of two duplicates changed", _rules("80", "80"), _rules("80", "80 noted"), ['~ 1/note: "" > "web"']),
    ("both duplicates changed alike", _rules("80", "80", "22"), _rules("80 noted", "80 noted", "22"),
     ['~ 0/note: "" > "web"', '~ 1/note: "" > "web"']),
    ("duplicates changed in two ways", '[{"n":"a","v":1},{"n":"a","v":1}]', '[{"n":"a","v":2},{"n":"a","v":3}]',
     ["~ 0/v: 1 > 2", "~ 1/v: 1 > 3"]),
    ("which one is there twice", '[{"p":1},{"p":1},{"p":2}]', '[{"p":1},{"p":2},{"p":2}]',
     ['- 1: {"p":1}', '+ 2: {"p":2}']),
    # Nested lists.
    ("a list in a block, reordered", '[{"n":"a","l":[{"x":1},{"x":2}]}]', '[{"n":"a","l":[{"x":2},{"x":1}]}]',
     ["order 1 0 in 0/l"]),
    ("both lists reordered", '[{"n":"a","l":[{"x":1},{"x":2}]},{"n":"b","l":[]}]',
     '[{"n":"b","l":[]},{"n":"a","l":[{"x":2},{"x":1}]}]', ["order 1 0", "order 1 0 in 0/l"]),
    ("both lists reordered, one value changed", '[{"n":"a","l":[{"x":1,"y":1},{"x":2,"y":2}]},{"n":"b","l":[]}]',
     '[{"n":"b","l":[]},{"n":"a","l":[{"x":2,"y":2},{"x":1,"y":3}]}]',
     ["order 1 0", "order 1 0 in 0/l", "~ 0/l/0/y: 1 > 3"]),
    ("an inner element added", '[{"n":"a","l":["x"]},{"n":"b","l":["y"]}]',
     '[{"n":"b","l":["y"]},{"n":"a","l":["x","z"]}]', ["order 1 0", '+ of 0/l: "z"']),
    ("the order inside of two", '[{"n":"a","l":[3,1]},{"n":"b","l":[4,2]}]',
     '[{"n":"a","l":[1,3]},{"n":"b","l":[2,4]}]',
     ["~ 0/l/0: 3 > 1", "~ 0/l/1: 1 > 3", "~ 1/l/0: 4 > 2", "~ 1/l/1: 2 > 4"]),
    ("blocks and the order inside", '[{"n":"a","l":[3,1]},{"n":"b","l":[4,2]}]',
     '[{"n":"b","l":[4,2]},{"n":"a","l":[1,3]}]',
     ["order 1 0", "~ 0/l/0: 3 > 1", "~ 0/l/1: 1 > 3"]),
    # Matrices.
    ("rows swapped", "[[1,2],[3,4]]", "[[3,4],[1,2]]", ["order 1 0"]),
    ("a cell changed", "[[1,2],[3,4]]", "[[1,2],[3,5]]", ["~ 1/1: 4 > 5"]),
    ("rows swapped, a cell changed", "[[1,2,3],[4,5,6]]", "[[4,5,7],[1,2,3]]", ["order 1 0", "~ 1/2: 6 > 7"]),
    ("a row added at the front", "[[1,2],[3,4]]", "[[0,0],[1,2],[3,4]]", ["+ 0: [0,0]"]),
    ("a row removed", "[[1,2],[3,4],[5,6]]", "[[1,2],[5,6]]", ["- 1: [3,4]"]),
    ("cells swapped in a row", "[[2,1],[3,4]]", "[[1,2],[3,4]]", ["~ 0/0: 2 > 1", "~ 0/1: 1 > 2"]),
    ("turned on its side", "[[1,2],[3,4]]", "[[1,3],[2,4]]", ["~ 0/1: 2 > 3", "~ 1/0: 3 > 2"]),
    ("a cube, planes swapped", "[[[1],[2]],[[3],[4]]]", "[[[3],[4]],[[1],[2]]]", ["order 1 0"]),
    # Mixed types.
    ("a string changed beside a block", '["a",{"p":1}]', '["b",{"p":1}]', ['~ 0: "a" > "b"']),
    ("a string and a block changed", '["a",{"p":1,"q":1}]', '["b",{"p":1,"q":2}]', ['~ 0: "a" > "b"', "~ 1/q: 1 > 2"]),
    ("a string and a block swapped", '["a",{"p":1}]', '[{"p":1},"a"]', ["order 1 0"]),
    ("a block became a list", '[{"p":1},{"z":1}]', '[[1],{"z":1}]', ['~ 0: {"p":1} > [1]']),
    ("a block became null", '[{"p":1},{"z":1}]', '[null,{"z":1}]', ['~ 0: {"p":1} > null']),
    ("a null came first", '[{"p":1},{"z":1}]', '[null,{"p":1},{"z":1}]', ["+ 0: null"]),
    ("a string gone", '["a",{"p":1},{"z":1}]', '[{"p":1},{"z":1}]', ['- 0: "a"']),
    # 1, 1.0 and "1"; true and 1.
    ("1 and 1.0", '[{"p":1},{"p":2}]', '[{"p":1.0},{"p":2.0}]', []),
    ("1 and 1.0, swapped", '[{"p":1},{"p":2}]', '[{"p":2.0},{"p":1.0}]', ["order 1 0"]),
    ("1 and a string", '[{"p":1},{"q":1}]', '[{"p":"1"},{"q":1}]', ['~ 0/p: 1 > "1"']),
    ("1 and a string, as two blocks", '[{"p":1},{"p":"1"}]', '[{"p":"1"},{"p":1}]', ["order 1 0"]),
    ("true and 1", '[{"p":true},{"p":1}]', '[{"p":1},{"p":true}]', ["order 1 0"]),
    ("true became 1", '[{"p":true},{"q":1}]', '[{"p":1},{"q":1}]', ["~ 0/p: true > 1"]),
    ("long numbers", '[{"n":"a","p":12345678901234567890123},{"q":1}]',
     '[{"q":1},{"n":"a","p":12345678901234567890124}]',
     ["order 1 0", "~ 0/p: 12345678901234567890123 > 12345678901234567890124"]),
    ("numbers beyond those of floats", '[{"n":"a","p":1e400},{"q":1}]', '[{"q":1},{"n":"a","p":-2e400}]',
     ["order 1 0", "~ 0/p: 1e400 > -2e400"]),
    # Null and missing.
    ("null and missing", '[{"n":"a","x":null},{"n":"b"}]', '[{"n":"a"},{"n":"b","x":null}]',
     ["- 0/x: null", "+ 1/x: null"]),
    ("null and missing, swapped", '[{"x":null},{}]', '[{},{"x":null}]', ["order 1 0"]),
    ("null and empty", '[{"n":"a","x":null}]', '[{"n":"a","x":[]}]', ["~ 0/x: null > []"]),
    # Names that begin with `__`.
    ("a name with __ changed", '[{"__a":1,"n":"x"},{"__a":2,"n":"y"}]', '[{"__a":1,"n":"x"},{"__a":3,"n":"y"}]',
     ["~ 1/__a: 2 > 3"]),
    ("only names with __", '[{"__a":"x","__b":1,"__c":1},{"__a":"y","__b":2,"__c":2}]',
     '[{"__a":"y","__b":2,"__c":3},{"__a":"x","__b":1,"__c":4}]', ["order 1 0", "~ 0/__c: 1 > 4", "~ 1/__c: 2 > 3"]),
    # With nothing in common by name, blocks cannot be exchanged one by one.
    ("blocks with other names", '[{"l":[2,1]},{"a":"u"},{"a":"p","b":"p"}]',
     '[{"a":"u"},{"a":"t","b":"p"},{"l":[2,1,1]}]',
     ["order 1 2 0", "+ 0/l/2: 1", '~ 2/a: "p" > "t"']),
    # DeepDiff takes the last of equally close blocks for one of them, and leaves the others over.
    ("equally close", '[{"p":1},{"p":2},{"p":3}]', '[{"p":4},{"p":5},{"p":6}]',
     ["~ 0/p: 1 > 4", "~ 1/p: 2 > 5", "~ 2/p: 3 > 6"]),
    ("one block and two equally close ones", '[{"p":1}]', '[{"p":5},{"p":6}]', ["~ 0/p: 1 > 5", '+ 1: {"p":6}']),
    ("two equally close blocks and one", '[{"p":1},{"p":2}]', '[{"p":5}]', ["~ 0/p: 1 > 5", '- 1: {"p":2}']),
]  # fmt: skip


@each_row(("old", "new", "expected"), [each[1:] for each in TABLE], ids=[each[0] for each in TABLE])
def test_blocks(old: str, new: str, expected: list[str]) -> None:
    assert sorted(map(_line, _changes(old, new))) == sorted(expected)


@each_row(("old", "new"), [each[1:3] for each in TABLE], ids=[each[0] for each in TABLE])
def test_the_changes_of_the_table_make_the_new_list(old: str, new: str) -> None:
    _assert_applies(old, new)


def test_the_table_is_long_enough() -> None:
    assert len({each[1:3] for each in TABLE}) >= 60


def _changes(old: str, new: str, shared: BlockPairing | None = None, of: Type | None = None) -> tuple[ValueChange, ...]:
    one, other = loads_exact(old.encode()), loads_exact(new.encode())
    if equal_values(plain(one, exact=False), plain(other, exact=False)):
        return ()
    return value_changes(one, other, one, other, exact=False, pairing=shared, of=of)


def _line(change: ValueChange) -> str:
    path = "/".join(">" if isinstance(step, Crossing) else str(step) for step in change.path)
    if change.order is not None:
        order = " ".join("-" if place is None else str(place) for place in change.order)
        return f"order {order}{' in ' * bool(path)}{path}"
    if change.by_position:
        return f"by position{' in ' * bool(path)}{path}"
    sign = "+" if isinstance(change.old, NoValue) else "-" if isinstance(change.new, NoValue) else "~"
    sides = [_text(side) for side in (change.old, change.new) if not isinstance(side, NoValue)]
    return f"{sign} {'of ' * change.is_element}{path}: {' > '.join(sides)}"


def _text(value: JSONValue) -> str:
    if isinstance(value, Members):
        return f"{{{','.join(f'{json.dumps(name)}:{_text(part)}' for name, part in value)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return str(value) if isinstance(value, str) and type(value) is not str else json.dumps(value)


# Blocks that look alike, so that many pairs are possible.
_SCALARS = st.sampled_from((None, True, 1, "1", "a", "b", ""))
_PARTS = st.dictionaries(st.sampled_from(("a", "b", "__c")), _SCALARS | st.lists(_SCALARS, max_size=3), max_size=3)
_BLOCKS = st.recursive(
    _PARTS | _SCALARS,
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.sampled_from("al"), parts),
    max_leaves=8,
)
_LISTS = st.lists(_BLOCKS, max_size=6)


@given(_LISTS, _LISTS)
def test_the_changes_make_the_new_list(old: list[Any], new: list[Any]) -> None:
    _assert_applies(json.dumps(old), json.dumps(new))


@given(_LISTS, st.data())
def test_a_few_changes_make_the_new_list(old: list[Any], data: st.DataObject) -> None:
    new: list[Any] = list(data.draw(st.permutations(old)))
    is_changed = data.draw(st.booleans())
    if new and is_changed:
        new[data.draw(st.integers(0, len(new) - 1))] = data.draw(_BLOCKS)
    if data.draw(st.booleans()):
        new.insert(data.draw(st.integers(0, len(new))), data.draw(_BLOCKS))
    _assert_applies(json.dumps(old), json.dumps(new))


def _assert_applies(old: str, new: str) -> None:
    before, after = (plain(loads_exact(text.encode()), exact=False) for text in (old, new))
    changes = _changes(old, new)
    assert bool(changes) == (json.loads(old) != json.loads(new) or not equal_values(before, after))
    if not equal_values(before, after):
        result = _applied(before, [(_plain_path(change), change) for change in changes])
        assert equal_values(result, after), changes


def _plain_path(change: ValueChange) -> tuple[str | int, ...]:
    return tuple(step for step in change.path if isinstance(step, (str, int)))


def _applied(value: Plain, changes: list[tuple[tuple[str | int, ...], ValueChange]]) -> Plain:
    """Return what changes make of a value, by nothing but the changes."""
    if not changes:
        return value
    for path, change in changes:
        if not path and change.order is None and not change.by_position and not change.is_element:
            assert not isinstance(change.new, NoValue)
            return plain(change.new, exact=False)
    if isinstance(value, dict):
        result = {**value}
        for name in dict.fromkeys(path[0] for path, _ in changes):
            inside = [(path[1:], change) for path, change in changes if path[0] == name]
            if len(inside) == 1 and not inside[0][0] and _goes_or_comes(inside[0][1]):
                result.pop(str(name), None)
                if not isinstance(inside[0][1].new, NoValue):
                    result[str(name)] = plain(inside[0][1].new, exact=False)
            else:
                result[str(name)] = _applied(value[str(name)], inside)
        return result
    assert isinstance(value, list)
    elements = [change for path, change in changes if not path and change.is_element]
    if elements:
        gone = {str(change.old) for change in elements if isinstance(change.new, NoValue)}
        come = {str(change.new) for change in elements if isinstance(change.old, NoValue)}
        return [*sorted({str(item) for item in value} - gone | come)]
    added = {
        path[0]: plain(change.new, exact=False)
        for path, change in changes
        if len(path) == 1
        and isinstance(change.old, NoValue)
        and not isinstance(change.new, NoValue)
        and not change.is_element
    }
    removed = {
        path[0]
        for path, change in changes
        if len(path) == 1
        and isinstance(change.new, NoValue)
        and not isinstance(change.old, NoValue)
        and not change.is_element
    }
    kept: dict[int, Plain] = {}
    for place, item in enumerate(value):
        if place not in removed:
            inside = [
                (path[1:], change)
                for path, change in changes
                if path and path[0] == place and not (len(path) == 1 and _goes_or_comes(change))
            ]
            kept[place] = _applied(item, inside)
    order = next((change.order for path, change in changes if not path and change.order is not None), None)
    if order is not None:
        return [added[place] if source is None else kept[source] for place, source in enumerate(order)]
    result_list = list(kept.values())
    for place in sorted(int(place) for place in added):
        result_list.insert(place, added[place])
    return result_list


def _goes_or_comes(change: ValueChange) -> bool:
    return (
        change.order is None
        and not change.is_element
        and not change.by_position
        and (isinstance(change.old, NoValue) or isinstance(change.new, NoValue))
    )


def _blocks(count: int, value: int) -> str:
    """Blocks that all differ from those of another value, in the opposite order for an odd one."""
    blocks = [{"name": f"n{number}", "zone": f"z{number}", "value": value} for number in range(count)]
    return json.dumps(blocks[::-1] if value % 2 else blocks)


def test_a_run_pairs_400_blocks_and_then_compares_positions() -> None:
    assert MOST_PAIRS == 400
    run = BlockPairing()
    found = [_line(change) for change in _changes(_blocks(20, 0), _blocks(20, 1), run)]
    assert found == [
        f"order {' '.join(map(str, reversed(range(20))))}",
        *(f"~ {number}/value: 0 > 1" for number in range(20)),
    ]
    # Nothing is left for another list of the same run.
    assert "by position" in map(_line, _changes(_blocks(2, 0), _blocks(2, 1), run))
    assert "by position" not in map(_line, _changes(_blocks(2, 0), _blocks(2, 1), BlockPairing()))


def test_equal_blocks_and_single_ones_are_paired_without_the_limit() -> None:
    run = BlockPairing()
    assert "by position" in map(_line, _changes(_blocks(21, 0), _blocks(21, 1), run))
    old, new = json.loads(_blocks(300, 0)), json.loads(_blocks(300, 0))[::-1]
    new[7]["value"] = 5
    found = [_line(change) for change in _changes(json.dumps(old), json.dumps(new), run)]
    assert found == [f"order {' '.join(map(str, reversed(range(300))))}", "~ 292/value: 0 > 5"]


def test_pairs_in_lists_inside_count() -> None:
    old = json.dumps([{"name": "a", "list": json.loads(_blocks(21, 0))}])
    new = json.dumps([{"name": "a", "list": json.loads(_blocks(21, 1))}])
    assert "by position in 0/list" in map(_line, _changes(old, new))


def test_large_blocks_are_compared_by_position() -> None:
    old, new = (
        json.dumps([{f"a{number}": f"{side}{block}" for number in range(20_000)} for block in range(2)])
        for side in ("x", "y")
    )
    assert "by position" in map(_line, _changes(old, new))


# What DeepDiff pairs; without one of the settings, each of these would have no pairs, or others.
PAIRED: Final[list[tuple[str, list[Any], list[Any], list[tuple[int, int]]]]] = [
    ("every block changed", [{"n": "a", "v": 1}, {"n": "b", "v": 1}], [{"n": "b", "v": 2}, {"n": "a", "v": 2}],
     [(0, 1), (1, 0)]),
    ("most members changed", [{"n": "a", "v": 1, "w": 1}, {"n": "b", "v": 2, "w": 2}],
     [{"n": "b", "v": 3, "w": 3}, {"n": "a", "v": 4, "w": 4}], [(0, 1), (1, 0)]),
    ("few names in common", [{"n": "a", "a1": 1, "a2": 1}, {"n": "b", "b1": 1, "b2": 1}],
     [{"n": "b", "c1": 1, "c2": 1}, {"n": "a", "d1": 1, "d2": 1}], [(0, 1), (1, 0)]),
    ("far apart", [{"n": "a", "x": 1, "y": 1, "z": 1}, {"n": "b", "x": 2, "y": 2, "z": 2}],
     [{"n": "b", "x": [5, 6], "y": [5, 6], "z": [7, 8]}, {"n": "a", "x": [1, 2], "y": [3, 4], "z": [5, 6]}],
     [(0, 1), (1, 0)]),
    ("names with __", [{"__n": "a", "__v": 1}, {"__n": "b", "__v": 1}],
     [{"__n": "b", "__v": 2}, {"__n": "a", "__v": 2}],
     [(0, 1), (1, 0)]),
    ("duplicates inside", [{"l": [1, 1, 2]}, {"l": [3, 3, 4]}], [{"l": [3, 4]}, {"l": [1, 2]}], [(0, 1), (1, 0)]),
    ("the order inside", [{"l": [3, 1]}, {"l": [4, 2]}], [{"l": [2, 4]}, {"l": [1, 3]}], [(0, 1), (1, 0)]),
    ("rows", [["a", "b", "c"], ["d", "e", "f"]], [["d", "e", "x"], ["a", "b", "y"]], [(0, 1), (1, 0)]),
    ("objects and lists", [{"n": "a"}, ["a"]], [["b"], {"n": "b"}], [(0, 1), (1, 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), [each[1:] for each in PAIRED], ids=[each[0] for each in PAIRED])
def test_pairs(old: list[Any], new: list[Any], expected: list[tuple[int, int]]) -> None:
    one, other = (plain(loads_exact(json.dumps(side).encode()), exact=False) for side in (old, new))
    assert isinstance(one, list) and isinstance(other, list)
    assert sorted(BlockPairing().closest(one, other, Keys()) or ()) == expected


def test_numbers_reach_deepdiff_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[Any] = []
    paired = pairing._paired_by_deepdiff

    def recorded(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
        blocks.extend([*old, *new])
        return paired(old, new)

    monkeypatch.setattr(pairing, "_paired_by_deepdiff", recorded)
    old = '[{"p":0.1,"q":12345678901234567890123},{"p":1e400,"q":2}]'
    _changes(old, '[{"p":0.1,"q":12345678901234567890124},{"p":1e400,"q":3}]')
    assert [block["q"] for block in blocks] == list(
        map(Decimal, ("12345678901234567890123", "2", "12345678901234567890124", "3"))
    )
    assert [block["p"] for block in blocks] == [Decimal("0.1"), Decimal("1e400")] * 2


_RULE: Final = ObjectType({"n": STRING, "l": SetType(STRING)})


def test_sets_have_no_order() -> None:
    old, new = '{"s":[{"n":"a"},{"n":"b"},{"n":"c"}]}', '{"s":[{"n":"b"},{"n":"c"},{"n":"x"},{"n":"a"}]}'
    assert list(map(_line, _changes(old, new))) == ["order 1 2 - 0 in s", '+ s/2: {"n":"x"}']
    as_list = _changes(old, new, of=ObjectType({"s": ListType(_RULE)}))
    assert list(map(_line, as_list)) == ["order 1 2 - 0 in s", '+ s/2: {"n":"x"}']
    assert list(map(_line, _changes(old, new, of=ObjectType({"s": SetType(_RULE)})))) == ['+ s/2: {"n":"x"}']
    nested = ObjectType({"s": SetType(ObjectType({"n": STRING, "t": SetType(_RULE)}))})
    old, new = '{"s":[{"n":"a","t":[{"n":"x"},{"n":"y"}]}]}', '{"s":[{"n":"b","t":[{"n":"y"},{"n":"x"}]}]}'
    assert list(map(_line, _changes(old, new, of=nested))) == ['~ s/0/n: "a" > "b"']


_STATE: Final = {"version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "l"}

_RUN: Final = "from statefmt.cli.start import run; run()"


def _state(path: Path, blocks: list[Any], **more: Any) -> None:
    attributes = {"id": "i", "blocks": blocks, **more}
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": []}
    resource = {"mode": "managed", "type": "acme_a", "name": "a", "provider": 'provider["r.example/a/acme"]'}
    path.write_text(json.dumps({**_STATE, "resources": [{**resource, "instances": [instance]}]}))


@pytest.mark.parametrize(
    ("command", "is_loaded"),
    [
        ("list --state a", False),
        ("check --no-settings a", False),
        ("mv --dry-run --state a acme_a.a acme_a.b", False),
        ("diff a a", False),
        ("diff a scalars", False),
        ("diff a reordered", False),
        ("diff a one", False),
        ("diff a all", True),
    ],
)
def test_deepdiff_is_loaded_only_where_several_blocks_differ(command: str, is_loaded: bool, tmp_path: Path) -> None:
    _state(tmp_path / "a", [{"n": "a", "v": 1}, {"n": "b", "v": 1}], ports=[2, 1])
    _state(tmp_path / "scalars", [{"n": "a", "v": 1}, {"n": "b", "v": 1}], ports=[3, 2, 1], name="x")
    _state(tmp_path / "reordered", [{"n": "b", "v": 1}, {"n": "a", "v": 1}], ports=[2, 1])
    _state(tmp_path / "one", [{"n": "b", "v": 1}, {"n": "a", "v": 2}], ports=[2, 1])
    _state(tmp_path / "all", [{"n": "b", "v": 2}, {"n": "a", "v": 2}], ports=[2, 1])
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", _RUN, *command.split()],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert bool(re.search(rb"\| +deepdiff\n", done.stderr)) is is_loaded

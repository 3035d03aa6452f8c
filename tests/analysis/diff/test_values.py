"""Where two values differ, path by path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

import pytest
from hypothesis import given, strategies as st
from msgspec import Raw

from statefmt.analysis.diff.places import Crossing
from statefmt.analysis.diff.values import ABSENT, NoValue, ValueChange, value_changes
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.cty.data import GetAttr, Path, PathIndex
from statefmt.redaction.object_value import hide
from statefmt.redaction.partial import Hidden, decoded
from tests.tables import each_row

# Both sides, and what differs: `+`, `-` or `~`, the path, and the values; `of` stands before an element of a set.
PLAIN: list[tuple[str, str, list[str]]] = [
    ('{"a":"x"}', '{"a":"y"}', ["~ a: x > y"]),
    ('{"a":"x"}', '{"a":null}', ["~ a: x > null"]),
    ('{"a":true}', '{"a":1}', ["~ a: true > 1"]),
    ('{"a":0}', '{"a":false}', ["~ a: 0 > false"]),
    ('{"a":"1"}', '{"a":1}', ["~ a: 1 > 1"]),
    ('{"a":"x"}', '{"b":"x"}', ["- a: x", "+ b: x"]),
    ('{"a":1}', '{"a":1,"b":{"c":[2]}}', ['+ b: {"c":[2]}']),
    ('{"a":1.0}', '{"a":2}', ["~ a: 1.0 > 2"]),
    ('{"a":1.0,"b":1}', '{"a":1,"b":2}', ["~ b: 1 > 2"]),
    ('{"a":1e3,"b":1}', '{"a":1000,"b":2}', ["~ b: 1 > 2"]),
    ('{"a":12345678901234567890123456789}', '{"a":12345678901234567890123456788}',
     ["~ a: 12345678901234567890123456789 > 12345678901234567890123456788"]),
    ('{"a":{"b":{"c":{"d":1}}}}', '{"a":{"b":{"c":{"d":2}}}}', ["~ a/b/c/d: 1 > 2"]),
    ('{"a":[{"b":1},{"b":2}]}', '{"a":[{"b":1},{"b":3}]}', ["~ a/1/b: 2 > 3"]),
    ('{"a":[3,1]}', '{"a":[3,1,2]}', ["+ a/2: 2"]),
    ('{"a":[3,1,2]}', '{"a":[3,1]}', ["- a/2: 2"]),
    ('{"a":["z","b"]}', '{"a":["b","z"]}', ["~ a/0: z > b", "~ a/1: b > z"]),
    # Texts in order, each once: a set, as states hold it.
    ('{"a":["b","c"]}', '{"a":["a","b","d"]}', ["- of a: c", "+ of a: a", "+ of a: d"]),
    ('{"a":["b","b"]}', '{"a":["b"]}', ["- a/1: b"]),
    ('{"a":["z","b"]}', '{"a":["x","z","b"]}', ["+ a/0: x"]),
    # The position is that in the old list, and the value that in the new one.
    ('{"a":["z","b","c"]}', '{"a":["x","z","d","c"]}', ["+ a/0: x", "~ a/1: b > d"]),
    ('{"a":["z",true]}', '{"a":["z",1]}', ["~ a/1: true > 1"]),
    ('{"a":[{"__b":1}]}', '{"a":[{"__b":2}]}', ["~ a/0/__b: 1 > 2"]),
    ('{"a":{"b":1}}', '{"a":[1]}', ['~ a: {"b":1} > [1]']),
    ('{"a":{"b":1}}', '{"a":null}', ['~ a: {"b":1} > null']),
    ('{"a":"{\\"k\\":1,\\"l\\":2}"}', '{"a":"{\\"l\\": 2, \\"k\\": 3}"}', ["~ a/>/k: 1 > 3"]),
    ('{"a":"[1, 2]"}', '{"a":"[1,3]"}', ["~ a/>/1: 2 > 3"]),
    ('{"a":"{\\"k\\":\\"[1]\\"}"}', '{"a":"{\\"k\\":\\"[2]\\"}"}', ["~ a/>/k/>/0: 1 > 2"]),
    ('{"a":"{no json"}', '{"a":"{still none"}', ["~ a: {no json > {still none"]),
    ('{"a":"{}"}', '{"a":"text"}', ["~ a: {} > text"]),
    ("[1]", '{"a":1}', ['~ : [1] > {"a":1}']),
    ('{"a":1,"a":2}', '{"a":2}', ['~ : {"a":1,"a":2} > {"a":2}']),
    ('{"a.b":{"c/d":1}}', '{"a.b":{"c/d":2}}', ["~ a.b/c/d: 1 > 2"]),
    ('{"0":1}', '{"0":2}', ["~ 0: 1 > 2"]),
]  # fmt: skip
EXACT: list[tuple[str, str, list[str]]] = [
    ('{"a":1.0}', '{"a":1}', ["~ a: 1.0 > 1"]),
    ('{"a":"{\\"k\\":1}"}', '{"a":"{ \\"k\\":1}"}', ['~ a: {"k":1} > { "k":1}']),
]
_L, _K = GetAttr("l"), GetAttr("k")
# Both sides, the sensitive paths of each, and what differs.
HIDING: list[tuple[str, str, list[Path], list[Path], list[str]]] = [
    ('{"l":"s1"}', '{"l":"s2"}', [(_L,)], [(_L,)], ["~ l: *"]),
    # On one side only: then neither is shown.
    ('{"l":"s1"}', '{"l":"s2"}', [(_L,)], [], ["~ l: *"]),
    ('{"l":"s1"}', '{"l":"s2"}', [], [(_L,)], ["~ l: *"]),
    ('{"l":"s1"}', '{"m":1}', [(_L,)], [], ["- l: *", "+ m: 1"]),
    # Neither names nor sizes of what is hidden.
    ('{"l":{"s1":1,"s2":[1]}}', '{"l":{"s3":1,"s2":[2,3]}}', [(_L,)], [(_L,)], ["~ l: *"]),
    ('{"l":{"s1":1,"s2":[1]}}', '{"l":{"s3":1,"s2":[2,3]}}', [], [(_L,)], ["~ l: *"]),
    ('{"l":"{\\"s1\\":1}"}', '{"l":"{\\"s1\\":2}"}', [(_L,)], [(_L,)], ["~ l: *"]),
    ('{"l":["s1","s2"]}', '{"l":["s1","s3"]}', [(_L,)], [(_L,)], ["~ l: *"]),
    # A list with something hidden in it is not taken for a set.
    ('{"l":["s1","s2"]}', '{"l":["s1","s3"]}', [(_L, PathIndex(1))], [(_L, PathIndex(1))], ["~ l: *"]),
    ('{"l":["a","s1"]}', '{"l":["a","b","s1"]}', [(_L, PathIndex(1))], [(_L, PathIndex(2))], ["~ l: *"]),
    ('{"l":{"k":"s1"}}', '{"l":{"k":"s2","d":1}}', [(_L, _K)], [(_L, _K)], ["+ l/d: 1", "~ l/k: *"]),
    ('{"l":{"k":"s1"}}', '{"m":1}', [(_L, _K)], [(_L, _K)], ['- l: {"k":*}', "+ m: 1"]),
    ('{"l":[{"k":"s1"}]}', '{"l":[{"k":"s2"},{"k":"z"}]}', [(_L, PathIndex(0), _K)], [(_L, PathIndex(0), _K)],
     ["~ l/0/k: *", '+ l/1: {"k":z}']),
    # All attributes.
    ('{"l":"s1"}', '{"l":"s2"}', [()], [], ["~ : *"]),
]  # fmt: skip


@each_row(("old", "new", "expected"), PLAIN)
def test_by_value(old: str, new: str, expected: list[str]) -> None:
    assert _told(_changes(old, new)) == expected


@pytest.mark.parametrize(("old", "new", "expected"), EXACT)
def test_exact(old: str, new: str, expected: list[str]) -> None:
    assert _told(_changes(old, new, exact=True)) == expected


@each_row(("old", "new", "old_paths", "new_paths", "expected"), HIDING)
def test_hidden(old: str, new: str, old_paths: list[Path], new_paths: list[Path], expected: list[str]) -> None:
    found = _changes(old, new, old_paths, new_paths)
    assert _told(found) == expected
    for number in "123":
        assert f"s{number}" not in repr(found)


def test_nested_deeper_than_python_goes() -> None:
    deep = "[" * 400 + "%d" + "]" * 400
    assert len(_changes(f'{{"a":{deep % 1}}}', f'{{"a":{deep % 2}}}')) == 1


_LEAVES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(("", "a", "b", "[1]", '{"k":2}'))
_VALUES = st.recursive(_LEAVES, lambda parts: st.lists(parts) | st.dictionaries(st.sampled_from("abc"), parts))


@given(_VALUES.map(json.dumps), _VALUES.map(json.dumps))
def test_as_many_differences_each_way(one: str, other: str) -> None:
    there, back = _changes(one, other), _changes(other, one)
    assert len(there) == len(back)
    assert there, "what is asked about differs, at least as a whole"


def _changes(
    old: str, new: str, old_paths: list[Path] | None = None, new_paths: list[Path] | None = None, *, exact: bool = False
) -> tuple[ValueChange, ...]:
    values = (loads_exact(text.encode()) for text in (old, new))
    shown = (decoded(hide(Raw(text.encode()), paths or [])) for text, paths in ((old, old_paths), (new, new_paths)))
    return value_changes(*values, *shown, exact=exact)


def _told(changes: tuple[ValueChange, ...]) -> list[str]:
    return [_line(change) for change in changes]


def _line(change: ValueChange) -> str:
    sign = "+" if change.old is ABSENT else "-" if change.new is ABSENT else "~"
    path = "/".join(">" if isinstance(step, Crossing) else str(step) for step in change.path)
    sides = dict.fromkeys(_text(side) for side in (change.old, change.new) if not isinstance(side, NoValue))
    values = [*sides] if change.hidden else [_text(s) for s in (change.old, change.new) if not isinstance(s, NoValue)]
    return f"{sign} {'of ' * change.is_element}{path}: {' > '.join(values)}"


def _text(value: JSONValue) -> str:
    if isinstance(value, Hidden):
        return "*"
    if isinstance(value, Members):
        return f"{{{','.join(f'{json.dumps(name)}:{_text(part)}' for name, part in value)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return str(value) if isinstance(value, str) else json.dumps(value)


class _Counting(Members):
    """An object that counts how often its members are gone through."""

    walks: ClassVar[list[int]] = []

    def __iter__(self) -> Iterator[tuple[str, JSONValue]]:
        self.walks.append(len(self))
        return super().__iter__()


def test_members_of_a_large_object_are_gone_through_a_few_times() -> None:
    _Counting.walks.clear()
    old, new = (_Counting((f"a{place}", f"{side}{place}") for place in range(200)) for side in ("x", "y"))
    assert len(value_changes(old, new, old, new, exact=False)) == 200
    assert len(_Counting.walks) < 20

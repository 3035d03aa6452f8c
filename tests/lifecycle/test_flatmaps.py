"""Flatmaps of any shape either decode or say why not, in linear time."""

from __future__ import annotations

from cProfile import Profile

import pytest
from hypothesis import given, settings, strategies as st

from statefmt.lifecycle.stored import FlatmapError
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    object_type,
)
from statefmt.model.cty.data import CtyValue
from tests.lifecycle.opentofu.flatmaps import from_flatmap, to_flatmap

_KEYS = st.lists(st.sampled_from(["a", "b", "0", "1", "7", "#", "%", "", "é"]), min_size=1, max_size=5).map(".".join)
_UNKNOWN = "74D93920-ED26-11E3-AC10-0800200C9A66"
_TEXTS = st.sampled_from(["", "x", "1", "2", "true", "-1", "+2", "99999999999999999999", "1e999", "Inf", _UNKNOWN])
_TYPES = st.recursive(
    st.sampled_from([STRING, NUMBER, BOOL, DYNAMIC]),
    lambda inner: st.one_of(
        inner.map(ListType),
        inner.map(SetType),
        inner.map(MapType),
        st.lists(inner, max_size=2).map(lambda elements: TupleType(tuple(elements))),
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(
            lambda attributes: object_type(attributes, frozenset(list(attributes)[:1]))
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=400)
@given(st.dictionaries(_KEYS, _TEXTS, max_size=12), _TYPES)
def test_every_flatmap_decodes_or_is_refused(flatmap: dict[str, str], of: Type) -> None:
    try:
        value = from_flatmap(flatmap, object_type({"a": of}))
    except FlatmapError as error:
        assert str(error)
    else:
        again = to_flatmap(value)
        assert again is not None
        assert all(isinstance(text, str) for text in again.values())


@pytest.mark.parametrize(("count", "reason"), [
    ("-1", 'invalid count value for "a." in state: it is negative'),
    ("9223372036854775807", "the value has too many parts without keys"),
    ("-9223372036854775809", 'parsing "-9223372036854775809": value out of range'),
    ("9" * 5000, "value out of range"),
    ("1_0", "invalid syntax"),
    ("\uff11", "invalid syntax"),
    ("+", "invalid syntax"),
])  # fmt: skip
def test_counts_of_lists_are_checked(count: str, reason: str) -> None:
    with pytest.raises(FlatmapError, match=r"a\.|too many") as error:
        from_flatmap({"a.#": count}, _attribute(ListType(STRING)))
    assert reason in str(error.value)
    assert error.value.key == "a."
    assert error.value.expected == ListType(STRING)


def test_a_short_list_ends_with_nulls() -> None:
    value = from_flatmap({"a.#": "+03", "a.0": "x"}, _attribute(ListType(STRING)))
    assert value.data == {"a": ("x", None, None)}


def test_lists_within_lists_do_not_multiply() -> None:
    flatmap = {"a.#": "1000", **{f"a.{index}.#": "1000000" for index in range(1000)}}
    with pytest.raises(FlatmapError, match="too many parts"):
        from_flatmap(flatmap, _attribute(ListType(ListType(STRING))))


@pytest.mark.parametrize("collection", [ListType, SetType])
def test_deep_types_are_refused(collection: type[ListType | SetType]) -> None:
    of: Type = STRING
    flatmap: dict[str, str] = {}
    for depth in range(3000):
        of = collection(of)
        flatmap["a" + ".0" * depth + ".#"] = "1"
    with pytest.raises(FlatmapError, match="nested too deeply"):
        from_flatmap(flatmap, _attribute(of))


def test_maps_within_maps_do_not_multiply() -> None:
    # Each key of a map within is an entry of the maps around it.
    of: Type = STRING
    flatmap: dict[str, str] = {}
    for depth in range(1, 400):
        of = MapType(of)
        flatmap["a" + ".%" * depth] = "1"
    with pytest.raises(FlatmapError, match="too many parts"):
        from_flatmap(flatmap, _attribute(of))


def test_deep_values_are_not_written() -> None:
    of: Type = STRING
    value = CtyValue(STRING, "x")
    for _ in range(3000):
        of = ListType(of)
        value = CtyValue(of, (value.data,))
    with pytest.raises(FlatmapError, match="nested too deeply"):
        to_flatmap(CtyValue(_attribute(of), {"a": value.data}))


def test_time_grows_with_the_keys() -> None:
    entry = object_type({"from": NUMBER, "to": NUMBER})
    of = object_type({"set": SetType(entry), "list": ListType(entry), "map": MapType(STRING)})

    def calls(count: int) -> int:
        flatmap = {"set.#": str(count), "list.#": str(count), "map.%": str(count)}
        for index in range(count):
            for name in (f"set.{index * 7919}", f"list.{index}"):
                flatmap |= {f"{name}.from": str(index), f"{name}.to": "1"}
            flatmap[f"map.key.{index}"] = "x"
        profile = Profile()
        value = profile.runcall(from_flatmap, flatmap, of)
        assert isinstance(value.data, dict)
        assert {len(items) for items in value.data.values() if isinstance(items, (tuple, dict))} == {count}
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(1_600) < 9 * calls(200)


def test_only_objects_have_flatmaps() -> None:
    with pytest.raises(FlatmapError, match="only objects"):
        to_flatmap(CtyValue(STRING, "x"))
    with pytest.raises(FlatmapError, match="only objects"):
        from_flatmap({"a": "b"}, MapType(STRING))
    assert from_flatmap(None, STRING).data is None
    assert to_flatmap(CtyValue(STRING, None)) is None


def _attribute(of: Type) -> ObjectType:
    return object_type({"a": of})

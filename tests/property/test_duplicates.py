"""The law of repeated members: each is told of, and nothing else is, however the rest of the file reads."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, strategies as st

from statefmt.formats.raw_json import token
from statefmt.formats.reading.repeated import duplicate_members
from statefmt.testing._odd_states import ObjectText, TextTree, WhiteSpace, layouts, render, scalars, strings, trees

_KEYS = st.sampled_from(("0", "1.0", "1e3", "1e12", "1.5E-5", "123456789012345678901", "null", '"\\u003c"', '"a"'))


def _list(items: list[str]) -> TextTree:
    return [*items]


def _objects(**members: st.SearchStrategy[TextTree]) -> st.SearchStrategy[ObjectText]:
    """Objects with some of these members, of which any may be repeated."""
    one = st.one_of([st.tuples(st.just(name), value) for name, value in members.items()])
    return st.lists(one, max_size=4).map(ObjectText)


_OBJECTS = _objects(
    index_key=_KEYS,
    status=strings,
    schema_version=scalars,
    attributes=trees,
    dependencies=st.lists(strings, max_size=2).map(_list),
)
_RESOURCES = _objects(type=strings, each=strings, zz_new=scalars, instances=st.lists(_OBJECTS, max_size=3))
_STATES = _objects(
    serial=scalars,
    lineage=strings,
    check_results=st.sampled_from(("null", "[]")),
    outputs=_objects(a=_objects(value=trees, sensitive=scalars), b=_objects(type=trees)),
    resources=st.lists(_RESOURCES, max_size=3),
)
_FLAT = _objects(**{"id": strings, "tags.%": strings, "tags.<ops>": strings, "config": strings})
_PRIMARY = _objects(
    id=strings, attributes=_FLAT, meta=_objects(schema_version=scalars, other=trees), tainted=scalars, Tainted=scalars
)
_OLD_RESOURCE = _objects(
    type=strings, depends_on=st.lists(strings, max_size=2).map(_list), primary=_PRIMARY, deposed=st.lists(_PRIMARY)
)
_OLD_STATES = _objects(
    serial=_KEYS,
    backend=_objects(type=strings, config=trees),
    modules=st.lists(
        _objects(
            outputs=_objects(a=_objects(value=trees, sensitive=scalars), b=_objects(type=strings)),
            resources=_objects(**{"a.b": _OLD_RESOURCE, "a.<": _OLD_RESOURCE}),
        ),
        max_size=3,
    ),
)
# What no upgrade keeps.
_DROPPED = "/backend/config"


def _repeated(tree: TextTree, pointer: str = "") -> Iterator[str]:
    if isinstance(tree, list):
        for number, item in enumerate(tree):
            yield from _repeated(item, f"{pointer}/{number}")
    elif isinstance(tree, ObjectText):
        seen = set()
        for given, value in tree.members:
            # Names of the format are the same in any case.
            name = "tainted" if given == "Tainted" else given
            place = f"{pointer}/{token(name)}"
            if name in seen:
                yield place
            seen.add(name)
            if place != _DROPPED:
                yield from _repeated(value, place)


@given(state=_STATES, layout=layouts)
def test_every_repeated_member_is_told_of(state: ObjectText, layout: WhiteSpace) -> None:
    _told(ObjectText([("version", "4"), *state.members]), layout, 4)


@given(state=_OLD_STATES, layout=layouts)
def test_every_repeated_member_of_older_formats_is_told_of(state: ObjectText, layout: WhiteSpace) -> None:
    _told(state, layout, 3)


def _told(state: ObjectText, layout: WhiteSpace, version: int) -> None:
    found = duplicate_members(render(state, layout).encode(), version)
    assert sorted(finding.pointer for finding in found) == sorted(_repeated(state))

"""The law of repeated members: each is told of, and nothing else is, however the rest of the file reads."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, strategies as st

from statefmt.formats.reading.duplicates import duplicate_members
from statefmt.testing._json_text import ObjectText, TextTree, WhiteSpace, layouts, render, scalars, strings, trees

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
_OPAQUE = {"attributes", "value", "type"}


def _repeated(tree: TextTree, pointer: str = "") -> Iterator[str]:
    if isinstance(tree, list):
        for number, item in enumerate(tree):
            yield from _repeated(item, f"{pointer}/{number}")
    elif isinstance(tree, ObjectText):
        seen = set()
        for name, value in tree.members:
            if name in seen:
                yield f"{pointer}/{name}"
            seen.add(name)
            if name not in _OPAQUE:
                yield from _repeated(value, f"{pointer}/{name}")


@given(state=_STATES, layout=layouts)
def test_every_repeated_member_is_told_of(state: ObjectText, layout: WhiteSpace) -> None:
    whole = ObjectText([("version", "4"), *state.members])
    found = duplicate_members(render(whole, layout).encode(), 4)
    assert sorted(finding.pointer for finding in found) == sorted(_repeated(whole))

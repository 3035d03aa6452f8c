"""`unset`: what becomes null, what is taken out of a map, and what is refused."""

from __future__ import annotations

import pytest

from statefmt.edit.operations.set import unset_attributes
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import instances
from tests.edit.operations.attribute_states import text_of, with_text
from tests.tables import each_row


def unset_in(attributes: str, *paths: str) -> str:
    """The attributes after `unset t.a PATH…`."""
    state = with_text(attributes)
    after = unset_attributes(state, instances(state), paths).snapshot
    (obj,) = after.resources[0].objects
    # The object has the very text that goes into the file.
    assert bytes(obj.attributes or b"").decode() == text_of(after)
    return text_of(after)


# Attributes, path, attributes afterwards.
UNSET = {
    "an attribute": ('{"a": "x" ,"b":1.0}', "a", '{"a": null ,"b":1.0}'),
    "what is null": ('{"a":null}', "a", '{"a":null}'),
    "a list": ('{"l":[1]}', "l", '{"l":null}'),
    "in a map, the first": ('{"t":{ "a":"x", "b":"y" }}', "t.a", '{"t":{ "b":"y" }}'),
    "in a map, the last": ('{"t":{ "a":"x", "b":"y" }}', "t.b", '{"t":{ "a":"x" }}'),
    "in a map, one between": ('{"t":{"a":"x", "b":"y" , "c":"z"}}', "t.b", '{"t":{"a":"x" , "c":"z"}}'),
    "in a map, the only one": ('{"t":{ "a":"x" }}', "t.a", '{"t":{}}'),
    "a name that repeats, all of it": ('{"t":{"a":"x","b":"y","a":"z"}}', "t.a", '{"t":{"b":"y"}}'),
    "in an object": ('{"o":{"n":1,"s":"x"}}', "o.s", '{"o":{"n":1,"s":null}}'),
    "in an object of a list": ('{"r":[{"n":1,"s":"x"}]}', "r[0].n", '{"r":[{"n":null,"s":"x"}]}'),
    "in a map of any type": (
        '{"v":{"value":{"a":"x","b":"y"},"type":["map","string"]}}', "v.a",
        '{"v":{"value":{"b":"y"},"type":["map","string"]}}',
    ),
    "a value of any type": ('{"v":{"value":"x","type":"string"}}', "v", '{"v":{"value":null,"type":"string"}}'),
}  # fmt: skip


@each_row("case", UNSET)
def test_unset(case: str) -> None:
    before, path, after = UNSET[case]
    assert unset_in(before, path) == after


def test_several() -> None:
    assert unset_in('{"a":1,"t":{"x":"1","y":"2"}}', "t.x", "t.y", "a") == '{"a":null,"t":{}}'


# Attributes, path, what the refusal says.
REFUSED = {
    "nothing there": ('{"name":"x"}', "nam", "t.a: no attribute nam; the nearest are:\n  name"),
    "an element": ('{"l":[1,2]}', "l[0]", "t.a: l[0] is an element of a list or set; set the whole list or set"),
    "no path": ("{}", "a..b", "'a..b' is not a valid attribute path"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, path, message = REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        unset_in(before, path)
    assert message in str(caught.value)


def test_what_is_sensitive() -> None:
    assert unset_in('{"secret":"x","m":{"pw":"x"}}', "secret", "m.pw") == '{"secret":null,"m":{}}'

"""`set`: which bytes change, what the type allows, what is refused; and back again to the same bytes."""

from __future__ import annotations

import json
from itertools import takewhile
from random import Random

import pytest

from statefmt.analysis.diff import diff
from statefmt.edit.operations.set import Assignment, parse_assignment, set_attributes, with_schema_version
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.errors import NotAStateError, SurgeryError
from statefmt.model.snapshot import instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.attribute_states import text_of, with_text
from tests.edit.operations.bindings import bound
from tests.edit.operations.build import snapshot_with
from tests.tables import each_row


def set_in(attributes: str, *assignments: str, force_type: bool = False, allow_sensitive: bool = False) -> str:
    """The attributes after `set t.a ASSIGNMENT…`."""
    state = with_text(attributes)
    parsed = [parse_assignment(text) for text in assignments]
    shown, secret = ([], parsed) if allow_sensitive else (parsed, [])
    edit = set_attributes(state, instances(state), shown, secret, force_type=force_type)
    return text_of(edit.snapshot)


def test_the_schema_version_of_all_objects() -> None:
    """Those of other instances, and all attributes, keep their bytes."""
    state = bound('t.a["x"] @ acme/t', 't.a["x"]+ @ acme/t', 't.a["y"] @ acme/t')
    chosen = [one for one in instances(state) if str(one.addr) == 't.a["x"]']
    after = with_schema_version(state, chosen, 3).snapshot
    [resource] = after.resources
    assert [obj.schema_version for obj in resource.objects] == [3, 3, 0]
    assert [obj.attributes for obj in resource.objects] == [obj.attributes for obj in state.resources[0].objects]
    assert write(with_schema_version(after, chosen, 0).snapshot, canonical=False) == write(state, canonical=False)


@pytest.mark.parametrize("version", [-1, 2**63])
def test_no_schema_version(version: int) -> None:
    state = bound("t.a @ acme/t")
    with pytest.raises(SurgeryError, match="a schema version is a number from 0 to 9223372036854775807"):
        with_schema_version(state, instances(state), version)


# Attributes, assignment, attributes afterwards.
SET = {
    "a text": ('{"a":"x","b":"y"}', 'a="z"', '{"a":"z","b":"y"}'),
    "layout, escapes and numbers of all else stay": (
        '{ "b" : [1.0 , 1e3,123456789012345678901234567890],\n\t"a": "x" ,"c":"\\u003c \\/ \\u00e9"}', 'a="z"',
        '{ "b" : [1.0 , 1e3,123456789012345678901234567890],\n\t"a": "z" ,"c":"\\u003c \\/ \\u00e9"}',
    ),
    "a number, to the digit": ('{"n":1}', "n=1.50e2", '{"n":1.50e2}'),
    "a number of forty digits": ('{"n":1}', f"n={'7' * 40}", f'{{"n":{"7" * 40}}}'),
    "what was null": ('{"n":null}', "n=7", '{"n":7}'),
    "to null": ('{"n":7}', "n=null", '{"n":null}'),
    "a bool": ('{"b":true}', "b=false", '{"b":false}'),
    "within a map": ('{"t":{"k":"x", "l":"y"}}', 't.k="z"', '{"t":{"k":"z", "l":"y"}}'),
    "a key with an equals sign": ('{"t":{"a=b":"x"}}', 't["a=b"]="="', '{"t":{"a=b":"="}}'),
    "within a list": ('{"r":[{"p":1}, {"p":2}]}', "r[1].p=3", '{"r":[{"p":1}, {"p":3}]}'),
    "a number as a key": ('{"t":{"0":"x"}}', 't[0]="y"', '{"t":{"0":"y"}}'),
    "a list": ('{"l":["a"], "x": 1}', 'l=["b","c"]', '{"l":["b","c"], "x": 1}'),
    "an empty list": ('{"l":[]}', "l=[1]", '{"l":[1]}'),
    "a map": ('{"t":{"a":"x"}}', 't={"b":"y"}', '{"t":{"b":"y"}}'),
    "an object": ('{"o":{"n":1,"s":"x"}}', 'o={"n":2,"s":null}', '{"o":{"n":2,"s":null}}'),
    "a name that repeats: the last counts": ('{ "a":"x" , "a": "y"}', 'a="z"', '{ "a":"x" , "a": "z"}'),
    "within what repeats": ('{"a":{"x":1},"a":{ "x": 2 }}', "a.x=3", '{"a":{"x":1},"a":{ "x": 3 }}'),
    "what HTML escapes": ('{"a":"x"}', 'a="<"', '{"a":"\\u003c"}'),
    "spaces around the value": ('{"a":"x"}', 'a = "z" ', '{"a":"z"}'),
    "a value of any type": (
        '{"v":{"value": "x", "type":"string"}}', 'v="y"',
        '{"v":{"value": "y", "type":"string"}}',
    ),
    "within a value of any type": (
        '{"v":{"value":{"a":[1]},"type":["object",{"a":["list","number"]}]}}', "v.a[0]=2",
        '{"v":{"value":{"a":[2]},"type":["object",{"a":["list","number"]}]}}',
    ),
    "the value and its type": (
        '{"v":{"value":"x","type":"string"}}', 'v={"value":7,"type":"number"}',
        '{"v":{"value":7,"type":"number"}}',
    ),
    "what only looks like a value of any type": (
        '{"v":{"value":"x","type":"t3.micro"}}', 'v.value="y"',
        '{"v":{"value":"y","type":"t3.micro"}}',
    ),
}  # fmt: skip


@each_row("case", SET)
def test_set(case: str) -> None:
    before, assignment, after = SET[case]
    assert set_in(before, assignment) == after


def test_several() -> None:
    assert set_in('{"a":"x","b":1,"c":2}', 'a="y"', "c=3", "c=4") == '{"a":"y","b":1,"c":4}'


# Attributes, assignment, what the refusal says.
REFUSED = {
    "nothing there": ('{"name":"x"}', 'nam="y"', "t.a: no attribute nam; the nearest are:\n  name"),
    "nothing there in a map": ('{"t":{}}', 't.k="y"', "t.a: no attribute t.k"),
    "beyond the end": ('{"l":[1]}', "l[1]=2", "t.a: no attribute l[1]: l has 1 element"),
    "into a text": ('{"a":"x"}', "a.b=1", "t.a: no attribute a.b: a is not an object, map, list or set"),
    "another type": ('{"a":"x"}', "a=1", "t.a: a is a string, but the new value is a number; --force-type"),
    "a text for a number": ('{"n":1}', 'n="1"', "t.a: n is a number, but the new value is a string"),
    "an object for a list": ('{"l":[]}', "l={}", "t.a: l is an array, but the new value is an object"),
    "a list of other things": (
        '{"l":["a"]}', "l=[1]",
        "t.a: l is an array of strings, but the new value is an array of numbers",
    ),
    "a map of other things": (
        '{"t":{"a":"x"}}', 't={"b":1}',
        "t.a: t is an object, but the new value is an object with other contents",
    ),
    "a member of another type": ('{"o":{"n":1,"s":"x"}}', 'o={"n":"1"}', "t.a: o is an object, but the new value is"),
    "sensitive": ('{"secret":"x"}', 'secret="y"', "t.a: secret is sensitive or contains sensitive values"),
    "within what is sensitive": ('{"secret":{"a":"x"}}', 'secret.a="y"', "t.a: secret.a is sensitive"),
    "something sensitive in it": ('{"m":{"pw":"x","u":"y"}}', "m={}", "t.a: m is sensitive or contains"),
    "not of the type beside it": (
        '{"v":{"value":"x","type":"string"}}', "v=[1]",
        "t.a: v is a string, but the new value is an array",
    ),
    "a member that its type has not": (
        '{"v":{"value":{"a":"x"},"type":["object",{"a":"string"}]}}', 'v={"b":"y"}',
        'the value does not have the type that the state records for it; give both as {"value": …, "type": …}',
    ),
}  # fmt: skip


@each_row("case", REFUSED)
def test_refused(case: str) -> None:
    before, assignment, message = REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        set_in(before, assignment)
    assert message in caught.value.on_command_line


def test_another_type_if_it_is_forced() -> None:
    assert set_in('{"a":"x"}', "a=[1]", force_type=True) == '{"a":[1]}'
    with pytest.raises(SurgeryError, match="not have the type that the state records for it"):
        set_in('{"v":{"value":"x","type":"string"}}', "v=[1]", force_type=True)


def test_what_is_sensitive_if_it_is_allowed() -> None:
    before = '{"secret":"x","m":{"pw":"x","u":"y"}}'
    after = '{"secret":"z","m":{"pw":"z","u":"y"}}'
    assert set_in(before, 'secret="z"', 'm.pw="z"', allow_sensitive=True) == after
    assert set_in(before, 'm.u="z"') == before.replace('"y"', '"z"')


# What is given to `set`, what the refusal says.
NO_ASSIGNMENT = {
    "a": "no equals sign between path and value; write PATH=JSON",
    't["a=b"]': "no equals sign",
    "a=hello": "the value for a is not valid JSON; a string needs quotes: 'a=\"…\"'",
    "a=": "the value for a is not valid JSON",
    "a={": "the value for a is not valid JSON",
    "a=NaN": "the value for a is not valid JSON",
    "a=1 2": "the value for a is not valid JSON",
    "a..b=1": "'a..b' is not a valid attribute path",
    "=1": "'' is not a valid attribute path",
}


@pytest.mark.parametrize("text", NO_ASSIGNMENT)
def test_no_assignment(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_assignment(text)
    assert NO_ASSIGNMENT[text] in str(caught.value)


def test_no_value_is_repeated_in_a_message() -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_assignment("password=hunter2}")
    assert "hunter2" not in str(caught.value)


def test_only_current_objects() -> None:
    state = bound("t.a @ acme/t", "t.a+ @ acme/t")
    after = set_attributes(state, instances(state), [parse_assignment('id="new"')]).snapshot
    assert [bytes(obj.attributes or b"") for obj in after.resources[0].objects] == [b'{"id":"new"}', b'{"id":"t.a+"}']
    state = bound("t.a+ @ acme/t")
    with pytest.raises(SurgeryError, match=r"t\.a has no current object"):
        set_attributes(state, instances(state), [parse_assignment('id="new"')])


def test_flat_attributes() -> None:
    provider = 'provider["registry.opentofu.org/acme/t"]'
    obj = {"schema_version": 0, "attributes_flat": {"id": "x"}}
    state = snapshot_with([{"mode": "managed", "type": "t", "name": "a", "provider": provider, "instances": [obj]}])
    with pytest.raises(SurgeryError, match=r"t.a has flat attributes from Terraform before 0.12"):
        set_attributes(state, instances(state), [parse_assignment('id="new"')])


@pytest.mark.parametrize("depth", [100, 700, 3_000, 9_000, 1_000_000])
def test_attributes_nested_deeply(depth: int) -> None:
    """How deep Python goes depends on its release: it is done, or refused."""
    deep = "[" * depth + "]" * depth
    try:
        assert set_in(f'{{"a":"x","d":{deep}}}', "d[0]=[7]", force_type=True) == f'{{"a":"x","d":[{"[7]"}]}}'
    except SurgeryError as refused:
        assert str(refused).startswith("t.a: ")
        assert depth > 100
    except NotAStateError:
        assert depth > 700


def lost_lines(before: bytes, after: bytes) -> int:
    """How many lines of one text, in a row, are not in the other one."""
    old, new = before.splitlines(), after.splitlines()
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = zip(reversed(old[same:]), reversed(new[same:]), strict=False)
    return len(old) - same - sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))


# What stands in the attributes of `realistic` states, and other values for it.
_PLACES = {
    "name": '"three \\u003c"',
    "size": "1.0",
    "tags.env": '"x"',
    "ports[1]": "80e0",
    "tags": '{"a":"b"}',
    "ports": "[]",
}


@each_row("seed", range(100))
def test_there_and_back_again(seed: int) -> None:
    """One value differs in the whole file, and what it was before makes it the same file again."""
    random = Random(seed)
    text = canonical(realistic(seed))
    state = read(text).snapshot
    instance = random.choice(instances(state))
    path, value = random.choice(list(_PLACES.items()))
    (obj,) = instance.objects
    old = json.loads(bytes(obj.attributes or b""))
    for step in parse_assignment(f"{path}=0").steps:
        old = old[step]
    there = set_attributes(state, [instance], [parse_assignment(f"{path}={value}")]).snapshot
    (change,) = diff(state, there, exact=True).instances
    assert (change.addr, [member.name for member in change.members]) == (instance.addr, ["attributes"])
    after = write(there, canonical=False)
    assert lost_lines(text, after) <= (5 if path == "ports" else 1)
    again = read(after).snapshot
    chosen = [i for i in instances(again) if i.addr == instance.addr]
    back = set_attributes(
        again, chosen, [Assignment(path, parse_assignment(f"{path}=0").steps, json.dumps(old).encode())]
    )
    assert write(back.snapshot, canonical=False) == text


def test_spaces_around_an_assignment() -> None:
    assert parse_assignment(" a.b = [1, 2] ") == Assignment("a.b", ("a", "b"), b"[1, 2]")

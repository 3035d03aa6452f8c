"""`rekey`: keys by a map and by an attribute, what points at the instances, what is refused; and back again."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from statefmt.analysis.diff import diff
from statefmt.edit.changes import Edit
from statefmt.edit.key_map import parse_key_map
from statefmt.edit.operations.rekey import keys_by_attribute, rekey, rekey_each
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.addrs import InstanceKey
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.bindings import bound, chosen
from tests.edit.operations.build import snapshot_of, snapshot_with
from tests.tables import each_row


def rekeyed(snapshot: Snapshot, keys: str, *which: str) -> Edit:
    """What `rekey SELECTOR --map KEYS` makes of a snapshot."""
    return rekey(snapshot, chosen(snapshot, *which), keys=parse_key_map([keys]))


def ids(snapshot: Snapshot) -> dict[str, str]:
    """What each instance was called before, by what it is called now."""
    return {str(i.addr): json.loads(bytes(i.objects[0].attributes or b"{}"))["id"] for i in instances(snapshot)}


_COUNT = ["t.a[0]", "t.a[1]"]

# Instances, keys, instances afterwards with what they were before.
REKEYED = {
    "count to for_each": (_COUNT, "0=a,1=b", {'t.a["a"]': "t.a[0]", 't.a["b"]': "t.a[1]"}),
    "for_each to count": (['t.a["x"]', 't.a["y"]'], "y=0,x=1", {"t.a[0]": 't.a["y"]', "t.a[1]": 't.a["x"]'}),
    "two that change places": (_COUNT, "0=1,1=0", {"t.a[0]": "t.a[1]", "t.a[1]": "t.a[0]"}),
    "all move up": (_COUNT, "0=1,1=2", {"t.a[1]": "t.a[0]", "t.a[2]": "t.a[1]"}),
    "only some": ([*_COUNT, "t.a[2]"], "1=7", {"t.a[0]": "t.a[0]", "t.a[2]": "t.a[2]", "t.a[7]": "t.a[1]"}),
    "the only instance": (["t.a"], "=0", {"t.a[0]": "t.a"}),
    "back to none": (["t.a[0]"], "0=", {"t.a": "t.a[0]"}),
    "a number as a text": (_COUNT, '0="0",1="1"', {'t.a["0"]': "t.a[0]", 't.a["1"]': "t.a[1]"}),
    "to what it is": (_COUNT, "0=0,1=1", {"t.a[0]": "t.a[0]", "t.a[1]": "t.a[1]"}),
    "others stay": ([*_COUNT, "t.b[0]"], "0=a,1=b", {
        't.a["a"]': "t.a[0]", 't.a["b"]': "t.a[1]", "t.b[0]": "t.b[0]"}),
}  # fmt: skip


_E, _E_APART = "\u00e9", "e\u0301"


@pytest.mark.parametrize(
    ("before", "keys", "after", "notes"),
    [
        pytest.param([f't.a["{_E_APART}"]'], f"{_E_APART}=x", {'t.a["x"]': f't.a["{_E_APART}"]'}, 0, id="as it is"),
        pytest.param([f't.a["{_E_APART}"]'], f"{_E}=x", {'t.a["x"]': f't.a["{_E_APART}"]'}, 0, id="by its normal form"),
        pytest.param([f't.a["{_E}"]'], f'"{_E_APART}"=x', {'t.a["x"]': f't.a["{_E}"]'}, 0, id="by another form"),
        pytest.param([f't.a["{_E_APART}"]'], f"{_E_APART}={_E}", {f't.a["{_E}"]': f't.a["{_E_APART}"]'}, 0, id="new"),
        pytest.param(
            [f't.a["{_E_APART}"]', f't.a["{_E}"]'], f"{_E_APART}=x",
            {'t.a["x"]': f't.a["{_E_APART}"]', f't.a["{_E}"]': f't.a["{_E}"]'}, 0, id="the exact one of two",
        ),
        pytest.param(["t.a"], f"={_E_APART}", {f't.a["{_E}"]': "t.a"}, 1, id="a new key is normalised, and told"),
    ],
)  # fmt: skip
def test_keys_that_are_not_in_normal_form(before: list[str], keys: str, after: dict[str, str], notes: int) -> None:
    edit = rekeyed(snapshot_of(*before), keys, "t.a")
    assert ids(edit.snapshot) == after
    assert len(edit.notes) == notes


def test_a_key_that_could_be_each_of_two() -> None:
    # Angstrom sign, and A with a ring apart: both become U+00C5.
    state = snapshot_of(*['t.a["\u212b"]', 't.a["A\u030a"]'])
    with pytest.raises(SurgeryError, match="is ambiguous"):
        rekeyed(state, "\u00c5=x", "t.a")


@pytest.mark.parametrize("case", REKEYED)
def test_rekeyed(case: str) -> None:
    before, keys, after = REKEYED[case]
    edit = rekeyed(snapshot_of(*before), keys, "t.a")
    assert ids(edit.snapshot) == after
    assert edit.notes == ()
    assert {str(one): str(other) for one, other in edit.moved.items()} == {
        one: other for other, one in after.items() if one != other
    }


def test_a_resource_in_each_of_several_modules() -> None:
    state = snapshot_of("module.m[0].t.a[0]", "module.m[1].t.a[0]")
    after = rekeyed(state, "0=x", "module.m[0].t.a", "module.m[1].t.a").snapshot
    assert [str(i.addr) for i in instances(after)] == ['module.m[0].t.a["x"]', 'module.m[1].t.a["x"]']


def test_deposed_objects_go_along() -> None:
    state = bound("t.a[0] @ acme/t", "t.a[0]+ @ acme/t")
    after = rekeyed(state, "0=x", "t.a").snapshot
    assert [(str(i.addr), len(i.objects)) for i in instances(after)] == [('t.a["x"]', 2)]


def test_what_points_at_them() -> None:
    """Dependencies are on whole resources, `depends_on` of old states is on instances."""
    obj = {"schema_version": 0, "attributes": {}, "dependencies": ["t.b", "t.a"], "depends_on": ["t.a[1]", "t.a[0]"]}
    state = snapshot_with(
        [
            _resource("a", [{"index_key": 0, "attributes": {}}, {"index_key": 1, "attributes": {}}]),
            _resource("z", [obj]),
        ]
    )
    after = rekeyed(state, "0=x", "t.a").snapshot
    (pointing,) = next(r for r in after.resources if r.addr.resource.name == "z").objects
    assert [str(addr) for addr in pointing.dependencies] == ["t.b", "t.a"]
    assert [str(addr) for addr in pointing.depends_on] == ["t.a[1]", 't.a["x"]']


# Instances, keys, what the refusal says.
REFUSED = {
    "no such key": (_COUNT, "0=a,2=b", "t.a: no selected instance has the key [2]; there are:\n  [0]\n  [1]"),
    "a text that is a number": (['t.a["0"]'], "0=a", 'has the key [0]; there are:\n  ["0"]'),
    "no instance without a key": (_COUNT, "=a", "t.a: no selected instance has no key"),
    "two to one": (_COUNT, "0=a,1=a", 't.a: [0] and [1] would both become ["a"]; each instance needs its own key'),
    "taken": (_COUNT, "0=1", "t.a[0] cannot become t.a[1]: the instance already exists"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, keys, message = REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        rekeyed(snapshot_of(*before), keys, "t.a")
    assert message in str(caught.value)


def test_keys_of_several_kinds_are_noted() -> None:
    (note,) = rekeyed(snapshot_of(*_COUNT), "0=a", "t.a").notes
    assert note.endswith("these now have several kinds of keys:\n  t.a")


def _resource(name: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    provider = 'provider["registry.opentofu.org/acme/t"]'
    return {"mode": "managed", "type": "t", "name": name, "provider": provider, "instances": objects}


def by(path: str, attributes: list[object], *, count: bool = False) -> list[str]:
    """The keys after `rekey --by PATH` of instances with such attributes, of which `secret` is sensitive."""
    secret = [[{"type": "get_attr", "value": "secret"}]]
    objects = [
        {"index_key": number, "attributes": attrs, "sensitive_attributes": secret}
        for number, attrs in enumerate(attributes)
    ]
    state = snapshot_with([_resource("a", objects)])
    keys = keys_by_attribute(instances(state), path, count=count)
    after = {other: one for one, other in rekey_each(state, keys).moved.items()}
    return [str(other.key) for other in sorted(after, key=lambda other: str(after[other]))]


# Path, attributes, keys.
BY_ATTRIBUTE: dict[str, tuple[str, list[object], list[str]]] = {
    "a text": ("name", [{"name": "x"}, {"name": "y"}], ['["x"]', '["y"]']),
    "within a map": ('tags["a b"]', [{"tags": {"a b": "x"}}], ['["x"]']),
    "within a list": ("rule[1].port", [{"rule": [{}, {"port": 80}]}], ['["80"]']),
    "a whole number": ("n", [{"n": 7}, {"n": 12}], ['["7"]', '["12"]']),
    "a text of digits": ("n", [{"n": "007"}], ['["007"]']),
    "of any type": ("v", [{"v": {"value": "x", "type": "string"}}], ['["x"]']),
    "in normal form": ("name", [{"name": "e\u0301"}], ['["\u00e9"]']),
}


@pytest.mark.parametrize("case", BY_ATTRIBUTE)
def test_by_attribute(case: str) -> None:
    path, attributes, keys = BY_ATTRIBUTE[case]
    assert by(path, attributes) == keys


def test_by_attribute_for_count() -> None:
    assert by("n", [{"n": 1}, {"n": "2"}, {"n": 0}], count=True) == ["[1]", "[2]", "[0]"]


# Path, attributes, whether for count, what the refusal says.
BY_REFUSED: dict[str, tuple[str, list[object], bool, str]] = {
    "missing": ("name", [{"name": "x"}, {"nam": "y"}], False, "t.a[1]: no attribute name; the nearest are:\n  nam"),
    "null": ("name", [{"name": None}], False, "t.a[0]: name is null; a key must be a string or a whole number"),
    "a list": ("name", [{"name": []}], False, "t.a[0]: name is an array"),
    "a bool": ("name", [{"name": True}], False, "t.a[0]: name is a bool"),
    "not whole": ("n", [{"n": 1.5}], False, "t.a[0]: n is 1.5; a numeric key must be a whole number"),
    "sensitive": ("secret", [{"secret": "x"}], False, "t.a[0]: secret is sensitive"),
    "not unique": ("name", [{"name": "x"}, {"name": "x"}], False, 't.a: [0] and [1] would both become ["x"]'),
    "no number for count": (
        "name",
        [{"name": "x"}],
        True,
        "t.a[0]: name is not a whole number of at least 0, as count needs",
    ),
    "below zero": ("n", [{"n": -1}], True, "t.a[0]: n is not a whole number of at least 0"),
    "no path": ("a..b", [{}], False, "t.a[0]: 'a..b' is not a valid attribute path"),
}


@pytest.mark.parametrize("case", BY_REFUSED)
def test_by_attribute_refused(case: str) -> None:
    path, attributes, count, message = BY_REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        by(path, attributes, count=count)
    assert message in str(caught.value)


@each_row("seed", range(100))
def test_there_and_back_again(seed: int) -> None:
    """The same bytes; and on the way nothing but keys differs."""
    random = Random(seed)
    text = canonical(realistic(seed))
    state = read(text).snapshot
    resource = random.choice(state.resources)
    keys: list[InstanceKey] = list(dict.fromkeys(obj.key for obj in resource.objects))
    picked = random.sample(keys, random.randint(1, len(keys)))
    # New keys, old ones, and old ones of others.
    new = parse_key_map([",".join(f"{number}={word}" for number, word in enumerate(("p", "q", '"0"', 17)))])
    targets = picked[1:] + picked[:1] if len(picked) > 1 and random.random() < 0.5 else list(new.values())
    there_keys = dict(zip(picked, targets, strict=False))
    found = chosen(state, str(resource.addr))
    there = rekey(state, found, keys=there_keys).snapshot
    changes = diff(state, there, exact=True)
    assert all(change.is_rekeyed and not change.members for change in changes.instances)
    assert len(changes.instances) == len(there_keys)
    again = read(write(there, canonical=False)).snapshot
    back = rekey(again, chosen(again, str(resource.addr)), keys={other: one for one, other in there_keys.items()})
    assert write(back.snapshot, canonical=False) == text

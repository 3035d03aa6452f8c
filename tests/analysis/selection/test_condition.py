"""Conditions on the values of attributes: which instances meet them, and which are not judged."""

from __future__ import annotations

import json

import pytest

import statefmt
from statefmt.analysis.selection import Criteria, select
from statefmt.analysis.selection.filters import parse_condition
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, instances
from tests.cli.states import resource, state
from tests.tables import each_row


def _marked(*paths: str) -> list[object]:
    return [
        [
            {"type": "index", "value": {"value": int(step), "type": "number"}}
            if step.isdigit()
            else {"type": "get_attr", "value": step}
            for step in path.split(".")
        ]
        for path in paths
    ]


ATTRIBUTES: dict[str, dict[str, object]] = {
    "a": {
        "port": 8080,
        "on": True,
        "size": 1.5,
        "name": "web-1",
        "tags": {"Owner": "ann", "a.b": "x=y", "k!": "!="},
        "note": None,
        "empty": "",
        "rules": [{"port": 22, "cidrs": ["10.0.0.0/8"]}, {"port": 443, "cidrs": []}],
    },
    "b": {"port": 80, "on": False, "name": "db\n1", "tags": {"Owner": "bob"}, "note": "null", "rules": []},
    "c": {"name": "*", "tags": None, "any": {"value": {"x": "in"}, "type": ["map", "string"]}},
}
STATE = state(*(resource("t", name, {"attributes": attributes}) for name, attributes in ATTRIBUTES.items()))

# A condition, and what meets it.
MET = [
    ("port=8080", "a"),
    ("port=80*", "ab"),
    ("port!=80", "ac"),
    ("on=true", "a"),
    ("on!=true", "bc"),
    ("size=1.5", "a"),
    ("size=1.50", ""),
    ("name=web-?", "a"),
    (r"name=\*", "c"),
    ("name=~e?b", "ab"),
    ("name=~^b", ""),
    ("name=~^.*$", "ac"),
    ("tags.Owner=ann", "a"),
    ('tags["Owner"]=ann', "a"),
    # An attribute that is missing is null, and != is the opposite of =.
    ("tags.Owner!=ann", "bc"),
    ("tags.Owner=null", "c"),
    ("tags.Owner!=null", "ab"),
    ("tags.Owner=*", "ab"),
    ("tags.Owner!=*", "c"),
    ("note=null", "abc"),
    ("note=nul?", "b"),
    ("empty=", "a"),
    ("empty=~^$", "a"),
    ('tags["a.b"]=x=y', "a"),
    ('tags["k!"]=!=', "a"),
    ("rules[0].port=22", "a"),
    ("rules[*].port=443", "a"),
    ("rules[*].port!=443", "bc"),
    ("rules[*].cidrs[*]=10.*", "a"),
    ("rules[9].port=null", "abc"),
    ("tags[*]=bob", "b"),
    ("rules=[]", "b"),
    ('tags={"Owner":"bob"}', "b"),
    # A value of dynamic type, as `show` prints it.
    ("any.x=in", "c"),
    (" name =web-1", "a"),
]


def _found(document: bytes) -> list[InstanceState]:
    return instances(statefmt.read(document).snapshot)


def _select(document: bytes, *texts: str, show_sensitive: bool = False) -> tuple[str, list[str]]:
    """The names of the resources that meet conditions, and the notes."""
    conditions = tuple(parse_condition(text, show_sensitive=show_sensitive) for text in texts)
    notes: list[str] = []
    chosen = select(_found(document), Criteria(conditions=conditions), notes.append)
    return "".join(instance.resource.addr.resource.name for instance in chosen), notes


@each_row(("text", "names"), MET, ids=[case[0] for case in MET])
def test_met(text: str, names: str) -> None:
    if names:
        assert _select(STATE, text) == (names, [])
    else:
        with pytest.raises(SelectionError, match="no resource instance has"):
            _select(STATE, text)


def test_all_must_be_met() -> None:
    assert _select(STATE, "port=80*", "tags.Owner!=ann") == ("b", [])
    with pytest.raises(SelectionError, match="no resource instance has port=8080 and has on=false"):
        _select(STATE, "port=8080", "on=false")


REFUSED = [
    ("name", "write PATH=VALUE, PATH!=VALUE or PATH=~REGEX"),
    ("=x", "write PATH=VALUE"),
    ("name=~(", "not a valid regular expression: missing"),
    ("tags.=x", "not a valid attribute path"),
    ("rules[*]port=1", r"Expected a dot or a bracket. \(column 9\)"),
    ("rules[*].=1", r"\(column 10\)"),
    ("tgas.Owner=null", "no selected instance has the attribute 'tgas'; the nearest are:\n  tags"),
    ("tgas!=x", "the nearest are:\n  tags"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        _select(STATE, text)


SECRET = state(
    resource("t", "a", {"attributes": {"pw": "x", "n": 1}, "sensitive_attributes": _marked("pw")}),
    resource("t", "b", {"attributes": {"pw": "x", "n": 2}}),
    resource("t", "c", {"attributes": {"pw": "y", "n": 3}}),
    resource(
        "t",
        "d",
        {"attributes": {"pw": "z", "n": 4, "l": [{"s": "a"}, {"s": "b"}]}, "sensitive_attributes": _marked("l.0.s")},
    ),
)


@pytest.mark.parametrize("text", ["pw=x", "pw!=x", "pw=~x", "pw!=*", "pw=null", "pw=other", "pw=(sensitive value)"])
def test_sensitive_values_are_not_probed(text: str) -> None:
    """The secret of `a` must make no difference, not even by the note."""
    other = SECRET.replace(b'"pw": "x"', b'"pw": "other"', 1)
    assert other != SECRET
    results = []
    for document in (SECRET, other):
        try:
            results.append(_select(document, text))
        except SelectionError as error:
            results.append((str(error), []))
    assert results[0] == results[1]
    assert "a" not in results[0][0] or results[0][0].startswith("no resource")
    assert "1 instance not compared, because pw is sensitive there" in str(results[0])
    assert "a" in _select(SECRET, "pw!=y", show_sensitive=True)[0]


def test_partly_sensitive() -> None:
    """What is visible may decide; a value with a hidden part is not compared."""
    assert _select(SECRET, "l[*].s=b") == ("d", [])
    assert _select(SECRET, "l[*].s!=b") == ("abc", [])
    assert _select(SECRET, "l[*].s!=a")[0] == "abc"
    assert len(_select(SECRET, "l[*].s!=a")[1]) == 1
    assert _select(SECRET, "l!=x")[0] == "abc"


def test_current_object_decides() -> None:
    document = state(
        resource("t", "a", {"attributes": {"n": 1}}, {"attributes": {"n": 2}, "deposed": "00000001"}),
        resource(
            "t", "b", {"attributes": {"n": 2}, "deposed": "00000001"}, {"attributes": {"n": 3}, "deposed": "00000002"}
        ),
    )
    assert _select(document, "n=2") == ("b", [])
    assert _select(document, "n=3") == ("b", [])
    assert _select(document, "n!=2") == ("a", [])


FLAT = state(
    resource(
        "t",
        "a",
        {
            "attributes": None,
            "attributes_flat": {"id": "1", "tags.%": "1", "tags.Name": "x", "rule.#": "1", "rule.7.port": "22"},
        },
    ),
    resource("t", "b", {"attributes": None, "attributes_flat": {"id": "2", "tags.%": "0", "password": "hunter2"}}),
    resource("t", "c", {"attributes": {"id": "3", "tags": {"Name": "x"}}}),
).replace(b'"attributes": null, ', b"")
FLAT_MET = [
    ("tags.Name=x", "ac"),
    ("rule[7].port=22", "a"),
    ("rule[*].port=22", "a"),
    ("rule.7.port=22", "a"),
    ("tags.Name!=x", "b"),
]


@pytest.mark.parametrize(("text", "names"), FLAT_MET, ids=[case[0] for case in FLAT_MET])
def test_flat_attributes(text: str, names: str) -> None:
    assert _select(FLAT, text) == (names, [])


def test_flat_names_that_are_no_paths() -> None:
    only_flat = state(*json.loads(FLAT)["resources"][:2])
    assert _select(FLAT, "tags.%=1") == ("a", [])
    assert _select(only_flat, "password!=x")[0] == "a"
    assert _select(only_flat, "password=hunter*", show_sensitive=True) == ("b", [])
    with pytest.raises(SelectionError, match=r"'tags\.#' is not a valid attribute path"):
        _select(FLAT, "tags.#=1")


def test_long_values_take_linear_time() -> None:
    """A backtracking matcher would need years."""
    document = state(resource("t", "a", {"attributes": {"v": "a" * 100_000}}))
    for text in ("v=~(a+)+b", "v=" + "*a" * 20 + "b"):
        with pytest.raises(SelectionError, match="no resource instance"):
            _select(document, text)

"""`grep`: what matches, how it is shown, and that sensitive values cannot be probed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES, resource, state
from tests.cli.terminal import on_terminal

REGIONS = str(SAMPLES / "v4-regions.tfstate")
POLICY = json.dumps({"Statement": [{"Action": ["s3:Get*", "s3:Put<x>"], "Sid": "1"}], "n": 10.50})
VALUES = {
    "policy": POLICY,
    "broken": '{"Action": s3',
    "port": 8443,
    "ratio": 1.5,
    "on": True,
    "none": None,
    "tags": {"a b": "line one\nline two \x1b[31m", "k": "v"},
    "list": [{"x": "in a list"}],
    "dynamic": {"value": "inner", "type": "string"},
}
STATE = state(
    resource("t", "a", {"attributes": VALUES}, {"attributes": {"tags": {"k": "old"}}, "deposed": "0000000a"}),
    resource("t", "b", {"attributes": {"k": "v"}, "index_key": 'k"'}, module='module.m["x"]'),
    outputs={
        "all": {"type": ["tuple", ["string", ["object", {"p": "number"}]]], "value": ["first", {"p": 8443}]},
        "one": {"type": "string", "value": "first"},
    },
)

# The search, and the lines.
FOUND: list[tuple[str, list[str]]] = [
    ("line two", [r't.a: tags["a b"] = "line one\nline two \x1b[31m"']),
    ("old", ['t.a (deposed object 0000000a): tags.k = "old"']),
    ("8443", ["t.a: port = 8443", "output.all: [1].p = 8443"]),
    ("first", ['output.all: [0] = "first"', 'output.one = "first"']),
    ("1.5", ["t.a: ratio = 1.5"]),
    ("true", ["t.a: on = true"]),
    ("in a list", ['t.a: list[0].x = "in a list"']),
    ("inner", ['t.a: dynamic = "inner"']),
    ("s3:Put<x>", ['t.a: jsondecode(policy).Statement[0].Action[1] = "s3:Put<x>"']),
    ("10.5", ["t.a: jsondecode(policy).n = 10.5"]),
    ("Action", [r't.a: broken = "{\"Action\": s3"', "t.a: policy = " + json.dumps(POLICY)]),
    ("-i LINE", [r't.a: tags["a b"] = "line one\nline two \x1b[31m"']),
    ("-E ^v$", ['t.a: tags.k = "v"', r'module.m["x"].t.b["k\""]: k = "v"']),
    ("-E ^line.two", [r't.a: tags["a b"] = "line one\nline two \x1b[31m"']),
    ("-E -i ^FIRST", ['output.all: [0] = "first"', 'output.one = "first"']),
    ("-F ^v$", []),
    ("null", []),
    ("-l first", ["output.all", "output.one"]),
    ("-l -E ^.$", ["t.a", r'module.m["x"].t.b["k\""]']),
]


@pytest.fixture
def name(folder: Path) -> str:
    (folder / "terraform.tfstate").write_bytes(STATE)
    return "terraform.tfstate"


@pytest.mark.parametrize(("search", "lines"), FOUND, ids=[case[0] for case in FOUND])
def test_found(search: str, lines: list[str], name: str, statetool: Statetool) -> None:
    """B15: no search by value."""
    *options, text = search.split(" ") if search.startswith("-") else [search]
    result = statetool("grep", *options, text)
    assert sorted(result.text.splitlines()) == sorted(lines)
    assert (result.status, result.err) == (0 if lines else 1, "")


def test_several_states(statetool: Statetool, folder: Path) -> None:
    """Also: a state that cannot be read makes the exit status 2, and the others are searched."""
    (folder / "envs" / "b").mkdir(parents=True)
    (folder / "envs" / "a.tfstate").write_bytes(STATE)
    (folder / "envs" / "b" / "b.tfstate").write_bytes(STATE)
    lines = ['envs/a.tfstate: t.a: tags.k = "old"', 'envs/b/b.tfstate: t.a: tags.k = "old"']
    lines = [line.replace("t.a:", "t.a (deposed object 0000000a):") for line in lines]
    assert statetool("grep", "old", "envs").text.splitlines() == lines
    assert statetool("grep", "old", "envs/b").text.splitlines() == lines[1:]
    assert statetool("grep", "old", "envs/b/b.tfstate").text == 't.a (deposed object 0000000a): tags.k = "old"\n'
    result = statetool("grep", "old", "missing", "envs", "envs/a.tfstate")
    assert (result.status, result.text.splitlines()) == (2, lines)
    assert "missing" in result.err
    assert statetool("grep", "nowhere", "missing", "envs").status == 2


def test_standard_input(program: Program) -> None:
    result = program("grep", "old", "-", stdin=STATE)
    assert (result.status, result.text) == (0, 't.a (deposed object 0000000a): tags.k = "old"\n')


def test_json(name: str, statetool: Statetool) -> None:
    document = json.loads(statetool("grep", "--format", "json", "-E", "8443|Put|old", name, "missing").out)
    (searched,) = document["states"]
    assert searched["path"] == name
    assert [tuple(match.values()) for match in searched["matches"]] == [
        ("t.a", None, None, "policy", "Statement[0].Action[1]", "s3:Put<x>"),
        ("t.a", None, None, "port", None, 8443),
        ("t.a", "0000000a", None, "tags.k", None, "old"),
        (None, None, "all", "[1].p", None, 8443),
    ]
    assert [one["path"] for one in document["unreadable"]] == ["missing"]


def test_exact_numbers(statetool: Statetool, folder: Path) -> None:
    (folder / "s").write_bytes(STATE.replace(b"8443", b"12345678901234567890.10"))
    assert b'"value": 12345678901234567890.10' in statetool("grep", "890.1", "s", "--format", "json").out


def test_flat_attributes(statetool: Statetool) -> None:
    result = statetool("grep", "web-1", str(SAMPLES / "v3-legacy.tfstate"))
    assert result.text == 'aws_instance.web[1]: tags.Name = "web-1"\n'


def test_sensitive_values_are_not_probed(statetool: Statetool, folder: Path) -> None:
    """Whether the text is in a secret makes no difference to anything that is shown."""
    marked = [[{"type": "get_attr", "value": "password"}]]
    flat = resource("t", "f", {"attributes": None, "attributes_flat": {"password": "hunter2", "name": "n"}})
    document = state(
        resource("t", "a", {"attributes": {"password": "hunter2", "x": 1}, "sensitive_attributes": marked}),
        flat,
        outputs={"secret": {"type": "string", "value": "hunter2", "sensitive": True}},
    ).replace(b'"attributes": null, ', b"")
    (folder / "s").write_bytes(document)
    probed, absent = statetool("grep", "hunter2", "s"), statetool("grep", "absent", "s")
    assert probed == absent
    assert (probed.status, probed.out) == (1, b"")
    assert "sensitive values in 2 objects and 1 output not searched" in " ".join(probed.err.split())
    found = statetool("grep", "hunter2", "s", "--show-sensitive")
    assert (found.status, found.err) == (0, "")
    assert found.text.splitlines() == [
        't.a: password = "hunter2"',
        't.f: password = "hunter2"',
        'output.secret = "hunter2"',
    ]


def test_cut_around_the_match_on_a_terminal(program: Program, folder: Path) -> None:
    """Addresses stay whole, and what a terminal would act on is escaped."""
    values = {"end": "x" * 500 + "needle", "mid": "x" * 500 + "needle" + "y" * 500, "start": "needle" + "\x1b" * 500}
    path = folder / "s"
    path.write_bytes(state(resource("t", "a", {"attributes": values})))
    shown = on_terminal(program, f"statetool grep needle '{path}'", environment={"TERM": "dumb"}).text
    assert "\x1b" not in shown
    for line in shown.splitlines():
        assert len(line) <= 80
        assert "needle" in line
        assert "…" in line
    assert shown.splitlines()[1].startswith('t.a: mid = "…xxx')
    whole = program("grep", "needle", str(path)).text
    assert "x" * 500 + "needle" + "y" * 500 in whole
    assert "…" not in whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-E", "("], "not a valid regular expression: missing )"),
        (["-l", "x", "--format", "json"], "cannot be combined with --format json"),
        ([b"\xff"], "not valid UTF-8"),
    ],
)
def test_usage(arguments: list[str | bytes], message: str, program: Program) -> None:
    result = program("grep", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert message in " ".join(result.err.split())

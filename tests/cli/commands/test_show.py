"""`statetool show` as text: what `tofu state show` prints, and what else the state says of an instance."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import AWS, SAMPLES, V3, resource, state
from tests.tables import each_row

RECORDED: Final = Path(__file__).with_name("recorded_show")
HEAD: Final = f"#   provider          {AWS}\n#   schema version    0\n"
PATH: Final = [[{"type": "get_attr", "value": "password"}]]


def _show(statetool: Statetool, content: bytes, *arguments: str) -> str:
    Path("state").write_bytes(content)
    result = statetool("show", "--state", "state", *arguments)
    assert (result.status, result.err) == (0, "")
    return result.text


def test_as_terraform_shows_it(statetool: Statetool) -> None:
    """But for what it leaves out, and for numbers, which keep their text. The text is Terraform 1.11.4's."""
    shown = statetool("show", "--expand", "--state", str(RECORDED / "terraform_data.tfstate")).text
    shown = re.sub(r"^#   .*\n", "", shown, flags=re.MULTILINE)
    shown = shown.replace("1.0,", "1,").replace("1e3", "1000").replace("\n    c     = null", "")
    told = (RECORDED / "terraform_data.txt").read_text()
    # Terraform has another empty line before each module, and two before the outputs.
    assert shown == re.sub(r"\n\n\n+", "\n\n", told)


# A resource, and how it is shown.
SHOWN = [
    (
        "plain",
        resource("a", "b", {"attributes": {"id": "x"}}),
        f'# a.b:\n{HEAD}resource "a" "b" {{\n    id = "x"\n}}\n',
    ),
    ("data", resource("a", "b", mode="data"), f'# data.a.b:\n{HEAD}data "a" "b" {{}}\n'),
    ("tainted", resource("a", "b", {"status": "tainted"}), f'# a.b: (tainted)\n{HEAD}resource "a" "b" {{}}\n'),
    (
        "deposed",
        resource("a", "b", {"index_key": "k", "deposed": "0badcafe", "status": "tainted"}),
        f'# a.b["k"]: (deposed object 0badcafe, tainted)\n{HEAD}resource "a" "b" {{}}\n',
    ),
    (
        "current and deposed",
        resource("a", "b", {"deposed": "0badcafe"}, {"schema_version": 0}),
        f'# a.b:\n{HEAD}resource "a" "b" {{}}\n\n# a.b: (deposed object 0badcafe)\n{HEAD}resource "a" "b" {{}}\n',
    ),
    (
        "all that there is to say",
        resource(
            "a",
            "b",
            {
                "schema_version": 3,
                "dependencies": ["a.c", "module.m.a.d"],
                "create_before_destroy": True,
                "skip_destroy": True,
                "identity": {"id": "i", "region": "eu"},
                "identity_schema_version": 2,
                "private": "eyJhIjoxfQ==",
            },
        ),
        (
            f"# a.b:\n#   provider          {AWS}\n#   schema version    3\n#   depends on        a.c\n"
            "#                     module.m.a.d\n#   lifecycle         create before destroy\n"
            "#   lifecycle         skip destroy\n#   identity          {\n"
            '#                         id     = "i"\n#                         region = "eu"\n#                     }\n'
            '#   identity version  2\n#   private           (sensitive value)\nresource "a" "b" {}\n'
        ),
    ),
    (
        "provider instance",
        {**resource("a", "b", {"provider": f'{AWS}.by_region["eu"]'}), "provider": None},
        f'# a.b:\n#   provider          {AWS}.by_region["eu"]\n#   schema version    0\nresource "a" "b" {{}}\n',
    ),
    (
        "hidden",
        resource("a", "b", {"attributes": {"password": "p"}, "sensitive_attributes": PATH}),
        f'# a.b:\n{HEAD}resource "a" "b" {{\n    password = (sensitive value)\n}}\n',
    ),
    (
        "flat attributes",
        resource("a", "b", {"attributes": None, "attributes_flat": {"tags.%": "1", "id": "x"}}),
        (
            f"# a.b:\n{HEAD}#   attributes        in the flat form from before Terraform 0.12,\n"
            "#                     which has no marks: what may be sensitive is hidden\n"
            'resource "a" "b" {\n    id       = "x"\n    "tags.%" = "1"\n}\n'
        ),
    ),
    (
        "attributes that are no object",
        resource("a", "b", {"attributes": [1]}),
        f'# a.b:\n{HEAD}resource "a" "b" [\n    1,\n]\n',
    ),
]


@pytest.mark.parametrize(("given", "shown"), [pytest.param(*case[1:], id=case[0]) for case in SHOWN])
def test_shown(given: dict[str, object], shown: str, statetool: Statetool) -> None:
    instances = given["instances"]
    assert isinstance(instances, list)
    for instance in instances:
        if instance.get("attributes", ()) is None:
            del instance["attributes"]
    assert _show(statetool, state(given)) == shown


def test_outputs(statetool: Statetool) -> None:
    outputs = {
        "b": {"value": 'x"', "type": "string"},
        "a": {"value": "p", "type": "string", "sensitive": True},
        "c\x1b": {"value": [1], "type": ["list", "number"], "deprecated": "Use\n b."},
    }
    shown = 'Outputs:\n\na = (sensitive value)\nb = "x\\""\n# deprecated: Use\\x0a b.\n"c\\x1b" = [\n    1,\n]\n'
    assert _show(statetool, state(outputs=outputs)) == shown


def test_outputs_only_without_a_selection(statetool: Statetool) -> None:
    content = state(resource("a", "b"), outputs={"b": {"value": "x", "type": "string"}})
    assert "Outputs:" in _show(statetool, content)
    for selection in (["a.b"], ["--type", "a"]):
        assert "Outputs:" not in _show(statetool, content, *selection)


def test_selected(statetool: Statetool) -> None:
    content = state(resource("a", "b", {"index_key": 0}, {"index_key": 1}), resource("c", "d"))
    heads = re.findall("^# [^ ].*", _show(statetool, content, "c.d", "a.b[1]"), re.MULTILINE)
    assert heads == ["# a.b[1]:", "# c.d:"]


def test_nothing_there(statetool: Statetool) -> None:
    Path("state").write_bytes(state())
    result = statetool("show", "--state", "state")
    assert (result.status, result.out) == (0, b"")
    assert "the state is empty" in result.err


def test_no_match(statetool: Statetool) -> None:
    Path("state").write_bytes(state(resource("aws_vpc", "main")))
    result = statetool("show", "aws_vpc.mian", "--state", "state")
    assert (result.status, result.out) == (2, b"")
    assert "aws_vpc.main" in result.err


ODD = "\x1b[2J\u202e"


def test_nothing_acts_on_the_terminal(statetool: Statetool) -> None:
    """Control characters are shown, wherever they stand."""
    instance = {
        "index_key": ODD,
        "attributes": {ODD: ODD, "lines": f"{ODD}\n{ODD}", "block": [{ODD: {ODD: [ODD]}}], "json": f'["{ODD}"]'},
        "identity": {ODD: ODD},
    }
    content = state(
        resource("a", f"b{ODD}", instance), outputs={ODD: {"value": ODD, "type": "string", "deprecated": ODD}}
    )
    for expand in ([], ["--expand"]):
        shown = _show(statetool, content, *expand)
        assert [char for char in shown if not char.isprintable() and char != "\n"] == []
        assert shown.count("\\x1b") > 10


@each_row("depth", [300, 600, 900])
@each_row("arguments", ["", "--format json", "a.b --attr x", "--show-sensitive", "--expand"])
def test_nested_deeply(depth: int, arguments: str, statetool: Statetool) -> None:
    """However deep a state goes that can be read: no traceback, and the rest of it is shown."""
    deep = f'{{"x":{"[" * depth}1{"]" * depth},"id":"y"}}'
    content = state(resource("a", "b", {"attributes": {"deep": 0}}), resource("c", "d"))
    Path("state").write_bytes(content.replace(b'{"deep": 0}', deep.encode()))
    result = statetool("show", "--state", "state", *arguments.split())
    if "--attr" in arguments and result.status == 2:
        assert "nested too deeply" in result.err
    else:
        assert (result.status, result.err) == (0, "")
        assert "c.d" in result.text or "--attr" in arguments


@pytest.mark.parametrize("name", ["v1-legacy", "v2-legacy", "v3-legacy", "v4-sensitive", "v4-provider-for-each"])
@pytest.mark.parametrize("output_format", ["text", "json"])
def test_from_standard_input_and_every_version(name: str, output_format: str, program: Program) -> None:
    path = SAMPLES / f"{name}.tfstate"
    arguments = ("show", "--format", output_format, "--state")
    piped = program(*arguments, "-", stdin=path.read_bytes())
    assert piped == program(*arguments, str(path))
    assert (piped.status, piped.err) == (0, "")
    assert piped.out


def test_reader_that_goes_away(program: Program) -> None:
    attributes = {f"a{number}": "x" * 100 for number in range(100)}
    Path("state").write_bytes(
        state(*(resource("a", f"b{number}", {"attributes": attributes}) for number in range(100)))
    )
    for arguments in ("", "--format json"):
        result = program.in_shell(f"statetool show --state state {arguments} | head -1")
        assert (result.out.count(b"\n"), result.err) == (1, "")


def test_wrong_path(statetool: Statetool) -> None:
    result = statetool("show", "--state", "missing")
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("statetool: missing: ")


def test_empty_state_of_format_3(statetool: Statetool) -> None:
    Path("state").write_bytes(V3)
    assert statetool("show", "--state", "state").status == 0

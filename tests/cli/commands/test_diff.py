"""`statetool diff`: what differs, in every format, and what is said where it cannot be told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.diffing import compare, vpc, web, within
from tests.cli.states import AWS, SAMPLES, resource, state
from tests.cli.test_json_output import _assert_valid
from tests.tables import each_row

READABLE = sorted(path.name for path in SAMPLES.glob("*.tfstate") if path.name != "encrypted.tfstate")


def _secret(text: str) -> dict[str, object]:
    return {"value": text, "type": "string", "sensitive": True}


FOLLOWED = "dependencies updated in 1 instance (moves, removals or reordering only)"
# Both sides, and what is printed before the summary, and the summary.
CASES: dict[str, tuple[bytes, bytes, str, str]] = {
    "nothing": (state(vpc("a")), state(vpc("a")), "", "no differences"),
    "added": (state(), state(vpc("a")), '+ aws_vpc.a (id "vpc-1")', "1 added"),
    "removed": (state(vpc("a")), state(), '- aws_vpc.a (id "vpc-1")', "1 removed"),
    "changed": (
        state(vpc("a", tags={"env": "prod"})), state(vpc("a", tags={"env": "test", "new": 1.50})),
        '~ aws_vpc.a\n    ~ tags.env: "prod" → "test"\n    + tags.new: 1.5', "1 changed",
    ),
    "moved": (state(vpc("a")), state(vpc("b")), "→ aws_vpc.a to aws_vpc.b", "1 moved"),
    "moved and changed": (
        state(vpc("a", n=1)), state(vpc("b", n=2)), "→ aws_vpc.a to aws_vpc.b\n    ~ n: 1 → 2", "1 changed, 1 moved",
    ),
    "a module": (
        state(within(vpc("a"), "module.m"), within(web(0, 1), "module.m")),
        state(within(vpc("a"), "module.n"), within(web(0, 1), "module.n")),
        "→ module.m to module.n (3 instances)", "3 moved",
    ),
    "a module, and a change in it": (
        state(within(vpc("a"), "module.m"), within(web(0, 1), "module.m")),
        state(within(vpc("a", n=1), "module.n"), within(web(0, 1), "module.n")),
        "→ module.m to module.n (3 instances)\n~ module.n.aws_vpc.a\n    + n: 1", "1 changed, 3 moved",
    ),
    "other keys": (
        state(web(0, 1)), state(web("a", "b")),
        '→ aws_instance.web[0] to aws_instance.web["a"]\n→ aws_instance.web[1] to aws_instance.web["b"]', "2 moved",
    ),
    "rebound": (
        state(vpc("a")), state({**vpc("a"), "provider": f"{AWS}.west"}),
        f"~ aws_vpc.a\n    ~ provider: {AWS} → {AWS}.west", "1 rebound",
    ),
    "tainted": (
        state(web(0)), state(web(0, status="tainted")), "~ aws_instance.web[0]\n    + tainted", "1 changed",
    ),
    "deposed": (
        state(vpc("a")),
        state(resource("aws_vpc", "a", {"attributes": {"id": "vpc-1"}}, {"attributes": {}, "deposed": "0f1e2d3c"})),
        "~ aws_vpc.a\n    + deposed object 0f1e2d3c", "1 changed",
    ),
    "followed": (
        state(vpc("a"), web(0, dependencies=["aws_vpc.a"])), state(vpc("b"), web(0, dependencies=["aws_vpc.b"])),
        f"→ aws_vpc.a to aws_vpc.b\n\n{FOLLOWED}", "1 moved",
    ),
    "dependencies": (
        state(web(0, dependencies=["a.b"])), state(web(0, dependencies=["a.c"])),
        "~ aws_instance.web[0]\n    - dependencies: a.b\n    + dependencies: a.c", "1 changed",
    ),
    "outputs": (
        state(outputs={"a": {"value": 1, "type": "number"}, "b": _secret("x")}),
        state(outputs={"b": _secret("y"), "c": {"value": "z", "type": "string"}}),
        '\nOutputs:\n- a: 1\n~ b: (sensitive value)\n+ c: "z"', "3 outputs",
    ),
    "checks": (
        state(check_results=[{"object_kind": "check", "config_addr": "check.c", "status": "pass", "objects": None}]),
        state(check_results=[{"object_kind": "check", "config_addr": "check.c", "status": "fail", "objects": [
            {"object_addr": "check.c", "status": "fail", "failure_messages": ["it is \x1b[31mdown"]}]}]),
        '\nCheck results:\n~ check.c\n    ~ pass → fail\n    + check.c: fail\n    + check.c: "it is \\x1b[31mdown"',
        "check results",
    ),
    "serial and release alone": (
        state(), state(serial=8, terraform_version="1.11.0"),
        '\nState:\n~ terraform_version: "1.10.6" → "1.11.0"\n~ serial: 7 → 8', "terraform_version, serial 7 → 8",
    ),
    "a resource without instances": (
        state(), state({**vpc("a"), "instances": []}),
        "+ aws_vpc.a (resource without instances)", "1 resource block",
    ),
    "control characters": (
        state(vpc("a", **{"\x1b[2J": "x"})), state(vpc("a", **{"\x1b[2J": "\x1b[31m"})),
        '~ aws_vpc.a\n    ~ ["\\u001b[2J"]: "x" → "\\x1b[31m"', "1 changed",
    ),
}  # fmt: skip


@each_row("name", CASES)
def test_text(name: str, statetool: Statetool) -> None:
    old, new, body, summary = CASES[name]
    result = compare(statetool, old, new)
    assert result.text == (f"{body}\n\n{summary}\n" if body else f"{summary}\n")
    assert (result.status, result.err) == (int(old != new), "")


@each_row("name", CASES)
def test_json(name: str, statetool: Statetool) -> None:
    old, new, *_ = CASES[name]
    result = compare(statetool, old, new, "--format", "json")
    document = json.loads(result.out)
    _assert_valid(document, "diff-output")
    assert document["differs"] == (old != new) == bool(result.status)


@each_row("name", READABLE)
def test_json_of_samples(name: str, statetool: Statetool) -> None:
    """Everything in each of them is new."""
    result = statetool("diff", str(SAMPLES / "v4-empty.tfstate"), str(SAMPLES / name), "--format", "json")
    document = json.loads(result.out)
    _assert_valid(document, "diff-output")
    listed = statetool("list", "--state", str(SAMPLES / name)).text.splitlines()
    assert [instance["address"] for instance in document["added"]] == listed


def test_json_of_moves(statetool: Statetool) -> None:
    old, new = state(web(0), within(vpc("a"), "module.m")), state(web("k"), within(vpc("a"), "module.n"))
    document = json.loads(compare(statetool, old, new, "--format", "json").out)
    assert document["moved"] == [
        {"from": "aws_instance.web[0]", "to": 'aws_instance.web["k"]', "rekeyed": True},
        {"from": "module.m.aws_vpc.a", "to": "module.n.aws_vpc.a", "rekeyed": False},
    ]
    assert document["moves"] == [
        {"kind": "instance", "from": "aws_instance.web[0]", "to": 'aws_instance.web["k"]', "instances": 1},
        {"kind": "module", "from": "module.m", "to": "module.n", "instances": 1},
    ]


def test_json_keeps_numbers(statetool: Statetool) -> None:
    number = b"1234567890123456789012345678901234567890.10"
    old, new = (state(vpc("a", n=0)).replace(b'"n": 0', b'"n": ' + text) for text in (b"1.50e3", number))
    out = compare(statetool, old, new, "--format", "json").out
    assert b'"old": 1.50e3' in out
    assert b'"new": ' + number in out


@each_row("name", READABLE)
@each_row("output", [[], ["--stat"], ["--name-only"], ["--moved-blocks"], ["--format", "markdown"]])
def test_any_format_version_on_each_side(name: str, output: list[str], statetool: Statetool) -> None:
    path, other = str(SAMPLES / name), str(SAMPLES / "v4-sensitive.tfstate")
    for options, status in (((path, path), 0), ((path, other), int(name != Path(other).name))):
        assert statetool("diff", *options, *output).status == status
        assert statetool("diff", *reversed(options), *output).status == status


def test_an_upgrade_changes_the_version_only(statetool: Statetool) -> None:
    statetool("upgrade", "--registry", "keep", str(SAMPLES / "v3-legacy.tfstate"), "-o", "new")
    result = statetool("diff", str(SAMPLES / "v3-legacy.tfstate"), "new")
    assert (result.status, result.text) == (1, "\nState:\n~ format version: 3 → 4\n\nformat version\n")


def _blocks(count: int, value: int) -> list[dict[str, object]]:
    return [{"name": f"n{number}", "value": value} for number in range(count)]


def test_a_reordered_list_is_said_in_every_format(statetool: Statetool, folder: Path) -> None:
    old, new = ([{"port": port, "from": [f"10.{port}"]} for port in ports] for ports in ((22, 80, 443), (443, 22, 80)))
    new[1]["from"] = ["10.22", "any"]
    sides = state(vpc("a", rules=old)), state(vpc("a", rules=new))
    text = '~ aws_vpc.a\n    ~ rules (reordered)\n    + rules[0].from: "any"\n\n1 changed\n'
    assert compare(statetool, *sides).out.decode() == text
    (changed,) = json.loads(compare(statetool, *sides, "--format", "json").out)["changed"]
    where = {"deposed_key": None, "member": "attributes", "sensitive": False}
    assert changed["changes"] == [
        {**where, "path": ["rules"], "change": "changed", "order": [2, 0, 1]},
        {**where, "path": ["rules", 0, "from"], "change": "added", "element": True, "new": "any"},
    ]
    assert "!     rules (reordered)" in compare(statetool, *sides, "--format", "markdown").out.decode()
    assert "rules (reordered)" in compare(statetool, *sides, "--format", "html").out.decode()


@pytest.mark.parametrize("counts", [(20, 2), (14, 15)])
def test_the_limit_of_pairs_is_that_of_the_whole_command(
    counts: tuple[int, int], statetool: Statetool, folder: Path
) -> None:
    old, new = (
        state(*(vpc(name, rules=_blocks(count, value)) for name, count in zip("ab", counts, strict=True)))
        for value in (1, 2)
    )
    said = "~ rules (compared by position: too many blocks to pair by content)"
    parts = compare(statetool, old, new).out.decode().split("~ aws_vpc.b")
    assert [part.count(said) for part in parts] == [0, 1]
    document = json.loads(compare(statetool, old, new, "--format", "json").out)
    _assert_valid(document, "diff-output")
    marked = [[change["path"] for change in one["changes"] if "by_position" in change] for one in document["changed"]]
    assert marked == [[], [["rules"]]]


def test_an_edit_shows_that_a_list_was_reordered(statetool: Statetool, folder: Path) -> None:
    Path("a").write_bytes(state(vpc("a", rules=[{"port": 22}, {"port": 80}])))
    shown = statetool("set", "--dry-run", "--state", "a", "aws_vpc.a", 'rules=[{"port": 80}, {"port": 22}]')
    assert "    ~ rules (reordered)\n" in shown.out.decode()
    assert "22" not in shown.out.decode()

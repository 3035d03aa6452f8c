"""Operations files in HCL and JSON: what they say, and where they are invalid."""

from __future__ import annotations

import pytest

from statefmt.edit.operations_file.model import (
    Expect,
    ForgetBlock,
    MoveBlock,
    OperationBlock,
    RekeyBlock,
    SetBlock,
    StateBlock,
)
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.hcl.syntax.native import LARGEST_FILE
from statefmt.model.errors import SettingsError
from tests.tables import each_row

HCL = b"""state "net" { path = "net/terraform.tfstate" }
state "app" {
  path      = "app"
  workspace = "prod"
}
move {
  from = state.app.module.vpc["a b"].aws_vpc.main[0]
  to   = "state.net.aws_vpc.main[$1]"
}
set {
  of     = [state.app.aws_vpc.main, "state.app.aws_vpc.*"]
  values = { "tags.env" = "prod", size = 12345678901234567890123, ratio = 1.5, none = null }
}
move {
  from = state.app.a.b
  to   = state.app.a.c
}
rekey {
  of   = state.app.a.c
  keys = { 0 = "eu", 1 = 5 }
}
expect { serial = { net = 41 } }
"""
JSON = b"""{
  "state": {"net": {"path": "net/terraform.tfstate"}, "app": {"path": "app", "workspace": "prod"}},
  "move": [{"from": "state.app.module.vpc[\\"a b\\"].aws_vpc.main[0]", "to": "state.net.aws_vpc.main[$1]"}],
  "set": {
    "of": ["state.app.aws_vpc.main", "state.app.aws_vpc.*"],
    "values": {"tags.env": "prod", "size": 12345678901234567890123, "ratio": 1.5, "none": null}
  },
  "move": {"from": "state.app.a.b", "to": "state.app.a.c"},
  "rekey": {"of": "state.app.a.c", "keys": {"0": "eu", "1": 5}},
  "expect": {"serial": {"net": 41}}
}"""
BLOCKS: list[OperationBlock] = [
    MoveBlock('state.app.module.vpc["a b"].aws_vpc.main[0]', "state.net.aws_vpc.main[$1]"),
    SetBlock(
        ("state.app.aws_vpc.main", "state.app.aws_vpc.*"),
        {"tags.env": "prod", "size": 12345678901234567890123, "ratio": 1.5, "none": None},
    ),
    MoveBlock("state.app.a.b", "state.app.a.c"),
    RekeyBlock("state.app.a.c", {"0": "eu", "1": 5}),
]


@pytest.mark.parametrize(("name", "content"), [("x.stateops.hcl", HCL), ("x.stateops.json", JSON)])
def test_both_syntaxes(name: str, content: bytes) -> None:
    found = read_operations_file(name, content)
    assert found.states == {"net": StateBlock("net/terraform.tfstate"), "app": StateBlock("app", "prod")}
    assert [operation.block for operation in found.operations] == BLOCKS
    assert found.expect == Expect(serial={"net": 41})


def test_operations_have_their_lines() -> None:
    found = read_operations_file("x.stateops.hcl", HCL)
    assert [operation.range.line for operation in found.operations] == [6, 10, 14, 18]


@pytest.mark.parametrize("brackets", ["[]", "{}", "()"])
def test_deep_nesting_is_refused(brackets: str) -> None:
    opening, closing = brackets[0], brackets[1]
    inner = "a = " if opening == "{" else ""
    text = f"set {{\n  of = a.b\n  values = {{ a = {(opening + inner) * 2_000}1{closing * 2_000} }}\n}}\n"
    with pytest.raises(SettingsError, match=r"^x:3,12-\d+: "):
        read_operations_file("x", text.encode())


def test_only_constants_are_evaluated() -> None:
    """Constants in strings are constants."""
    found = read_operations_file("x", b'forget {\n  of = "aws_vpc.${"main"}"\n}')
    assert [operation.block for operation in found.operations] == [ForgetBlock("aws_vpc.main")]


@each_row(
    ("content", "message"),
    [
        ("mov { }", "x:1,1-4: unknown block 'mov'; blocks are state, expect, move, forget"),
        ('path = "a"', "x:1,1-11: unknown block 'path'"),
        ('move {\n  from = "a.b"\n}', "x:1,1-5: move: missing argument 'to'"),
        ('move {\n  from = "a.b"\n  to = 5\n}', "x:3,3-9: move: to: expected a string, got a whole number"),
        ('forget {\n  of = "a.b"\n  force = true\n}', "x:1,1-7: forget: unknown argument 'force'"),
        ("forget {\n  of = a.b[*]\n}", "x:2,8-14: write an address with wildcards as a string"),
        ("forget {\n  of = file(a.b)\n}", "x:2,8-17: only constants and addresses can be used here"),
        ("forget {\n  of = a.b[1.5]\n}", "x:2,11-16: an instance key is a whole number or a string"),
        ('forget {\n  of = "a.b"\n  more { }\n}', "x:1,1-7: forget: unexpected block 'more'"),
        ('state "a.b" { path = "c" }', "x:1,1-12: 'a.b' is not a name: use letters, digits, - and _"),
        ('state "a" { path = "c" }\nstate "a" { path = "d" }', "x:2,1-10: the state 'a' is named twice"),
        ("expect { serial = {} }\nexpect { }", "x:2,1-7: there is another `expect` block already"),
        ('state { path = "c" }', "x:1,7-8: Missing name for state"),
        ('state "a" {', "x:1,11-12: Unclosed configuration block"),
        # A block that is written as an argument would do nothing.
        ("move = 5", "x:1,1-9: 'move' is a block: write move { … }"),
        ('mov "x" { }', "x:1,1-8: unknown block 'mov'"),
        ('move "x" { }', "x:1,6-9: Extraneous label for move"),
        ('state "a" { path = "" }', "x:1,13-22: state: path: must not be empty"),
        ("set {\n  of = a.b\n  values = {}\n}", "x:3,3-14: set: values: must not be empty"),
        ("unset {\n  of = a.b\n  paths = []\n}", "x:3,3-13: unset: paths: must not be empty"),
        (
            "rekey {\n  of = a.b\n  keys = { a = 1.5 }\n}",
            "x:3,3-21: rekey: keys.a: expected a string, a whole number or null, got a number",
        ),
        # Everything that is wrong in a block.
        (
            'move {\n  from = ["a.b", null]\n  rebind = "yes"\n  force = true\n}',
            "x:1,1-5: move: missing argument 'to'; unknown argument 'force'; from[1]: expected a string, got null",
        ),
        ("taint {\n  of = true\n}", "x:2,3-12: taint: of: expected a string or a list, got true or false"),
        ('set {\n  of = a.b\n  values = "secret"\n}', "x:3,3-20: set: values: expected a map, got a string"),
        ("expect { serial = { a = -1 } }", "x:1,10-29: expect: serial.a: must be at least 0"),
        ("expect { serial = { a = 1 } }", "x:1,10-28: expect: serial: the file names no state 'a'"),
        (
            'expect { hash = { a = "0A" } }',
            "x:1,10-29: expect: hash.a: invalid SHA-256 (64 hexadecimal digits in lower case)",
        ),
        # A number that is some characters in the file, and gigabytes in memory.
        ("set {\n  of = a.b\n  values = { a = 1e999999 }\n}", "x:3,12-28: a number of more than 100000 digits"),
        # The same of a loop.
        ("forget {\n  of = [for a in [1, 2] : a]\n}", "x:2,8-29: only constants and addresses can be used here"),
        ('forget {\n  of = ["${true ? 1 : 2}"]\n}', "x:2,9-26: only constants and addresses can be used here"),
        ("\udcff", "x:1,1: this is not UTF-8"),
        ("[1]", "x:1,1"),
    ],
)
def test_invalid(content: str, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_operations_file("x", content.encode("utf-8", "surrogateescape"))
    assert str(raised.value).startswith(message)


def test_values_to_set_are_not_shown() -> None:
    [operation] = read_operations_file("x", b'set {\n  of = "a.b"\n  values = { password = "secret" }\n}').operations
    assert "secret" not in repr(operation)


_MANY = b'state "a" {\n  path = "a"\n}\n' + b"".join(
    b"move {\n  from = state.a.aws_sqs_queue.jobs_%d\n  to   = state.a.aws_sqs_queue.jobs[%d]\n}\n" % (number, number)
    for number in range(30_000)
)


def test_a_large_file() -> None:
    """Of more bytes than a file of a configuration may have."""
    assert len(_MANY) > LARGEST_FILE
    found = read_operations_file("x.hcl", _MANY).operations
    assert len(found) == 30_000
    assert found[-1].block == MoveBlock("state.a.aws_sqs_queue.jobs_29999", "state.a.aws_sqs_queue.jobs[29999]")


def test_a_large_file_with_a_syntax_error() -> None:
    """The message has its position, and the next file can be read."""
    with pytest.raises(SettingsError, match=r"^x.hcl:[4-9],\d+-\d+: Invalid syntax\. "):
        read_operations_file("x.hcl", _MANY.replace(b"move", b"= =", 1))
    assert read_operations_file("x.hcl", HCL).operations[0].block == BLOCKS[0]

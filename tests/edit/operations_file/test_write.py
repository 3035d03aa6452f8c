"""What is written as an operations file reads back as the same operations."""

from __future__ import annotations

from statefmt.edit.operations_file.model import (
    Expect,
    ForgetBlock,
    JoinBlock,
    MoveBlock,
    OperationBlock,
    RekeyBlock,
    SetBlock,
    StateBlock,
    operations_text,
)
from statefmt.edit.operations_file.read import read_operations_file


def test_plain_addresses_are_references() -> None:
    text = operations_text(
        {"app": StateBlock("app"), "net": StateBlock("net", workspace="prod")},
        [MoveBlock("state.app.module.vpc", 'state.net.module.vpc["$${x}"]')],
    )
    assert text == (
        'state "app" {\n  path = "app"\n}\n\n'
        'state "net" {\n  path      = "net"\n  workspace = "prod"\n}\n\n'
        'move {\n  from = state.app.module.vpc\n  to   = state.net.module.vpc["$${x}"]\n}\n'
    )


def test_what_is_written_reads_back() -> None:
    states = {"a": StateBlock('odd "name" ${x} %{y} $${x} %%%{ $%{ $$ \\'), "b-1": StateBlock("b")}
    operations: list[OperationBlock] = [
        MoveBlock('state.a.aws_vpc.main["x.y"]', "state.b-1.aws_vpc.main[0]", rebind=True),
        MoveBlock("state.a.module.m[*].aws_vpc.*", "state.b-1.module.n[$1].aws_vpc.$2"),
        MoveBlock('state.a.module.m["${each}"]', 'state.b-1.module.m["\u00e9"].aws_vpc.main'),
        MoveBlock('state.a.module.m["$${x} %%{y}"]', 'state.b-1.module.m["$$${x} %%%{y} $x"]'),
        MoveBlock("state.a.aws_vpc.one", "state.b-1", keep_dependencies=True),
        MoveBlock(("state.a.aws_vpc.one",), "state.b-1"),
        JoinBlock("state.a", "state.b-1", prefix='module.m["k"]', outputs_from="state.a"),
        ForgetBlock(("state.a.aws_vpc.one", "state.a.module.gone")),
        RekeyBlock("state.a.aws_vpc.one", keys={"0": "eu", "": None}),
        SetBlock(
            "state.a.aws_vpc.one",
            {"tags.Name": "x", "count": 3, "on": True, "none": None, "ref": "state.a", "list": ["a", 1]},
        ),
    ]
    expect = Expect(serial={"a": 3})
    read = read_operations_file("x.stateops.hcl", operations_text(states, operations, expect).encode())
    assert (read.states, read.expect) == (states, expect)
    assert [one.block for one in read.operations] == operations


def test_a_list_has_a_line_for_each_address() -> None:
    move = MoveBlock(('state.a.module.m["k"].t.a', "state.a.t.b[*]"), "state.b")
    assert operations_text({}, [move]) == (
        'move {\n  from = [\n    state.a.module.m["k"].t.a,\n    "state.a.t.b[*]",\n  ]\n  to = state.b\n}\n'
    )


def test_lines_are_aligned_around_a_list() -> None:
    move = MoveBlock(("state.a.t.one", "state.a.t.two"), "state.b", keep_dependencies=True)
    text = operations_text({}, [move])
    assert text.endswith("  ]\n  to                = state.b\n  keep_dependencies = true\n}\n")
    assert "  from = [\n" in text

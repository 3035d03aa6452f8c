"""A written operations file reads back as what it was written from."""

from __future__ import annotations

import pytest

from statefmt.edit.operations_file import (
    JoinBlock,
    MoveBlock,
    OperationBlock,
    StateBlock,
    operations_text,
    read_operations_file,
)
from statefmt.edit.operations_file._model import ForgetBlock, RekeyBlock, SetBlock

STATES = {"a": StateBlock("net/${x}.tfstate"), "b-2": StateBlock("app", workspace="w")}


@pytest.mark.parametrize(
    "block",
    [
        MoveBlock("state.a.module.vpc", "state.b-2"),
        MoveBlock("state.a.t.a[*]", "state.b-2.t.c[$1]", rebind=True),
        MoveBlock(
            ("state.a.t.a[0]", 'state.a.module.m["k \\" $${x}"].data.t.b["é"]'), "state.b-2", keep_dependencies=True
        ),
        MoveBlock(("state.a.t.a",), "state.b-2"),
        JoinBlock("state.a", "state.b-2", prefix='module.m["k"]', outputs_from="state.a"),
        ForgetBlock(("state.a.t.a", "**")),
        RekeyBlock("state.a.t.a", keys={"0": "module.x", "": None}),
        SetBlock("state.a.t.a", {"tags.${a}": "state.a", "n": 1, "l": True}),
    ],
)
def test_reads_back(block: OperationBlock) -> None:
    file = read_operations_file("x.hcl", operations_text(STATES, [block, block]).encode())
    assert file.states == STATES
    assert [one.block for one in file.operations] == [block, block]


def test_addresses_have_no_quotes() -> None:
    move = MoveBlock(('state.a.module.m["k"].t.a', "state.a.t.b"), "state.b")
    assert operations_text({"a": StateBlock("x.tfstate")}, [move, JoinBlock("state.b", "state.a", "module.m")]) == (
        """state "a" {
  path = "x.tfstate"
}

move {
  from = [
    state.a.module.m["k"].t.a,
    state.a.t.b,
  ]
  to = state.b
}

join {
  from   = state.b
  to     = state.a
  prefix = module.m
}
"""
    )

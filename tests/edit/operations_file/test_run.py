"""The operations of a file do what the commands do, one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest

from statefmt import operations
from statefmt.analysis.selection.criteria import Criteria
from statefmt.edit.changes import Edit
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.edit.operations_file.working_states import FileEdits
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.edit.operations.build import snapshot_of

LINEAGE = "5f0d7c7c-2f44-4f0b-9f0e-6b1c4f1c9a11"
WEST = {"t.b": ".west"}


def file_edits(text: str, *states: str, **snapshots: Snapshot) -> FileEdits:
    named = "".join(f'state "{name}" {{ path = "{name}" }}\n' for name in (*states, *snapshots))
    return run(read_operations_file("x", (named + text).encode()), snapshots)


def addresses(found: FileEdits, state: str) -> list[str]:
    return [str(one.addr) for one in instances(found.edits[state].snapshot)]


def chosen(*selectors: str) -> Criteria:
    return Criteria(selectors=selectors)


# A block, and the command.
COMMANDS: dict[str, tuple[str, Callable[[Snapshot], Edit]]] = {
    "move": ('from = "t.a[*]"\n to = "t.c[$1]"', lambda state: operations.move(state, "t.a[*]", "t.c[$1]")),
    "forget": ("of = t.a[0]", lambda state: operations.remove(state, chosen("t.a[0]"))),
    "rekey": (
        'of = t.a\n keys = { 0 = "0", 1 = "b" }',
        lambda state: operations.rekey(state, chosen("t.a"), keys=operations.parse_key_map(['0="0",1=b'])),
    ),
    "rebind": (
        'of = "t.a"\n provider = "t.west"',
        lambda state: operations.rebind(
            state, chosen("t.a"), 'provider["registry.opentofu.org/acme/t"].west', whole_resource=True
        ),
    ),
    "replace_provider": (
        'state = "s"\n old = "acme/t"\n new = "acme/u"\n new_provider = true',
        lambda state: operations.replace_provider(
            state, Criteria(), operations.parse_replaced("acme/t"), operations.parse_replaced("acme/u")
        ),
    ),
    "taint": ("of = [t.a[0], t.b]", lambda state: operations.taint(state, chosen("t.a[0]", "t.b"))),
    "set": (
        'of = t.b\n values = { id = "new" }',
        lambda state: operations.set(state, chosen("t.b"), (), [operations.assignment("id", '"new"')]),
    ),
    "set_serial": ("serial = 99", lambda state: operations.set_serial(state, 99)),
    "new_lineage": (f'lineage = "{LINEAGE}"', lambda state: operations.new_lineage(state, UUID(LINEAGE))),
    "unset": ('of = t.b\n paths = "id"', lambda state: operations.unset(state, chosen("t.b"), ["id"])),
}


@pytest.mark.parametrize("block", COMMANDS)
def test_a_block_does_what_its_command_does(block: str) -> None:
    text, command = COMMANDS[block]
    state = snapshot_of("t.a[0]", "t.a[1]", "t.b", providers=WEST)
    found = file_edits(f"{block} {{\n {text}\n}}", s=state)
    assert found.edits == {"s": command(state)}
    assert found.edits["s"].snapshot != state


def test_in_order_over_two_states() -> None:
    text = """
    move {
      from = state.one.module.m
      to   = state.two.module.n
    }
    move {
      from = state.two.module.n.t.a
      to   = state.one.t.a
    }
    taint {
      of = [state.one.t.a, state.two.module.n.t.b]
    }
    """
    one, two = snapshot_of("module.m.t.a", "module.m.t.b", "t.z"), snapshot_of("t.a")
    found = file_edits(text, one=one, two=two)
    now = {name: edit.snapshot for name, edit in found.edits.items()}
    assert {name: sorted(str(one.addr) for one in instances(state)) for name, state in now.items()} == {
        "one": ["t.a", "t.z"],
        "two": ["module.n.t.b", "t.a"],
    }
    tainted = [str(found.addr) for state in now.values() for found in instances(state) if found.objects[0].status.value]
    assert tainted == ["t.a", "module.n.t.b"]


def test_two_states_exchange_an_address() -> None:
    text = """
    move {
      from = state.one.t.a
      to   = state.two.t.new
    }
    move {
      from = state.two.t.a
      to   = state.one.t.a
    }
    move {
      from = state.two.t.new
      to   = state.two.t.a
    }
    """
    one, two = snapshot_of("t.a"), snapshot_of("t.a", "t.b")
    found = file_edits(text, one=one, two=two)
    assert [str(each.addr) for each in instances(found.edits["one"].snapshot)] == ["t.a"]
    assert sorted(str(each.addr) for each in instances(found.edits["two"].snapshot)) == ["t.a", "t.b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forget {\n  of = t.x\n}", "x:2,1-7: no resource instance matches 't.x'"),
        ("forget {\n  of = state.two.t.a\n}", "x:2,1-7: state.two.t.a: the file names no state 'two'"),
        ("forget {\n  of = state.s\n}", "x:2,1-7: state.s: the address in the state is missing"),
        ("forget {\n  of = []\n}", "x:2,1-7: no instances selected: the list of addresses is empty"),
        ('new_lineage {\n  lineage = "x"\n}', "x:2,1-12: 'x' is not a UUID"),
        ("set_serial {\n  serial = -1\n}", "x:2,1-11: -1 is not a serial"),
        ('set_serial {\n  serial = 1\n  state = "t"\n}', "x:2,1-11: the file names no state 't'"),
        ("rekey {\n  of = t.a\n}", "x:2,1-6: rekey: give either keys or by"),
        ('rebind {\n  of = t.a\n  provider = "acme/none"\n}', "x:2,1-7: "),
        ("move {\n  from = t.a\n  to = t.b[0]\n}", "x:2,1-5: t.a cannot become t.b[0]: the instance already exists"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SurgeryError) as raised:
        file_edits(text, s=snapshot_of("t.a", "t.b[0]"))
    assert str(raised.value).startswith(message)


# A refused operation, an argument or a block that the message names, and the file that has it.
WAYS_OUT: dict[str, tuple[str, str, str]] = {
    "join": (
        "move {\n  from = t.b\n  to = t.a[1]\n}",
        "rebind = true binds the instance",
        "move {\n  from = t.b\n  to = t.a[1]\n  rebind = true\n}",
    ),
    "a part of a resource": (
        'rebind {\n  of = t.c[0]\n  provider = "t.west"\n}',
        "whole_resource = true",
        'rebind {\n  of = t.c[0]\n  provider = "t.west"\n  whole_resource = true\n}',
    ),
    "another provider": (
        'rebind {\n  of = t.b\n  provider = "provider[\\"acme/u\\"]"\n  new_provider = true\n}',
        "a replace_provider block",
        'replace_provider {\n  of = t.b\n  old = "acme/t"\n  new = "acme/u"\n  new_provider = true\n}',
    ),
}


@pytest.mark.parametrize("case", WAYS_OUT)
def test_a_refusal_names_what_the_file_lacks(case: str) -> None:
    """Options of commands are of no use in a file."""
    refused, way_out, mended = WAYS_OUT[case]
    state = snapshot_of("t.a[0]", "t.b", "t.c[0]", "t.c[1]", providers=WEST)
    with pytest.raises(SurgeryError) as raised:
        file_edits(refused, s=state)
    assert way_out in str(raised.value)
    assert raised.value.on_command_line == str(raised.value)
    assert "--" not in str(raised.value)
    assert file_edits(mended, s=state).edits["s"].snapshot != state


def test_identities_name_one_of_several_states() -> None:
    with pytest.raises(SurgeryError, match="the file names several states: give state"):
        file_edits("set_serial {\n  serial = 9\n}", one=snapshot_of("t.a"), two=snapshot_of())
    found = file_edits('set_serial {\n  serial = 9\n  state = "two"\n}', one=snapshot_of("t.a"), two=snapshot_of())
    assert {name: edit.snapshot.serial for name, edit in found.edits.items()} == {"two": 9}


def test_an_address_names_one_of_several_states() -> None:
    with pytest.raises(SurgeryError, match=r"the file names several states: write state\.NAME\.t\.a"):
        file_edits("forget {\n  of = t.a\n}", one=snapshot_of("t.a"), two=snapshot_of())


def test_to_a_whole_state() -> None:
    state = snapshot_of("t.a[0]", "t.a[1]", "module.m.t.b", z=["t.a", "module.m.t.b"])
    move = "move {\n from = [state.one.t.a[0], state.one.module.m]\n to = state.two\n keep_dependencies = true\n}"
    found = file_edits(move, one=state, two=snapshot_of("t.other"))
    assert addresses(found, "one") == ["t.a[1]", "t.z"]
    assert addresses(found, "two") == ["t.a[0]", "t.other", "module.m.t.b"]
    assert found.edits["one"].snapshot.resources[-1] == state.resources[-1]
    assert found.crossing == ()
    assert [(one.state, str(one.dependant), one.other, str(one.needs)) for one in found.kept] == [
        ("one", "t.z", "two", "module.m.t.b")
    ]
    assert {str(one) for one in found.arrived["two"]} == {"t.a[0]", "module.m.t.b"}


def test_joined_states() -> None:
    join = "join {\n from = state.one\n to = state.two\n prefix = module.m\n}"
    found = file_edits(join, one=snapshot_of("t.a"), two=snapshot_of("t.a"))
    assert addresses(found, "one") == []
    assert addresses(found, "two") == ["t.a", "module.m.t.a"]
    assert {str(one): home for one, home in found.arrived["two"].items()} == {"module.m.t.a": "one"}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("move {\n from = [state.one.t.a]\n to = state.two.t.b\n}", "a list goes to a whole state: to = state.NAME"),
        ("move {\n from = state.one.t.a\n to = state.one\n}", "the instances are in the state one already"),
        ("join {\n from = state.one\n to = state.one\n}", "the state one cannot join itself"),
        ("join {\n from = state.one.t.a\n to = state.two\n}", "state.one.t.a: name a state of the file: state.NAME"),
        ("join {\n from = state.one\n to = state.two\n prefix = t.a\n}", "prefix: t.a is not the address of a module"),
    ],
)
def test_refused_moves_of_states(block: str, message: str) -> None:
    with pytest.raises(SurgeryError, match=f"x:[34],1-5: .*{re.escape(message)}"):
        file_edits(block, one=snapshot_of("t.a"), two=snapshot_of("t.c"))

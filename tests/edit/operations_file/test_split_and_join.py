"""A state that is divided and put together again is what it was, but for its serial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hypothesis import assume, given, settings, strategies as st
from msgspec.structs import replace

from statefmt.edit.operations.split import SplitBy, split_parts
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.model import JoinBlock, MoveBlock, OperationBlock, StateBlock, operations_text
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.formats import INDENTED
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.property.strategies import StateText, states

_EXAMPLES: Final = settings().max_examples // 3


def divided_and_joined(state: Snapshot, parts: Mapping[str, Sequence[str]]) -> Snapshot:
    names = [f"part-{number}" for number in range(len(parts))]
    blocks: list[OperationBlock] = [
        MoveBlock(tuple(f"state.whole.{one}" for one in selectors), f"state.{name}", keep_dependencies=True)
        for name, selectors in zip(names, parts.values(), strict=True)
    ]
    text = operations_text({name: StateBlock(name) for name in ("whole", *names)}, blocks)
    empty = dict.fromkeys(names, Snapshot())
    made = run(read_operations_file("split", text.encode()), {"whole": state} | empty).edits
    now = {name: edit.snapshot for name, edit in made.items()}
    apart = [one.addr for name in now for one in instances(now[name])]
    assert sorted(map(str, apart)) == sorted(str(one.addr) for one in instances(state))
    joins = [JoinBlock(f"state.{name}", "state.whole") for name in reversed(names)]
    text = operations_text({name: StateBlock(name) for name in now}, joins)
    joined = run(read_operations_file("join", text.encode()), now).edits
    assert not any(joined[name].snapshot.resources for name in names)
    return joined["whole"].snapshot


def written(state: Snapshot) -> bytes:
    return canonical(state, INDENTED, keep_unknown=True)


def same(one: Snapshot, other: Snapshot) -> None:
    assert written(replace(one, serial=other.serial)) == written(other)


@settings(max_examples=_EXAMPLES)
@given(states(), st.sampled_from(SplitBy))
def test_by_modules_and_providers(text: StateText, by: SplitBy) -> None:
    state = read(text.data).snapshot
    try:
        parts = split_parts(state, by)
    except SurgeryError:
        assume(False)
    same(divided_and_joined(state, parts), state)


@settings(max_examples=_EXAMPLES)
@given(states(), st.data())
def test_any_instances(text: StateText, data: st.DataObject) -> None:
    state = read(text.data).snapshot
    # The address of an instance without a key selects those with keys, too.
    found = [str(one.addr) for one in instances(state)]
    assume(found and not any(other.startswith(f"{one}[") for one in found for other in found))
    homes = data.draw(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=len(found), max_size=len(found)))
    parts: dict[str, list[str]] = {}
    for addr, home in zip(found, homes, strict=True):
        if home:
            parts.setdefault(home, []).append(addr)
    assume(parts)
    same(divided_and_joined(state, parts), state)

"""What operations on a state give is what the real program makes of the same state."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from statefmt.addrs import ConfigProviderConfig, parse_abs_resource, parse_provider_source
from statefmt.errors import SurgeryError
from statefmt.statefile.inspect import read
from statefmt.statefile.write import write
from statefmt.states import ResourceInstance, Snapshot, instances
from statefmt.surgery.edit import Edit
from statefmt.surgery.mv import mv
from statefmt.surgery.replace_provider import replace_provider
from statefmt.surgery.rm import rm
from statefmt.surgery.taint import taint, untaint

from .content import content, gained, lost
from .program import Program
from .states import Document, documents, sweep, text_of

_NEW: Final = parse_provider_source("registry.example.com/other/cloud")


class Operation(NamedTuple):
    """An operation on one instance of a state, the same as a command, and members in which they differ on purpose."""

    ours: Callable[[Snapshot, ResourceInstance], Edit]
    command: Callable[[ResourceInstance], list[str]]
    differing: frozenset[str] = frozenset()


def _config(one: ResourceInstance) -> ConfigProviderConfig:
    assert one.resource.provider_config is not None
    return one.resource.provider_config


def _target(one: ResourceInstance) -> str:
    own = one.addr.resource.resource
    return f"module.there[0].{'data.' if own.mode.value == 'data' else ''}{own.type}.moved_away"


_OPERATIONS: Final = (
    Operation(
        lambda state, one: replace_provider(state, _config(one).provider, _NEW),
        lambda one: ["state", "replace-provider", "-auto-approve", str(_config(one).provider), str(_NEW)],
    ),
    Operation(lambda state, one: taint(state, [one]), lambda one: ["taint", str(one.addr)]),
    Operation(lambda state, one: untaint(state, [one]), lambda one: ["untaint", str(one.addr)]),
    Operation(
        lambda state, one: mv(state, {one.addr: parse_abs_resource(_target(one)).instance(one.addr.key)}),
        lambda one: ["state", "mv", str(one.addr), f"{_target(one)}{one.addr.key}"],
        # The programs erase the dependencies on what moves.
        frozenset({"dependencies"}),
    ),
    # The programs keep the dependencies on what is gone.
    Operation(lambda state, one: rm(state, [one.addr], keep_dangling=True), lambda one: ["state", "rm", str(one.addr)]),
)


def test_operations(real: Program, folder: Path) -> None:
    """Both give the same, or both refuse."""
    state = folder / "terraform.tfstate"

    def holds(given: tuple[Document, int, Operation]) -> None:
        document, place, operation = given
        text = text_of(document)
        before = read(text).snapshot
        found = instances(before)
        if not found:
            return
        instance = found[place % len(found)]
        state.write_bytes(text)
        done = real.run(folder, *operation.command(instance))
        try:
            after = operation.ours(before, instance).snapshot
        except SurgeryError:
            assert done.status != 0, done.out
            assert state.read_bytes() == text
            return
        assert done.status == 0, done.err
        theirs = state.read_bytes()
        # A pure operation leaves the serial, and the programs write outputs anew.
        ours = write(replace(after, serial=json.loads(theirs)["serial"]))
        assert {place for place in _differences(ours, theirs) if place[1] not in operation.differing} == set()
        for backup in folder.glob("*.backup"):
            backup.unlink()

    sweep(real, st.tuples(documents(portable=True), st.integers(0, 20), st.sampled_from(_OPERATIONS)), holds)


def _differences(one: bytes, other: bytes) -> set[tuple[str, str]]:
    return lost(content(one), content(other)) | gained(content(one), content(other))

"""Edits by statetool and by the real program end in the same state, but for dependencies, which statetool keeps up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import strategies as st

import statefmt
from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.compat.content import Content, content, gained, lost
from tests.compat.edits import Case, moves, removals, replacements, single_instances
from tests.compat.moved import Moved, configured, dependencies_of
from tests.compat.program import Program
from tests.compat.states import SWEEP, Document, sweep, text_of

# Of the generated cases of one program: how many there are at least, and how many that both do.
# Of a hundred, how many both programs do.
_DONE: Final = 13


class Command(NamedTuple):
    """One edit, as the real program has it and as statetool does."""

    theirs: tuple[str, ...]
    own: tuple[str, ...]


MV: Final = Command(("state", "mv"), ("mv", "--yes"))
MV_REBIND: Final = Command(("state", "mv"), ("mv", "--yes", "--rebind"))
RM: Final = Command(("state", "rm"), ("rm", "--yes"))
RM_KEEP: Final = Command(("state", "rm"), ("rm", "--yes", "--keep-dangling"))
REPLACE: Final = Command(
    ("state", "replace-provider", "-auto-approve"), ("replace-provider", "--yes", "--new-provider")
)
TAINT: Final = Command(("taint",), ("taint",))
UNTAINT: Final = Command(("untaint",), ("untaint",))


class Tried(NamedTuple):
    """A state before, and after the edit by each: None where it refused, with what it said."""

    before: Content
    theirs: Content | None
    own: Content | None
    their_words: str
    own_words: str


Try = Callable[[Command, bytes, tuple[str, ...]], Tried]


@pytest.fixture
def both(real: Program, statetool: Statetool, folder: Path) -> Try:
    """The same edit of the same state by the real program and by statetool."""

    def run(command: Command, data: bytes, arguments: tuple[str, ...]) -> Tried:
        given, written = folder / "given.tfstate", folder / "theirs.tfstate"
        given.write_bytes(data)
        written.write_bytes(data)
        done = real.run(folder, *command.theirs, "-state=theirs.tfstate", "-backup=backup", *arguments)
        own = statetool(*command.own, *arguments, "--state", "given.tfstate", "--out", "-")
        return Tried(
            content(data),
            content(written.read_bytes()) if done.status == 0 else None,
            content(own.out) if own.status == 0 else None,
            _words(done.err),
            _words(own.err),
        )

    return run


def canonical(document: Document) -> bytes:
    """A state in the form that the programs write: they put numbers of outputs and sensitive paths into it."""
    return statefmt.write(statefmt.read(text_of(document)).snapshot)


def _words(message: str) -> str:
    """A message in one line, without colours and frames."""
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


# What the real program refuses and statetool does, by what the program says.
MORE: Final = {
    "destination module already exists": "modules are joined, as long as no instance is taken",
    "does not match anything in the current state": "a module without a key means all its instances",
    "there is already a resource at that address": "resources are joined, as long as no instance is taken",
    "there is already a resource instance at that address": "to where it is: there is nothing to do",
    "so the target must also be a whole resource": "a resource with one instance can be named by the resource",
    "There is no resource instance in the state with the address": "a resource means all its instances",
}
# What the real program does and statetool refuses, by what statetool says.
LESS: Final = {
    "a resource has only one provider configuration": "the program binds the instance to another one, and says nothing",
    "no resource instance matches": "a typing error must not do half of what was meant; the program passes over it",
    "no resource is bound to": "the same; the program does nothing, and calls it a success",
}


def _difference(tried: Tried) -> str:
    """Why only one of the two did it, "" where there is no such reason."""
    reasons, words = (MORE, tried.their_words) if tried.theirs is None else (LESS, tried.own_words)
    return next((reason for said, reason in reasons.items() if said in words), "")


def _sweep(
    real: Program, both: Try, command: Command, cases: st.SearchStrategy[Case], same: Callable[[Case, Tried], None]
) -> None:
    counted: Counter[str] = Counter()

    def holds(case: Case) -> None:
        tried = both(command, canonical(case.document), case.arguments)
        if tried.theirs is not None and tried.own is not None:
            same(case, tried)
            counted["done by both"] += 1
        elif tried.theirs is None and tried.own is None:
            counted["refused by both"] += 1
        else:
            assert _difference(tried), (tried.their_words, tried.own_words)
            counted["done by one"] += 1

    sweep(real, cases, holds)
    assert sum(counted.values()) >= SWEEP // real.share
    # Few tries may be unlucky.
    assert counted["done by both"] >= (_DONE if real.share == 1 else 1), counted


def _differences(tried: Tried, but: str = "") -> set[tuple[str, str]]:
    """What differs after the edit; `but` is a member that is not looked at.

    Where nothing changes, the serial may: the program writes results of checks in any order, which to it is a change.
    """
    before, theirs, own = tried.before, tried.theirs or {}, tried.own or {}
    excepted = {but, "serial" if own == before else but}
    return {place for place in lost(own, theirs) | gained(own, theirs) if place[1] not in excepted}


def test_mv(real: Program, both: Try) -> None:
    """The same places, and what the program erases is what it says it does; statetool's point to where things went."""

    def same(case: Case, tried: Tried) -> None:
        before, theirs, own = tried.before, tried.theirs or {}, tried.own or {}
        assert _differences(tried, "dependencies") == set()
        moved = Moved(before, theirs)
        for id_, (was, now) in moved.places.items():
            had = dependencies_of(before, was)
            erased = (was, "deposed") not in before and moved.reaches(case.arguments[0], had)
            assert dependencies_of(theirs, now) == ([] if erased else had), id_
            assert dependencies_of(own, now) == moved.followed(had), id_

    _sweep(real, both, MV, moves(), same)


def test_rm(real: Program, both: Try) -> None:
    """The same is gone. The program leaves dependencies on it behind, statetool only with --keep-dangling."""

    def same(case: Case, tried: Tried) -> None:
        assert _differences(tried) == set()
        dropped = both(RM, canonical(case.document), case.arguments)
        assert _differences(dropped, "dependencies") == set()
        theirs, own = tried.theirs or {}, dropped.own or {}
        left = {configured(theirs, at) for at, member in theirs if member == "mode"}
        for at, _ in own:
            assert dependencies_of(own, at) == [one for one in dependencies_of(theirs, at) if one in left]

    _sweep(real, both, RM_KEEP, removals(), same)


@pytest.mark.parametrize(
    ("command", "cases"),
    [(REPLACE, replacements()), (TAINT, single_instances()), (UNTAINT, single_instances())],
    ids=["replace-provider", "taint", "untaint"],
)
def test_the_same(command: Command, cases: st.SearchStrategy[Case], real: Program, both: Try) -> None:
    def same(_: Case, tried: Tried) -> None:
        assert _differences(tried) == set()

    _sweep(real, both, command, cases, same)


OTHER: Final = {"provider": 'provider["registry.opentofu.org/hashicorp/aws"].west'}


def _keyed(*keys: int | str) -> list[Mapping[str, Any]]:
    return [{"index_key": key} for key in keys]


# A command, its arguments, a state, and for each of the two whether it does it.
DIFFERENCES: Final = [
    (MV, "module.a module.b", [resource("x", "a", module="module.a"), resource("x", "b", module="module.b")], "own"),
    (MV, "module.a module.b", [resource("x", "a", module="module.a"), resource("x", "a", module="module.b")], ""),
    (MV, "module.a module.b", [resource("x", "a", module="module.a[0]")], "own"),
    (MV, "x.a x.b", [resource("x", "a", *_keyed(0)), resource("x", "b", *_keyed(1))], "own"),
    (MV, "x.a x.b", [resource("x", "a", *_keyed(0)), resource("x", "b", *_keyed(0))], ""),
    (MV, "x.a x.a", [resource("x", "a")], "own"),
    (MV, "x.a x.b[0]", [resource("x", "a", *_keyed("k"))], "own"),
    (MV, "x.a x.b[0]", [resource("x", "a", *_keyed("j", "k"))], ""),
    (MV, "x.a x.b[1]", [resource("x", "a"), resource("x", "b", *_keyed(0), **OTHER)], "theirs"),
    (MV_REBIND, "x.a x.b[1]", [resource("x", "a"), resource("x", "b", *_keyed(0), **OTHER)], "both"),
    (MV, "x.a x.b", [resource("x", "a"), resource("x", "b", *_keyed(0))], "both"),
    (MV, "x.a y.a", [resource("x", "a")], ""),
    (MV, "x.a data.x.a", [resource("x", "a")], ""),
    (MV, "x.a module.a", [resource("x", "a")], ""),
    (MV, "module.a x.a", [resource("x", "a", module="module.a")], ""),
    (MV, "x.none x.b", [resource("x", "a")], ""),
    (RM, "x.a x.none", [resource("x", "a"), resource("x", "b")], "theirs"),
    (RM, "x.none", [resource("x", "a")], ""),
    (REPLACE, "hashicorp/gcp hashicorp/aws", [resource("x", "a")], "theirs"),
    (TAINT, "x.a", [resource("x", "a", *_keyed(0, 1))], "own"),
    (UNTAINT, "x.a", [resource("x", "a")], ""),
]


@pytest.mark.parametrize(("command", "line", "resources", "done_by"), DIFFERENCES, ids=[
    f"{' '.join(case[0].own)} {case[1]}: {case[3] or 'none'} ({number})" for number, case in enumerate(DIFFERENCES)
])  # fmt: skip
def test_differences(command: Command, line: str, resources: list[dict[str, object]], done_by: str, both: Try) -> None:
    tried = both(command, state(*resources), tuple(line.split()))
    done = {"own": tried.own is not None, "theirs": tried.theirs is not None}
    assert done == {"own": done_by in ("own", "both"), "theirs": done_by in ("theirs", "both")}, tried
    if done_by in ("own", "theirs"):
        assert _difference(tried)
    if tried.own is not None and tried.theirs is not None:
        assert _differences(tried) == set()

"""The log of a state in real git says exactly which edits were made to it, in generated sequences."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeAlias

import pytest

import statefmt
from statefmt.differences import Event, EventKind, blamed, state_log, state_versions
from statefmt.operations import Edit, move, parse_assignment, remove, set as set_attributes, taint, untaint
from statefmt.selection import Criteria
from statefmt.snapshots import instances
from tests.cli.states import resource, state

_NAMES: Final = "abcdef"
_OPERATIONS: Final = 12


# The kind of an event, its address, the address before a move, and the changed attributes.
_Said: TypeAlias = tuple[EventKind, str, str, tuple[str, ...]]


class _Edited(NamedTuple):
    edit: Edit
    event: _Said


def _git(*arguments: str) -> str:
    settings = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    done = subprocess.run(["git", *settings, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _first() -> bytes:
    made = [resource("aws_vpc", one, {"attributes": {"id": f"vpc-{one}", "size": 0}}) for one in _NAMES]
    return state(*made)


def _edited(snapshot: statefmt.Snapshot, random: Random, number: int) -> _Edited:
    """Make one operation, and say which event it is."""
    instance = random.choice(instances(snapshot))
    address = str(instance.addr)
    chosen = Criteria(selectors=(address,))
    tainted = instance.current is not None and instance.current.status.value == "tainted"
    kinds = ["move", "set", "untaint" if tainted else "taint", *(["remove"] if len(snapshot.resources) > 2 else [])]
    match random.choice(kinds):
        case "move":
            new = f"module.m{number}.aws_vpc.n" if random.random() < 0.5 else f"aws_vpc.n{number}"
            return _Edited(move(snapshot, address, new), (EventKind.MOVED, new, address, ()))
        case "set":
            edit = set_attributes(snapshot, chosen, [parse_assignment(f"size={number}")])
            return _Edited(edit, (EventKind.CHANGED, address, "", ("size",)))
        case "taint":
            return _Edited(taint(snapshot, chosen), (EventKind.TAINTED, address, "", ()))
        case "untaint":
            return _Edited(untaint(snapshot, chosen), (EventKind.UNTAINTED, address, "", ()))
    return _Edited(remove(snapshot, chosen), (EventKind.REMOVED, address, "", ()))


def _said(event: Event) -> _Said:
    return event.kind, event.address, event.old, event.paths


@pytest.mark.parametrize("seed", range(8))
def test_the_log_has_exactly_these_edits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random, path = Random(seed), Path("s.tfstate")
    _git("init", "--quiet")
    content = _first()
    commits, expected = [], []
    for number in range(1, _OPERATIONS + 1):
        path.write_bytes(content)
        _git("add", ".")
        _git("commit", "--quiet", "--message", f"version {number}")
        commits.append(_git("rev-parse", "HEAD"))
        snapshot = statefmt.read(content).snapshot
        made = _edited(snapshot, random, number)
        expected.append(made.event)
        later = statefmt.write(made.edit.snapshot, canonical=True)
        content = later.replace(b'"serial": %d' % snapshot.serial, b'"serial": %d' % (snapshot.serial + 1))
    # The last edit is not committed.
    path.write_bytes(content)
    context = statefmt.run_context(environment=os.environ)
    with state_versions(context, str(path)) as versions:
        log = state_log(context, str(path), versions, Criteria())
    assert [one.version.origin.place for one in log.changes] == [*commits, str(path)]
    assert [list(map(_said, one.events)) for one in log.changes] == [[], *([one] for one in expected)]
    assert log.notes == ()
    _assert_lives(log.changes[-1].version.content(), path, expected, context)


def _assert_lives(content: bytes, path: Path, expected: list[_Said], context: statefmt.RunContext) -> None:
    """Whatever is in the state now has the edits of all its earlier addresses, and blame finds the last of them."""
    for instance in instances(statefmt.read(content).snapshot):
        address, own = str(instance.addr), list[int]()
        for place in reversed(range(len(expected))):
            kind, at, before, _ = expected[place]
            if at == address:
                own.insert(0, place)
                address = before if kind is EventKind.MOVED else address
        with state_versions(context, str(path)) as versions:
            log = state_log(context, str(path), versions, Criteria(selectors=(str(instance.addr),)))
        life = log.lives.current[instance.addr]
        found = [_said(event) for one in log.changes for event in one.events if event.life == life]
        assert found == [(EventKind.PRESENT, address, "", ()), *(expected[place] for place in own)]
        (last,) = blamed([one.events for one in log.changes], life, ["size"])
        sizes = [place + 1 for place in own if expected[place][3] == ("size",)]
        assert last.place == (sizes[-1] if sizes else 0)


def test_it_reads_each_content_of_a_merge_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commits of both sides are versions; a merge that takes one side adds none."""
    monkeypatch.chdir(tmp_path)
    path = Path("s.tfstate")
    _git("init", "--quiet", "--initial-branch", "main")

    def commit(content: bytes) -> None:
        path.write_bytes(content)
        _git("add", ".")
        _git("commit", "--quiet", "--message", "m")

    first = _first()
    ours, theirs = (
        first.replace(b'"serial": 7', b'"serial": 8').replace(b"vpc-a", one) for one in (b"vpc-x", b"vpc-y")
    )
    commit(first)
    _git("checkout", "--quiet", "-b", "side")
    commit(theirs)
    _git("checkout", "--quiet", "main")
    commit(ours)
    _git("merge", "--quiet", "--strategy", "ours", "side")
    context = statefmt.run_context(environment=os.environ)
    with state_versions(context, str(path)) as versions:
        assert sorted(one.content() for one in versions) == sorted([first, ours, theirs])
        log = state_log(context, str(path), versions, Criteria())
    assert log.notes[0] == "two different versions have serial 8; they are compared in the order of their times"


@pytest.mark.parametrize("setting", ["gpg.program", "core.fsmonitor", "core.pager", "diff.external"])
def test_no_program_of_the_repository_runs(setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path, program = Path("s.tfstate"), Path("program")
    path.write_bytes(_first())
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    _git("init", "--quiet")
    Path(".gitattributes").write_text("*.tfstate diff=own filter=own\n")
    _git("add", ".")
    _git("commit", "--quiet", "--message", "m")
    for name in (setting, "diff.own.textconv", "diff.own.command", "filter.own.smudge", "filter.own.process"):
        _git("config", name, str(program.absolute()))
    _git("config", "log.showSignature", "true")
    context = statefmt.run_context(environment=os.environ)
    with state_versions(context, str(path)) as versions:
        assert [one.content() for one in versions] == [_first()]
    assert not Path("ran").exists()


def _unreadable(path: Path, content: bytes) -> bytes:
    return b"<<<<<<< HEAD\n" + content


@pytest.mark.parametrize("damage", [_unreadable, lambda path, content: content[:-200]])
def test_a_version_that_cannot_be_read_is_listed(
    damage: Callable[[Path, bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("s.tfstate")
    _git("init", "--quiet")
    first = _first()
    later = first.replace(b'"serial": 7', b'"serial": 10').replace(b"vpc-a", b"vpc-x")
    for content in (first, damage(path, first), later):
        path.write_bytes(content)
        _git("add", ".")
        _git("commit", "--quiet", "--message", "m")
    context = statefmt.run_context(environment=os.environ)
    with state_versions(context, str(path)) as versions:
        log = state_log(context, str(path), versions, Criteria())
    assert len(log.changes) == 3
    assert [bool(one.problem) for one in log.changes].count(True) == 1
    (changed,) = [one for one in log.changes if one.events]
    assert changed.missing == (8, 9)

"""Merges two states as git does where they conflict, with markers; what each side had is known."""

from __future__ import annotations

from difflib import SequenceMatcher
from random import Random
from typing import NamedTuple

from benchmarks.damages.states import LAYOUTS, changed, plan, write


class Conflict(NamedTuple):
    """A file with conflict markers, and both states as they were before the merge."""

    data: bytes
    ours: bytes
    theirs: bytes


def conflict(seed: int, size: int) -> Conflict:
    """Return the conflict of a seed: each hunk that differs has both sides, in the style `merge` or `diff3`."""
    chance = Random(f"conflict {seed} {size}")
    newest = plan(chance, size)
    layout = LAYOUTS[chance.choice(("indented", "compact", "tabs"))]
    ours, theirs = write(newest, layout).data, write(changed(chance, newest), layout).data
    end = b"\r\n" if layout.line == "\r\n" else b"\n"
    base = b"||||||| 3f1c2a7" + end + b'  "serial": 5,' + end if chance.random() < 0.5 else b""
    mine, other = ours.splitlines(keepends=True), theirs.splitlines(keepends=True)
    merged: list[bytes] = []
    for kind, a, b, c, d in SequenceMatcher(None, mine, other, autojunk=False).get_opcodes():
        if kind == "equal":
            merged += mine[a:b]
        else:
            merged += [b"<<<<<<< HEAD" + end, *_lines(mine[a:b], end), base, b"=======" + end]
            merged += [*_lines(other[c:d], end), b">>>>>>> feature/x" + end]
    return Conflict(b"".join(merged), ours, theirs)


def _lines(lines: list[bytes], end: bytes) -> list[bytes]:
    return [line if line.endswith(b"\n") else line + end for line in lines]

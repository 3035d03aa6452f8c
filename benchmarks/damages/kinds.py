"""Damages states as crashes, transfers and editors do, and says which objects are whole in the result."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Final, NamedTuple

from benchmarks.damages.states import LAYOUTS, Original, Written, changed, plan, write

_BLOCK: Final = 4096
_LOG_LINES: Final = (
    "2026-01-01T10:00:00Z [INFO] {x} done\n",
    '{"@level":"info","version":1,"serial":"x"}\n{"mode":"a","type":"b","name":"c"}\n',
    "\x1b[32mInitializing...\x1b[0m [ok] {\n\n",
    '+ echo "{\n',
)
_GARBAGE: Final = ("}\n", "\n$ exit\n", "\x00\x00]}", '{"a": 1}\n', "  ]\n}\n")


class Damaged(NamedTuple):
    """A damaged file: `whole` are the objects whose bytes are all in it, `known` all that any version had.

    `seconds` of a merge conflict: the other side, to be salvaged by itself.
    """

    data: bytes
    whole: tuple[Original, ...]
    known: tuple[Original, ...]


class Kind(NamedTuple):
    """A kind of damage. `keeps_all`: what is whole in the file must be found, and nothing of it is uncertain."""

    damage: Callable[[Random, Written, Written], Damaged]
    keeps_all: bool


def made(kind: str, seed: int, size: int) -> Damaged:
    """Return the damaged state of a seed: one kind, about `size` bytes, in one of the layouts."""
    chance = Random(f"{kind} {seed} {size}")
    newest = plan(chance, size)
    layout = LAYOUTS[chance.choice(list(LAYOUTS))]
    before = layout if chance.random() < 0.8 else LAYOUTS[chance.choice(list(LAYOUTS))]
    new, old = write(newest, layout), write(changed(chance, newest), before)
    return KINDS[kind].damage(chance, new, old)


def place(chance: Random, data: bytes) -> int:
    """Return an offset: inside a string, a number, a name, white space, beside a bracket, or anywhere."""
    somewhere = chance.randrange(1, len(data))
    found = chance.choice(_PLACES).search(data, somewhere, somewhere + 4096)
    return chance.randint(found.start(), found.end()) if found else somewhere


_PLACES: Final = tuple(
    re.compile(expression)
    for expression in (
        rb'"[^"\\]*',
        rb"[0-9]+",
        rb'"[a-z_]+"\s*:',
        rb"\s+",
        rb"[}\]]\s*,\s*[{\[]",
        rb"[}\]]+",
        rb"(?s).",
    )
)


def _before(objects: Iterable[Original], end: int) -> tuple[Original, ...]:
    return tuple(one for one in objects if one.end <= end)


def _cut(chance: Random, new: Written, old: Written) -> Damaged:
    at = place(chance, new.data)
    return Damaged(new.data[:at], _before(new.objects, at), new.objects)


def _zero_tail(chance: Random, new: Written, old: Written) -> Damaged:
    at = place(chance, new.data)
    zeros = chance.choice((len(new.data) - at, 1, _BLOCK, 3 * _BLOCK - at % _BLOCK))
    return Damaged(new.data[:at] + bytes(zeros), _before(new.objects, at), new.objects)


def _zero_block(chance: Random, new: Written, old: Written) -> Damaged:
    start = chance.randrange(0, len(new.data), _BLOCK)
    end = min(start + _BLOCK * chance.choice((1, 1, 4)), len(new.data))
    whole = tuple(one for one in new.objects if one.end <= start or one.start >= end)
    return Damaged(new.data[:start] + bytes(end - start) + new.data[end:], whole, new.objects)


def _prefix(chance: Random, new: Written, old: Written) -> Damaged:
    at = chance.choice((len(new.data), place(chance, new.data)))
    front = "".join(chance.choices(_LOG_LINES, k=chance.randint(1, 3)))
    return Damaged(front.encode() + new.data[:at], _before(new.objects, at), new.objects)


def _byte_order_mark(chance: Random, new: Written, old: Written) -> Damaged:
    cut = _cut(chance, new, old)
    return cut._replace(data=b"\xef\xbb\xbf" + cut.data)


def _utf16(chance: Random, new: Written, old: Written) -> Damaged:
    encoding = chance.choice(("utf-16-le", "utf-16-be"))
    data = new.data.decode().encode(encoding)
    at = chance.choice((len(data), chance.randrange(len(data))))
    end = len(data[: at // 2 * 2].decode(encoding, "ignore").encode())
    mark = chance.choice(("\ufeff".encode(encoding), b"")) if at > 64 else "\ufeff".encode(encoding)
    tail = chance.choice((b"", b"", bytes(_BLOCK + 1)))
    return Damaged(mark + data[:at] + tail, _before(new.objects, end), new.objects)


def _html(chance: Random, new: Written, old: Written) -> Damaged:
    front = '<!DOCTYPE html>\n<html><body class="x"><pre>\n'
    at = chance.choice((len(new.data), place(chance, new.data)))
    kept = new.data[:at].decode(errors="ignore")
    back = "</pre></body></html>\n" if at == len(new.data) else ""
    return Damaged((front + html.escape(kept) + back).encode(), _before(new.objects, at), new.objects)


def _terminal(chance: Random, new: Written, old: Written) -> Damaged:
    at = chance.choice((len(new.data), place(chance, new.data)))
    colored = re.sub(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', lambda token: b"\x1b[0;32m" + token[0] + b"\x1b[0m", new.data[:at])
    return Damaged(colored, _before(new.objects, at), new.objects)


def _garbage(chance: Random, new: Written, old: Written) -> Damaged:
    return Damaged(new.data + chance.choice(_GARBAGE).encode(), new.objects, new.objects)


def _two(chance: Random, new: Written, old: Written) -> Damaged:
    between = chance.choice((b"", b"\n", b"---\n"))
    at = chance.choice((len(old.data), place(chance, old.data)))
    known = (*new.objects, *old.objects)
    return Damaged(new.data + between + old.data[:at], (*new.objects, *_before(old.objects, at)), known)


def _tear(chance: Random, new: Written, old: Written) -> Damaged:
    """A write in place that was killed: the old state from there on."""
    at = place(chance, new.data)
    whole = (*_before(new.objects, at), *(one for one in old.objects if one.start >= at))
    return Damaged(new.data[:at] + old.data[at:], whole, (*new.objects, *old.objects))


def _old_end(chance: Random, new: Written, old: Written) -> Damaged:
    """A write in place of a shorter state, without the truncation: the end of a longer one follows."""
    short, long = sorted((new, old), key=lambda one: len(one.data))
    at = len(short.data)
    whole = (*short.objects, *(one for one in long.objects if one.start >= at))
    return Damaged(short.data + long.data[at:], whole, (*new.objects, *old.objects))


def _moved_tear(chance: Random, new: Written, old: Written) -> Damaged:
    """The beginning of one version, and the end of another from any other place: as bad copies leave it."""
    at, other = place(chance, new.data), place(chance, old.data)
    whole = (*_before(new.objects, at), *(one for one in old.objects if one.start >= other))
    return Damaged(new.data[:at] + old.data[other:], whole, (*new.objects, *old.objects))


def _interleaved(chance: Random, new: Written, old: Written) -> Damaged:
    """Two writers at once: blocks of one and of the other."""
    block = chance.choice((512, _BLOCK, 4 * _BLOCK, chance.randint(1, 3 * _BLOCK)))
    size = max(len(new.data), len(old.data))
    parts = [chance.choice((new, old)).data[start : start + block] for start in range(0, size, block)]
    return Damaged(b"".join(parts), (), (*new.objects, *old.objects))


KINDS: Final[dict[str, Kind]] = {
    "cut": Kind(_cut, True),
    "NUL tail": Kind(_zero_tail, True),
    "NUL block": Kind(_zero_block, False),
    "text in front": Kind(_prefix, True),
    "byte order mark": Kind(_byte_order_mark, True),
    "UTF-16": Kind(_utf16, True),
    "HTML": Kind(_html, True),
    "terminal colors": Kind(_terminal, True),
    "text behind": Kind(_garbage, True),
    "two states": Kind(_two, True),
    "tear": Kind(_tear, False),
    "old end": Kind(_old_end, False),
    "tear, moved": Kind(_moved_tear, False),
    "interleaved": Kind(_interleaved, False),
}

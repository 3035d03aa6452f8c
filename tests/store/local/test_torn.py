"""Power loss: whatever sectors of a write, a roll-back or a recovery reached the disk, the state is found again.

The model: a file is a sequence of sectors. A write that is interrupted leaves any subset of the sectors with their new
content, any length between the two, and zero bytes where the file grew before its data came. A second write (the
roll-back, or a recovery) that is interrupted does the same to what the first one left. Contents of that model are laid
on a real file with a real journal, and read as every command reads them.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from statefmt.store.local.history import load_history
from statefmt.store.local.journal import Journal, checksum, encode
from statefmt.store.local.settled import read_settled
from statefmt.store.local.transaction import is_torn
from statefmt.store.protocol import HistoryEntry
from tests.store.local.child import BACKUP, JOURNAL, SILENT

_SIZES: Final = (512, 4096)
# How many of the states in each model `make test` recovers; `make slow` recovers all of them.
_SAMPLE: Final = 60
_LARGE_SAMPLE: Final = 400


class Model(NamedTuple):
    """Two contents, and the size of a sector."""

    old: bytes
    new: bytes
    sector: int

    def sectors(self, *contents: bytes) -> int:
        """How many sectors the longest of some contents has."""
        return max(-(-len(content) // self.sector) for content in contents)

    def after(self, before: bytes, target: bytes, written: Iterable[int], length: int) -> bytes:
        """What is left of writing `target` over `before` if just these sectors and this length reached the disk."""
        content = bytearray(before.ljust(max(len(before), len(target)), b"\0"))
        for number in written:
            place = number * self.sector
            part = target[place : place + self.sector]
            content[place : place + len(part)] = part
        return bytes(content[:length].ljust(length, b"\0"))

    def lengths(self, before: bytes, target: bytes) -> list[int]:
        """The lengths that a file may have between two contents: theirs, and every sector on the way."""
        short, long = sorted((len(before), len(target)))
        return sorted({short, long, *range(short - short % self.sector + self.sector, long, self.sector)})

    def interrupted(self, before: bytes, target: bytes) -> Iterator[bytes]:
        """All that may be left of writing one content over another."""
        numbers = range(self.sectors(before, target))
        for subset in product((False, True), repeat=len(numbers)):
            written = [number for number, there in zip(numbers, subset, strict=True) if there]
            for length in self.lengths(before, target):
                yield self.after(before, target, written, length)

    def interrupted_at_random(self, chance: random.Random, before: bytes, target: bytes) -> bytes:
        """One of these."""
        written = [number for number in range(self.sectors(before, target)) if chance.random() < 0.5]
        return self.after(before, target, written, chance.choice(self.lengths(before, target)))


def _content(chance: random.Random, length: int, alphabet: bytes) -> bytes:
    return bytes(chance.choices(alphabet, k=length))


def _models() -> Iterator[tuple[str, Model]]:
    chance = random.Random(7)
    for sector in _SIZES:
        for sectors in range(1, 9):
            for name, change in (
                ("same", 0),
                ("shorter", -1),
                ("longer", 1),
                ("odd", 0),
                ("much shorter", -sectors + 1),
            ):
                length = sectors * sector - (97 if name == "odd" else 0)
                other = max(1, sectors + change) * sector - (311 if name == "odd" else 0)
                if other > 8 * sector:
                    continue
                old, new = _content(chance, length, b"abc \n"), _content(chance, other, b"abc \n")
                yield f"{sector} bytes, {sectors} sectors, {name}", Model(old, new, sector)


MODELS: Final = list(_models())


@pytest.fixture
def folder() -> Iterator[Path]:
    # In memory where that is possible: what a disk does is what the model says.
    memory = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    yield path
    shutil.rmtree(path)


def _recovery(folder: Path, model: Model) -> Callable[[bytes], None]:
    """Checks that a state with some torn content is read as the old or the new one."""
    state, journal = folder / "state", folder / JOURNAL
    (folder / BACKUP).write_bytes(model.old)
    entry = HistoryEntry(1, "2026-01-01T00:00:00Z", "me@here", "mv", checksum(model.old), checksum(model.new))
    text = encode(Journal(BACKUP, (model.new,), entry, "state"))
    state.write_bytes(b"")

    def recover(torn: bytes) -> None:
        state.write_bytes(torn)
        journal.write_bytes(text)
        journal.chmod(0o600)
        content = read_settled(str(state), SILENT)
        assert content == (model.old if torn == model.old else model.new)
        assert state.read_bytes() == content
        assert not journal.exists()
        assert [one.number for one in load_history(state).entries] in ([], [1])

    return recover


@pytest.mark.parametrize("model", [model for _, model in MODELS], ids=[name for name, _ in MODELS])
def test_any_subset_of_sectors(model: Model, folder: Path) -> None:
    """One interruption, in both directions: the write itself, and the roll-back of a write that was complete."""
    torn = {*model.interrupted(model.old, model.new), *model.interrupted(model.new, model.old)}
    assert {model.old, model.new} <= torn
    assert all(is_torn(content, model.old, model.new) for content in torn)
    recover = _recovery(folder, model)
    for content in random.Random(1).sample(sorted(torn), min(_SAMPLE, len(torn))):
        recover(content)


@pytest.mark.slow
@pytest.mark.parametrize("model", [model for _, model in MODELS], ids=[name for name, _ in MODELS])
def test_every_subset_of_sectors_twice(model: Model, folder: Path) -> None:
    """Two interruptions: every content that one of them leaves is recovered, and a second one leaves nothing else."""
    once = {*model.interrupted(model.old, model.new), *model.interrupted(model.new, model.old)}
    twice: set[bytes] = set()
    for content in once:
        for target in (model.old, model.new):
            twice |= set(model.interrupted(content, target))
    recover = _recovery(folder, model)
    for content in sorted(once | twice):
        assert is_torn(content, model.old, model.new)
        recover(content)


@pytest.mark.parametrize("sector", _SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_large_states_torn_twice(seed: int, sector: int, folder: Path) -> None:
    """Random subsets of hundreds of sectors, with one interruption and with two, in both directions."""
    chance = random.Random(seed)
    old = _content(chance, chance.randint(20, 200) * sector - chance.randint(0, 500), b"abc \n")
    new = _content(chance, chance.randint(20, 200) * sector - chance.randint(0, 500), b"abc \n")
    model = Model(old, new, sector)
    recover = _recovery(folder, model)
    for _ in range(_LARGE_SAMPLE // len(_SIZES) // 4):
        first, second = chance.choice([(old, new), (new, old)]), chance.choice([old, new])
        once = model.interrupted_at_random(chance, *first)
        recover(once)
        recover(model.interrupted_at_random(chance, once, second))


@pytest.mark.parametrize("place", [0, 1, 511, 512, 5000])
def test_any_byte(place: int, folder: Path) -> None:
    """A write that stops within a sector, as a kill makes it, and a roll-back that stops there."""
    old, new = b'{"serial": 1}' * 400, b'{"serial": 22}' * 420
    recover = _recovery(folder, Model(old, new, 512))
    recover(new[:place] + old[place:])
    recover(old[:place] + new[place:])


@pytest.mark.parametrize(
    "foreign",
    [b"somebody else's content" * 50, b"x" + b"o" * 1999, b"o" * 1999 + b"x", b"o" * 999, b"n" * 3001],
    ids=["another", "at the beginning", "at the end", "too short", "too long"],
)
def test_foreign_change(foreign: bytes, folder: Path) -> None:
    """A content that is not made of the two is never written over, and the journal stays."""
    from statefmt.model.errors import StoreError

    model = Model(b"o" * 2000, b"n" * 3000, 512)
    recover = _recovery(folder, model)
    with pytest.raises(StoreError, match="the file was changed by other means since"):
        recover(foreign)
    assert (folder / "state").read_bytes() == foreign
    assert (folder / JOURNAL).exists()

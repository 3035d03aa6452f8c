"""Holds what salvage finds against the objects that the maker of a damaged file knows."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

from benchmarks.damages.kinds import Damaged
from benchmarks.damages.states import Address, Original
from statefmt.formats.salvage import salvage
from statefmt.formats.salvage.model import FoundObject, Salvage
from statefmt.model.addrs import IntKey, StringKey


class Judgement(NamedTuple):
    """What is right in what was found: `missed` are whole in the file and not certain, `altered` are in no version."""

    found: Salvage
    certain: Counter[tuple[Address, bytes]]
    missed: Counter[tuple[Address, bytes]]
    altered: tuple[tuple[Address, bytes], ...]
    uncertain: int


def judged(damaged: Damaged) -> Judgement:
    """Salvage a damaged file and compare each certain object with the originals, byte for byte."""
    found = salvage(damaged.data)
    certain = Counter((address(one), one.raw) for document in found.documents for one in document.certain)
    known = set(map(_pair, damaged.known))
    return Judgement(
        found=found,
        certain=certain,
        missed=Counter(map(_pair, damaged.whole)) - certain,
        altered=tuple(one for one in certain if one not in known),
        uncertain=sum(len(document.objects) - len(document.certain) for document in found.documents),
    )


def address(found: FoundObject) -> Address:
    """Return the address of an object with that of its resource, in the form of the maker."""
    assert found.head is not None
    assert found.key is not None
    key = found.key.key
    text = json.dumps(key.value if isinstance(key, IntKey | StringKey) else None)
    head = found.head
    return Address(head.module, head.mode, head.type, head.name, "" if text == "null" else text, found.key.deposed)


def _pair(one: Original) -> tuple[Address, bytes]:
    return one.address, one.raw

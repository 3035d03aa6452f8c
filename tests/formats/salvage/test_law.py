"""What is whole is found, and nothing torn is taken for whole: over generated damages of every kind."""

from __future__ import annotations

import json
from random import Random
from typing import Final

import pytest

from benchmarks.damages.conflicts import conflict
from benchmarks.damages.judged import judged
from benchmarks.damages.kinds import KINDS, made
from statefmt.formats.salvage import salvage, sides
from tests.tables import each_row

_SAMPLE: Final = 30
_ALL: Final = 180
_SEEDS: Final = [pytest.param(seed, marks=[pytest.mark.slow] if seed >= _SAMPLE else []) for seed in range(_ALL)]
_STRICT: Final = [kind for kind in KINDS if KINDS[kind].keeps_all]
_TORN: Final = ("tear", "old end", "tear, moved")


def _size(seed: int) -> int:
    """Return a size from 2 kB to 60 kB; each 30th is 1 MB, the last one 10 MB."""
    if seed >= _SAMPLE and seed % 30 == 29:
        return 10**7 if seed == _ALL - 1 else 10**6
    return int(2000 * 30 ** Random(seed).random())


@each_row("kind", _STRICT)
@each_row("seed", _SEEDS)
def test_all_that_is_whole_is_found(kind: str, seed: int) -> None:
    judgement = judged(made(kind, seed, _size(seed)))
    assert not judgement.altered
    assert not judgement.missed
    assert judgement.uncertain == 0


@each_row("kind", [*_TORN, "NUL block"])
@each_row("seed", _SEEDS)
def test_nothing_torn_is_taken_for_whole(kind: str, seed: int) -> None:
    damaged = made(kind, seed, _size(seed))
    if not _is_json(damaged.data):
        assert not judged(damaged).altered


@each_row("seed", _SEEDS)
def test_before_a_seam_only_few_are_uncertain(seed: int) -> None:
    damaged = made("tear", seed, _size(seed))
    if _is_json(damaged.data):
        return
    found = salvage(damaged.data)
    whole = {one.raw for one in damaged.whole}
    suspect = [
        one for document in found.documents for one in document.objects if one.doubt and one.doubt.name == "SEAM"
    ]
    assert len([one for one in suspect if one.raw in whole]) <= 2


@each_row("seed", _SEEDS)
def test_blocks_of_two_writers(seed: int) -> None:
    """Where two seams show, nothing is certain: others may not show. Where one shows, it looks like a tear."""
    damaged = made("interleaved", seed, _size(seed))
    judgement = judged(damaged)
    if len(judgement.found.breaks) > 2 and not _is_json(damaged.data):
        assert not judgement.altered


@pytest.mark.parametrize("seed", [686, 764, 861, 884])
def test_a_seam_that_does_not_show_between_signs_and_repetitions(seed: int) -> None:
    damaged = made("interleaved", seed, int(2000 * 15 ** Random(seed).random()))
    assert not judged(damaged).altered


@each_row("seed", [pytest.param(n, marks=[pytest.mark.slow] if n >= 40 else []) for n in range(200)])
def test_both_sides_of_conflicts(seed: int) -> None:
    merged = conflict(seed, int(2000 * 10 ** Random(seed).random()))
    both = sides(merged.data)
    if merged.ours == merged.theirs:
        assert both is None
        return
    assert both is not None
    for side, original in ((both.ours, merged.ours), (both.theirs, merged.theirs)):
        assert side.rstrip() == original.rstrip()
        (document,) = salvage(side).documents
        assert document.is_whole
        assert document.raw.rstrip() == original.rstrip()


def _is_json(data: bytes) -> bool:
    """Return whether a tear left valid JSON: then it cannot be seen, and nothing needs to be salvaged."""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True

"""Generated migrations against what their generator knows: no wrong pair is taken, and nearly all are decided."""

from pathlib import Path

import pytest

from statefmt.analysis.adoption import adopt
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import read
from tests.analysis.adoption.case import state_of
from tests.analysis.adoption.generated import generate


def _counts(seed: int, folder: Path, *, with_old: bool) -> tuple[int, int, list[str]]:
    """The objects, the pairs, and the wrong ones."""
    made = generate(seed)
    for name, text in made.files.items():
        file = folder / str(seed) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    configurations = [ProviderReferences(load(folder / str(seed) / name)) for name in ("before", "after")]
    snapshot = read(state_of(made.state)).snapshot
    found = adopt(snapshot, configurations[1], configurations[0] if with_old else None)
    pairs = {str(pair.source.addr): str(pair.target.address) for pair in found.pairs}
    wrong = [f"{seed}: {one} -> {other}" for one, other in pairs.items() if made.right[one] != other]
    return len(made.right), len(pairs), wrong


def _check(seeds: range, folder: Path) -> None:
    objects = decided = 0
    wrong: list[str] = []
    for seed in seeds:
        total, pairs, mistakes = _counts(seed, folder, with_old=True)
        objects, decided, wrong = objects + total, decided + pairs, wrong + mistakes
    assert not wrong
    assert decided >= 0.97 * objects, f"{decided} of {objects}"


def test_a_sample(tmp_path: Path) -> None:
    _check(range(60), tmp_path)


@pytest.mark.slow
def test_all(tmp_path: Path) -> None:
    _check(range(2000), tmp_path)


def test_nothing_wrong_without_the_old_configuration(tmp_path: Path) -> None:
    assert not [one for seed in range(60) for one in _counts(seed, tmp_path, with_old=False)[2]]

"""An edit whose connection is cut at any request: the old or the new state, a true message, and a way on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.backends.trial import NewSpot, Obstacle, problems
from tests.servers.cutting import Cut

_CUTS: Final = [Obstacle(cut) for cut in Cut]
_FOR_GOOD: Final = [Obstacle(cut, stays_cut=True) for cut in Cut]
_SEED: Final = 1


def test_sample(new_spot: NewSpot, tmp_path: Path) -> None:
    assert problems(new_spot, tmp_path, [*_CUTS, *_FOR_GOOD], _SEED) == []


@pytest.mark.slow
@pytest.mark.parametrize("obstacle", [*_CUTS, *_FOR_GOOD], ids=str)
def test_every_request(obstacle: Obstacle, new_spot: NewSpot, tmp_path: Path) -> None:
    assert problems(new_spot, tmp_path, [obstacle]) == []

"""An edit whose connection is cut at any request: the old or the new state, a true message, and a way on."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.backends.spots import Kind
from tests.backends.trial import Obstacle, Obstacles
from tests.servers.cutting import Cut

_CUTS: Final = [Obstacle(cut) for cut in Cut]
# These take long: clients try again, and wait longer each time.
_FOR_GOOD: Final = [Obstacle(cut, stays_cut=True) for cut in Cut]
_SAMPLE: Final = 1


def test_sample(kind: Kind, obstacles: Obstacles, tmp_path: Path) -> None:
    obstacles.check(kind, tmp_path, _CUTS, _SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize("obstacle", [*_CUTS, *_FOR_GOOD], ids=str)
def test_every_request(obstacle: Obstacle, kind: Kind, obstacles: Obstacles, tmp_path: Path) -> None:
    obstacles.check(kind, tmp_path, [obstacle])

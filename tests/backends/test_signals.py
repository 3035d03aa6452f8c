"""An edit that gets a signal at any request: SIGINT and SIGTERM leave no lock, SIGKILL leaves what can be removed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

import pytest

from tests.backends.spots import Kind
from tests.backends.trial import Obstacle, Obstacles
from tests.servers.cutting import Cut

_POLITE: Final = [Obstacle(signal=number) for number in (signal.SIGINT, signal.SIGTERM)]
# The request that the process has sent reaches the server after its death, or never does.
_KILLS: Final = [Obstacle(signal=signal.SIGKILL), Obstacle(cut=Cut.BEFORE, signal=signal.SIGKILL)]
_SAMPLE: Final = 2


@pytest.mark.parametrize("signals", [_POLITE, _KILLS], ids=["polite", "kill"])
def test_sample(signals: list[Obstacle], kind: Kind, obstacles: Obstacles, tmp_path: Path) -> None:
    obstacles.check(kind, tmp_path, signals, _SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize("obstacle", [*_POLITE, *_KILLS], ids=str)
def test_every_request(obstacle: Obstacle, kind: Kind, obstacles: Obstacles, tmp_path: Path) -> None:
    obstacles.check(kind, tmp_path, [obstacle])

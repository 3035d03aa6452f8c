"""Draws the findings of an index over its runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.fleet import IndexedRun

_MOST_RUNS: Final = 60
_WIDTH: Final = 1000
_HEIGHT: Final = 220
_LEFT: Final = 70
_RIGHT: Final = 20
_TOP: Final = 14
_BOTTOM: Final = 30


class ChartPoint(NamedTuple):
    """A number at a run, with its place in the drawing."""

    x: float
    y: float
    text: str


class ChartLine(NamedTuple):
    """The numbers of one severity: the points, and the path through them."""

    severity: str
    path: str
    points: Sequence[ChartPoint]


class RunChart(NamedTuple):
    """The chart of the last runs with checks; `marks` are lines at round numbers, `ends` the times of both ends."""

    width: int
    height: int
    left: int
    lines: Sequence[ChartLine]
    marks: Sequence[ChartPoint]
    ends: Sequence[ChartPoint]


def run_chart(runs: Sequence[IndexedRun]) -> RunChart | None:
    """Draw the findings of runs by severity; None if there are not two runs with checks."""
    runs = [run for run in runs if run.checks][-_MOST_RUNS:]
    if len(runs) < 2:
        return None
    series = {
        "error": [run.errors for run in runs],
        "warning": [run.warnings for run in runs],
        "info": [run.infos for run in runs],
    }
    step = _step(max(map(max, series.values())))
    top = max(1, -(-max(map(max, series.values())) // step)) * step
    xs = [_LEFT + (_WIDTH - _LEFT - _RIGHT) * place / (len(runs) - 1) for place in range(len(runs))]
    lines = []
    for severity, numbers in series.items():
        points = [
            ChartPoint(x, _y(number, top), f"{run.started}, run {run.run_id}: {number:,} of severity {severity}")
            for x, number, run in zip(xs, numbers, runs, strict=True)
        ]
        path = "".join(f"{'L' if place else 'M'}{point.x:.1f} {point.y:.1f}" for place, point in enumerate(points))
        lines.append(ChartLine(severity, path, points))
    marks = [ChartPoint(_LEFT, _y(number, top), f"{number:,}") for number in range(0, top + 1, step)]
    ends = [ChartPoint(xs[0], _HEIGHT - 8, runs[0].started), ChartPoint(xs[-1], _HEIGHT - 8, runs[-1].started)]
    return RunChart(width=_WIDTH, height=_HEIGHT, left=_LEFT, lines=lines, marks=marks, ends=ends)


def _y(number: int, top: int) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * number / top


def _step(most: int) -> int:
    """Return the distance of two to five marks: 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * 5 >= most:
                return factor * power
        power *= 10

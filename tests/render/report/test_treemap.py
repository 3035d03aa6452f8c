"""The boxes of a treemap: they fill the rectangle, in proportion, without overlaps."""

from __future__ import annotations

import pytest

from statefmt.render.report import Box, squarified


def test_the_example_of_the_paper() -> None:
    """Bruls, Huizing, van Wijk, figure 4: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4."""
    boxes = squarified([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    expected = [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 12 / 7, 7 / 3),
        (3 + 12 / 7, 0, 9 / 7, 7 / 3),
        (3, 7 / 3, 1.2, 5 / 3),
        (4.2, 7 / 3, 1.2, 5 / 3),
        (5.4, 7 / 3, 0.6, 5 / 3),
    ]
    for box, place in zip(boxes, expected, strict=True):
        assert tuple(box) == pytest.approx(place)


@pytest.mark.parametrize("box", [Box(0, 0, 0, 0), Box(1, 2, 0, 5)])
def test_without_room_the_boxes_are_empty(box: Box) -> None:
    assert [found.width * found.height for found in squarified([3, 2], box)] == [0, 0]

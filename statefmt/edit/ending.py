"""What to do with a change of several states that was interrupted. A module of its own, because every `mv` asks."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """What becomes of a change that was interrupted; LEAVE leaves each state as it is."""

    FINISH = "finish"
    TAKE_BACK = "take back"
    LEAVE = "leave"

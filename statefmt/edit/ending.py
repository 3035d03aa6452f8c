"""What to do with an interrupted change of several states. A module of its own, because every `mv` imports it."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """What becomes of a change that was interrupted; LEAVE leaves each state as it is."""

    FINISH = "finish"
    TAKE_BACK = "take back"
    LEAVE = "leave"

"""What to select, as people ask for it: selectors, and what the instances must be like."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criteria:
    """What instances to select: those that any of the selectors fits (all, where there are none)."""

    selectors: tuple[str, ...] = ()

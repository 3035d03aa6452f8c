"""The exit statuses that people script against."""

from typing import Final

# All is well.
FINE: Final = 0
# Findings at or above the failing level, or differences.
FOUND: Final = 1
# It could not be done: bad usage, not a state, refused.
FAILED: Final = 2

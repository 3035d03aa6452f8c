"""The exit statuses that people script against."""

from typing import Final

# All is well.
FINE: Final = 0
# Findings at or above the failing level, or differences.
FOUND: Final = 1
# It could not be done: bad usage, not a state, refused.
FAILED: Final = 2

# With this option of `diff`, the statuses are those of `tofu plan` with its option of the same name.
DETAILED_EXITCODE: Final = "--detailed-exitcode"
AS_PLANS_DO: Final = {FOUND: 2, FAILED: 1}

"""The exit statuses that people script against."""

from typing import Final

# Success.
FINE: Final = 0
# Findings at or above the failing level, or differences.
FOUND: Final = 1
# Failure: bad usage, not a state, refused.
FAILED: Final = 2

# With this option, `diff` exits like `tofu plan -detailed-exitcode`.
DETAILED_EXITCODE: Final = "--detailed-exitcode"
AS_PLANS_DO: Final = {FOUND: 2, FAILED: 1}

"""How often and when to repeat a request. Source: `github.com/hashicorp/go-retryablehttp` (DefaultRetryPolicy)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# In seconds. A server that asks for more patience gets none.
_LONGEST_ASKED: Final = 300.0
# The status for clients that send too many requests, which have no effect then.
TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to repeat a request, and the shortest and the longest wait before it, in seconds."""

    most: int = 2
    shortest: float = 1.0
    longest: float = 30.0

    def wait(self, attempt: int, chance: float, asked: float | None = None) -> float | None:
        """Return how long to wait after an attempt, the first being 0, in seconds; None to give up.

        `chance`, from 0 to 1, spreads the requests of clients that were refused at the same time. `asked` is what the
        server asked for.
        """
        if attempt >= self.most or (asked or 0) > _LONGEST_ASKED:
            return None
        if asked is not None:
            return asked + chance * self.shortest
        # A float has room for 2 to this power.
        doubled = min(self.shortest * 2.0 ** min(attempt, 64), self.longest)
        return max(doubled, 0.0) * (0.5 + chance / 2)


def is_passing(status: int) -> bool:
    """Return whether a status says that the same request may succeed later."""
    return status == TOO_MANY or (500 <= status < 600 and status != 501)

"""Whether two JSON texts say the same."""

from __future__ import annotations

from statefmt.analysis.diff.plain import equal_values, plain
from statefmt.golang import loads_exact


def equal_json(one: bytes, other: bytes, *, exact: bool) -> bool:
    """Whether two compact JSON texts are equal.

    Without `exact`, numbers are compared by value and texts that are JSON as JSON, and members in another order are
    equal; of a name that is repeated the last one counts, as for OpenTofu.
    """
    if one == other:
        return True
    if exact:
        return False
    try:
        return equal_values(
            plain(loads_exact(one, replace_invalid=True), exact=False),
            plain(loads_exact(other, replace_invalid=True), exact=False),
        )
    except (ValueError, RecursionError):
        # Nested too deeply to be looked into.
        return False

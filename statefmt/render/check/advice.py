"""Formats how to fix a finding, and whether `check --fix` does."""

from __future__ import annotations

from typing import Final

from statefmt.lint.checked import CheckedState, Fixable
from statefmt.model.findings import Finding
from statefmt.render.check.tally import Tally
from statefmt.render.fixes import fix_text

# Marks a finding that `check --fix` mends.
FIXABLE_MARK: Final = "[*]"


def advice_text(state: CheckedState, finding: Finding) -> str:
    """Return the advice of a finding, and the options of `check` that mend it, if there are any."""
    way = state.way(finding)
    option = "" if way is None else f"`statetool check {way.options}` fixes this."
    return " ".join(filter(None, (fix_text(finding.fix), option)))


def fixable_text(tally: Tally) -> str:
    """Return `2 fixable with --fix, 1 more with --unsafe-fixes`; "" if nothing is fixable."""
    safe, unsafe = tally.fixable[Fixable.SAFE], tally.fixable[Fixable.UNSAFE]
    if not safe:
        return f"{unsafe} fixable with --fix --unsafe-fixes" if unsafe else ""
    more = f", {unsafe} more with --unsafe-fixes" if unsafe else ""
    return f"{safe} fixable with --fix{more}"

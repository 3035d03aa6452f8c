"""How a failed command says what went wrong."""

from __future__ import annotations

import sys
from typing import Final

from statefmt.errors import StateError, StatetoolError

# Enough to act on; `check` shows all of them.
_MOST_FINDINGS: Final = 10


def show_failure(error: StatetoolError, name: str = "") -> None:
    """Say on standard error what a command could not do, with every reason that a state gives."""
    if not isinstance(error, StateError):
        print(f"statetool: {error}", file=sys.stderr)
        return
    from statefmt.render.findings_text import findings_text
    from statefmt.render.terminal import terminal_for
    from statefmt.session import StateFileError

    name = error.name if isinstance(error, StateFileError) else name
    reasons = error.reasons
    print(f"statetool: {name}: this state cannot be used", file=sys.stderr)
    print(findings_text(reasons[:_MOST_FINDINGS], terminal_for(sys.stderr)), file=sys.stderr)
    if len(reasons) > _MOST_FINDINGS:
        print(f"  … and {len(reasons) - _MOST_FINDINGS} more; `statetool check` shows all of them", file=sys.stderr)

"""`statetool fleet check`: reports the findings in an index of states."""

from __future__ import annotations

from statefmt import StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.commands.fleet import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.findings import FindingOptions
from statefmt.cli.outcome import show_failure
from statefmt.fleet import stored_findings


@examples(
    ("Report the findings about all indexed states.", "statetool fleet check"),
    ("Show how often each rule found something.", "statetool fleet check --statistics"),
    ("Accept what is known, and fail only on new findings.", "statetool fleet check --write-baseline known.json"),
    (
        "Report errors for code scanning.",
        "statetool fleet check --into all.duckdb --baseline known.json --format sarif",
    ),
)
@declared(paged=True, decrypts=False, connects=False)
@takes(finding=FindingOptions)
def fleet_check_command(into: IntoOption = DEFAULT_INDEX, *, finding: FindingOptions) -> int:
    """Report what the rules found in the states of an index, as `check` does. No state is read again.

    Settings and baselines apply now, not when the index is made. Values that the index hides are hidden.

    Exit status 0: no findings at or above the failing severity; 1: findings; 2: a state could not be read.
    """
    gate = finding.gate()
    with stored_findings(into, gate) as found:
        for missing in found.unreadable:
            show_failure(StoreError(missing.message))
        return finding.reported(gate, found, found.unreadable)

"""Selects resource instances, for every command that takes selectors."""

from statefmt.analysis.selection._criteria import (
    Condition as Condition,
    Criteria as Criteria,
    Selector as Selector,
    criteria_of as criteria_of,
    selector_text as selector_text,
)
from statefmt.analysis.selection._in_snapshot import select_in as select_in
from statefmt.analysis.selection.select import select as select

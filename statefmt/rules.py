"""The rules of `statetool check`: which there are, and how a project applies them to its states.

    >>> from statefmt import rules, run_context
    >>> gate = rules.Gate(run_context(), select=["PRV"])
    >>> checked = gate.check("samples/v4-regions.tfstate")
    >>> [finding.code for finding in checked.findings]
    []
    >>> rules.all_rules()["PRV001"].severity.value
    'warning'

To check bytes or a snapshot, `statefmt.check()` is enough.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.edit.requests.mend import FixedState, mend_state
    from statefmt.lint.baseline import Baseline, read_baseline, write_baseline
    from statefmt.lint.check import SelectedRules, check, check_configuration, selected_rules
    from statefmt.lint.checked import CheckedState, Fixable, UnreadableState, checked_state
    from statefmt.lint.gate import Gate, relative_path
    from statefmt.lint.registry import Page, all_pages, all_rules
    from statefmt.lint.rule import Rule
    from statefmt.lint.settings import Settings, find_settings, load_settings
    from statefmt.lint.simulation import Orphan, Simulation, simulate
    from statefmt.model.codes import CONFIGURATION_NOT_KNOWN, NO_STATE

__all__ = [
    "CONFIGURATION_NOT_KNOWN",
    "NO_STATE",
    "Baseline",
    "CheckedState",
    "Fixable",
    "FixedState",
    "Gate",
    "Orphan",
    "Page",
    "Rule",
    "SelectedRules",
    "Settings",
    "Simulation",
    "UnreadableState",
    "all_pages",
    "all_rules",
    "check",
    "check_configuration",
    "checked_state",
    "find_settings",
    "load_settings",
    "mend_state",
    "read_baseline",
    "relative_path",
    "selected_rules",
    "simulate",
    "write_baseline",
]

__getattr__ = lazy_names(
    __name__,
    {
        "CONFIGURATION_NOT_KNOWN": "statefmt.model.codes",
        "NO_STATE": "statefmt.model.codes",
        "Baseline": "statefmt.lint.baseline",
        "CheckedState": "statefmt.lint.checked",
        "Gate": "statefmt.lint.gate",
        "Fixable": "statefmt.lint.checked",
        "FixedState": "statefmt.edit.requests.mend",
        "Orphan": "statefmt.lint.simulation",
        "Page": "statefmt.lint.registry",
        "Rule": "statefmt.lint.rule",
        "SelectedRules": "statefmt.lint.check",
        "Settings": "statefmt.lint.settings",
        "Simulation": "statefmt.lint.simulation",
        "UnreadableState": "statefmt.lint.checked",
        "all_pages": "statefmt.lint.registry",
        "all_rules": "statefmt.lint.registry",
        "check": "statefmt.lint.check",
        "check_configuration": "statefmt.lint.check",
        "checked_state": "statefmt.lint.checked",
        "find_settings": "statefmt.lint.settings",
        "load_settings": "statefmt.lint.settings",
        "mend_state": "statefmt.edit.requests.mend",
        "read_baseline": "statefmt.lint.baseline",
        "relative_path": "statefmt.lint.gate",
        "selected_rules": "statefmt.lint.check",
        "simulate": "statefmt.lint.simulation",
        "write_baseline": "statefmt.lint.baseline",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)

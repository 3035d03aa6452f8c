"""The rules of `statetool check`, and their application to the states of a project.

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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.edit.operations.mend import FixedState as FixedState, mend_state as mend_state
    from statefmt.lint.baseline import (
        Baseline as Baseline,
        read_baseline as read_baseline,
        write_baseline as write_baseline,
    )
    from statefmt.lint.check import (
        SelectedRules as SelectedRules,
        check as check,
        check_configuration as check_configuration,
        selected_rules as selected_rules,
    )
    from statefmt.lint.checked import (
        CheckedState as CheckedState,
        Fixable as Fixable,
        UnreadableState as UnreadableState,
        checked_state as checked_state,
    )
    from statefmt.lint.gate import Gate as Gate, relative_path as relative_path
    from statefmt.lint.registry import Page as Page, all_pages as all_pages, all_rules as all_rules
    from statefmt.lint.rule import Rule as Rule
    from statefmt.lint.settings import (
        Settings as Settings,
        find_settings as find_settings,
        load_settings as load_settings,
    )
    from statefmt.lint.simulation import Orphan as Orphan, Simulation as Simulation, simulate as simulate
    from statefmt.model.findings import CONFIGURATION_NOT_KNOWN as CONFIGURATION_NOT_KNOWN, NO_STATE as NO_STATE

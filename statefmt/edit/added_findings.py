"""Finds the errors that an edit adds, which are refused, and the warnings, which are shown before the write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.edit.session import LoadedState, StateFileError
from statefmt.formats.reading import Inspection, inspect
from statefmt.lint.edited_part import COMPARING, EditedPart, edited_part, may_add_dependency_findings
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import StateError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import Snapshot
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.edit.changes import Edit

MovedInstances: TypeAlias = Mapping[AbsResourceInstance, AbsResourceInstance]

# Edits cannot add warnings of other rules that only read the state.
_PREFIXES: Final = ("ADR", "DEP", "INS", "PRV")
# The purpose of `taint`.
_INTENDED: Final = frozenset({Code.TAINTED})
_OF_DEPENDENCIES: Final = (Code.DEPENDENCY_DANGLING, Code.DEPENDENCY_CYCLE)
_HOSTS: Final = frozenset({DEFAULT_HOST, TERRAFORM_HOST})


def refuse_new_errors(state: LoadedState, content: bytes, moved: MovedInstances | None = None) -> None:
    """Raise StateFileError if new content has an error finding that the old content lacks at the same address.

    Findings on instances that `moved` are compared with those at the old address.
    """
    if content == state.data:
        return
    errors = _codes(Severity.ERROR)
    after = _of(Severity.ERROR, _found(inspect(content), errors))
    new = added(after, lambda: _of(Severity.ERROR, _found(inspect(state.data), errors)), moved or {})
    if new:
        raise StateFileError(f"{display_name(state.name)} (not written)", StateError(new))


def added(after: Sequence[Finding], before: Callable[[], Iterable[Finding]], moved: MovedInstances) -> list[Finding]:
    """Return the new findings: those without an old finding of the same code at the same or the previous address.

    `before` is only called if `after` is not empty.
    """
    if not after:
        return []
    where = {str(one.containing_resource()): str(other.containing_resource()) for one, other in moved.items()}
    where |= {str(one): str(other) for one, other in moved.items()}
    known = {
        (finding.code, address)
        for finding in before()
        for address in (finding.address, where.get(finding.address, finding.address))
    }
    return [finding for finding in after if (finding.code, finding.address) not in known]


def edit_findings(
    state: LoadedState,
    after: Snapshot,
    edit: Edit,
    content: Callable[[Snapshot], bytes],
    references: ProviderReferences | None,
) -> tuple[bool, tuple[Finding, ...]]:
    """Check an edit, as far as possible by its edited resources, which takes less time than the whole state.

    Returns whether the whole state must be checked for new errors, and the warnings that the edit adds; with a
    configuration, also all its warnings and errors. `content` returns the bytes of a version of the state.
    """
    before = state.result.snapshot
    part = edited_part(before, after)
    warnings = [code for code in _codes(Severity.WARNING) if code not in COMPARING and code.startswith(_PREFIXES)]
    # If a check of the part is not enough, the pipeline looks for errors in the whole state.
    is_whole = len(part.after.resources) == len(after.resources)
    decides = part.alone or is_whole
    edited = content(after if is_whole else part.after)
    errors = _codes(Severity.ERROR) if decides else []
    found = _found(inspect(edited), [*errors, *warnings], state.name)
    weak = _of(Severity.WARNING, found)
    codes = sorted({finding.code for finding in weak})
    shown = added(weak, lambda: _found(inspect(content(part.before)), codes), edit.moved)
    shown += _of_whole(state, after, part, edit, content, references)
    return not decides or bool(_of(Severity.ERROR, found)), tuple(shown)


def configuration_findings(
    state: LoadedState, content: bytes, edit: Edit, references: ProviderReferences | None
) -> tuple[Finding, ...]:
    """Return the warnings and errors that an edit adds to the comparison of a state with its configuration."""
    return tuple(_compared(state, lambda: content, edit, (), references))


def _of_whole(
    state: LoadedState,
    after: Snapshot,
    part: EditedPart,
    edit: Edit,
    content: Callable[[Snapshot], bytes],
    references: ProviderReferences | None,
) -> list[Finding]:
    """Return the findings that the edit adds to rules that compare resources or read the configuration."""
    before = state.result.snapshot
    codes: list[str] = []
    if may_add_dependency_findings(before, after, part, edit.moved):
        codes += _OF_DEPENDENCIES
    if not (_hosts(part.after) <= _hosts(part.before) or _hosts(part.after) <= _hosts(before)):
        codes.append(Code.PROVIDER_HOSTS_MIXED)
    return _compared(state, lambda: content(after), edit, codes, references)


def _compared(
    state: LoadedState,
    content: Callable[[], bytes],
    edit: Edit,
    codes: Sequence[str],
    references: ProviderReferences | None,
) -> list[Finding]:
    if references is not None:
        codes = [*codes, *(code for code in Code if code.startswith("CFS") and code.severity is not Severity.INFO)]
    if not codes:
        return []
    after = _found(inspect(content()), codes, state.name, references)
    return added(after, lambda: _found(inspect(state.data), codes, references=references), edit.moved)


def _hosts(snapshot: Snapshot) -> set[str]:
    """Return the public registries that the providers of a state come from."""
    configs = {resource.provider_config for resource in snapshot.resources}
    return {config.provider.hostname for config in configs if config is not None} & _HOSTS


def _codes(severity: Severity) -> list[str]:
    from statefmt.lint.registry import rules_for

    return [code for code, rule in rules_for().items() if rule.severity is severity and code not in _INTENDED]


def _of(severity: Severity, findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is severity]


def _found(
    inspection: Inspection,
    codes: Collection[str],
    name: str | None = None,
    references: ProviderReferences | None = None,
) -> list[Finding]:
    # Imported late: commands that only read start faster.
    from statefmt.lint.check import check

    found = check(inspection, select=sorted(codes), name=name, configuration=references)
    return [finding for finding in found if finding.code in codes]

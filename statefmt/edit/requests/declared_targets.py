"""Refuses edits that move instances to addresses which the configuration does not declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from statefmt.edit.changes.edit import Edit
from statefmt.model.errors import SurgeryError, Wording

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences

_CONFIG: Final = Wording("--config", "config=")


def refuse_undeclared(edit: Edit, references: ProviderReferences, depth: int = 0) -> Sequence[str]:
    """Raise SurgeryError if the configuration does not declare the target of a move; return notes.

    `depth` is the number of steps of the target if that is a module, else 0.
    """
    from statefmt.analysis.declared_targets import undeclared_addresses

    judgement = undeclared_addresses(references, edit.moved.values(), depth=depth)
    if judgement.problem:
        raise SurgeryError(
            f"{judgement.problem}\nIf this is intended, leave out ", _CONFIG, ".", address=judgement.about
        )
    return judgement.notes

"""Prepares the outputs of a state for a page, with sensitive values hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.model.snapshot import OutputValue
from statefmt.redaction.object_value import output_value
from statefmt.render.outputs.type import output_type_text
from statefmt.render.values.hcl import partial_text

_LONGEST: Final = 20_000


class OutputCard(NamedTuple):
    """An output; `value` is None if it is sensitive. `omitted` counts the characters that follow."""

    name: str
    type: str
    value: str | None
    omitted: int
    deprecated: str


def shown_outputs(outputs: Sequence[OutputValue]) -> tuple[OutputCard, ...]:
    """Return the outputs by name."""
    return tuple(map(_shown, sorted(outputs, key=lambda output: output.name)))


def _shown(output: OutputValue) -> OutputCard:
    kind = output_type_text(output, hidden=output.sensitive)
    if output.sensitive:
        return OutputCard(output.name, kind, None, 0, output.deprecated)
    text = partial_text(output_value(output, show_sensitive=False))
    return OutputCard(output.name, kind, text[:_LONGEST], max(0, len(text) - _LONGEST), output.deprecated)

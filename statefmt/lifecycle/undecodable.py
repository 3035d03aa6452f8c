"""Says why attributes do not decode, without showing them."""

from __future__ import annotations

from statefmt.model.cty import CtyPathError, CtyValueError
from statefmt.redaction.path_text import step_key

# What follows these names what was found: a type or a name in what may be a secret of any type.
_TELLING = ("failed to decode type for dynamic value", "invalid key")


def undecodable_reason(error: CtyValueError) -> str:
    """Return go-cty's detail, without what it quotes from within a dynamic value."""
    return next((told for told in _TELLING if error.detail.startswith(told)), error.detail)


def undecodable_steps(error: CtyValueError) -> tuple[str | int, ...]:
    """Return the names and indexes that lead to what does not decode; elements of sets have none."""
    path = error.path if isinstance(error, CtyPathError) else ()
    return tuple(key for step in path if isinstance(key := step_key(step), (str, int)))

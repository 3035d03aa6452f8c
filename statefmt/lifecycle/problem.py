"""What a check of a value reports."""

from __future__ import annotations

from msgspec import Struct

from statefmt.model.cty import Path


class ValueProblem(Struct, frozen=True):
    """Something in a value that should not be, in OpenTofu's words.

    `path` leads from the whole value to the part; it is empty for the whole. `template` is the message before values
    were put in (`was %#v, but now null`), so that a message can be recognised; `message` is complete. A message may
    show values, sensitive ones only if they were not marked.
    """

    path: Path
    template: str
    message: str

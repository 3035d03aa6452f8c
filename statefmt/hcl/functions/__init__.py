"""The functions of the language that are evaluated here, in groups; everything else about calls is in `call`."""

from __future__ import annotations

from statefmt.hcl.functions import (  # importing a group puts its functions into the table
    conversions,
    digests,
    encodings,
    files,
    formats,
    maps,
    networks,
    numbers,
    patterns,
    powers,
    reductions,
    sequences,
    sets,
    strings,
    templates,
    times,
)
from statefmt.hcl.functions.call import call_function

groups = (
    conversions,
    digests,
    encodings,
    files,
    formats,
    maps,
    networks,
    numbers,
    patterns,
    powers,
    reductions,
    sequences,
    sets,
    strings,
    templates,
    times,
)

__all__ = ["call_function", "groups"]

"""The built-in functions of the language, by group; `call` evaluates calls."""

from __future__ import annotations

from statefmt.hcl.functions import (  # Importing a group registers its functions.
    conversions as conversions,
    digests as digests,
    encodings as encodings,
    files as files,
    formats as formats,
    maps as maps,
    networks as networks,
    numbers as numbers,
    patterns as patterns,
    powers as powers,
    reductions as reductions,
    sequences as sequences,
    sets as sets,
    strings as strings,
    templates as templates,
    times as times,
)
from statefmt.hcl.functions.call import call_function as call_function

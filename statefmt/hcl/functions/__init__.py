"""The built-in functions of the language, by group; `call` evaluates calls."""

from __future__ import annotations

from statefmt.hcl.functions import (
    collections as conversions,
    collections as maps,
    collections as sequences,
    collections as sets,
    encodings as encodings,
    files as digests,
    files as files,
    files as templates,
    networks as networks,
    numbers as numbers,
    numbers as powers,
    numbers as reductions,
    patterns as patterns,
    strings as formats,
    strings as strings,
    times as times,
)
from statefmt.hcl.functions.call import call_function as call_function

"""OpenTofu's functions that are not evaluated: a call of one is Unknown, not an error."""

from __future__ import annotations

from typing import Final

# Functions whose results are not known in advance, with the reason.
NEVER: Final = {
    "bcrypt": "it changes with each call",
    "plantimestamp": "it is the time of the plan",
    "timestamp": "it is the time of the run",
    "uuid": "it changes with each call",
}
# Not implemented. A function in the registry is evaluated even if it is listed here.
NOT_YET: Final = frozenset(
    """
    assumeequal assumelistlength assumelistlengthmax assumelistlengthmin assumemaplength assumemaplengthmax
    assumemaplengthmin assumenotnull assumesetlength assumesetlengthmax assumesetlengthmin assumestringprefix
    base64gzip convert list map rsadecrypt type
    """.split()  # noqa: SIM905 - shorter than one name per line
)

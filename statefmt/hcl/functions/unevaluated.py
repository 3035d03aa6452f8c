"""Functions of OpenTofu that are not evaluated here, so that a call of one is Unknown, and no mistake."""

from __future__ import annotations

from typing import Final

# Nobody can know their values beforehand.
NEVER: Final = {
    "bcrypt": "its result is another one each time",
    "plantimestamp": "it gives the time of the plan",
    "timestamp": "it gives the time of the run",
    "uuid": "its result is another one each time",
}
# Not yet: a function that gets into the table of `registry` counts as evaluated, whether it stands here or not.
NOT_YET: Final = frozenset(
    """
    assumeequal assumelistlength assumelistlengthmax assumelistlengthmin assumemaplength assumemaplengthmax
    assumemaplengthmin assumenotnull assumesetlength assumesetlengthmax assumesetlengthmin assumestringprefix
    base64gzip convert list map rsadecrypt type
    """.split()  # noqa: SIM905 - shorter to read than a list of one a line
)

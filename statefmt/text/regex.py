"""Compiles regular expressions from users with RE2: the syntax of Go and ripgrep, matched in linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2


def user_regex(
    expression: str, *, ignore_case: bool = False, literal: bool = False, lines: bool = False
) -> re2._Regexp:
    """Compile an expression. With `literal` it is a plain string; with `lines`, `^` and `$` match at lines.

    Raises ValueError with the reason if it is invalid, and ModuleNotFoundError without google-re2.
    """
    # Imported late: most runs match nothing.
    import re2

    options = re2.Options()
    options.log_errors = False
    options.literal = literal
    options.case_sensitive = not ignore_case
    try:
        # Flags in the expression, since Options has none for lines in this syntax.
        return re2.compile(f"(?m){expression}" if lines and not literal else expression, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace").replace("(?m)", "", 1)) from None

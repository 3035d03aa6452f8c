"""Splits the line that bash completes, and quotes words for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

# bash completes the part of a word after one of these, of which only these occur in what is completed.
_BREAKS: Final = re.compile(r"[=:]")
_SAFE: Final = re.compile(r"[\w./:=@%+,~-]*", re.ASCII)
_SPECIAL: Final = re.compile(r'(["\\$`])')


class Typed(NamedTuple):
    """A word as the program would get it; `quote` is the quotation mark that is still open, `raw` what was typed."""

    value: str
    quote: str = ""
    raw: str = ""


def typed_words(line: str) -> list[Typed]:
    """Split the start of a command line into the words after the program's name; the last one may be incomplete."""
    words = [Typed("")]
    quote = ""
    is_word = escaped = False
    for char in line:
        value, raw = words[-1].value, words[-1].raw + char
        if escaped:
            escaped = False
            # In double quotes, a backslash stays before all but a few characters.
            value += char if not quote or _SPECIAL.match(char) else f"\\{char}"
        elif quote and char == quote:
            quote = ""
        elif char == "\\" and quote != "'":
            escaped = True
        elif not quote and char in "'\"":
            quote = char
        elif not quote and char.isspace():
            if is_word:
                words.append(Typed(""))
            is_word = False
            continue
        else:
            value += char
        is_word = True
        words[-1] = Typed(value, quote, raw)
    return words[1:] or [Typed("")]


def bash_text(values: Sequence[str], typed: Typed) -> list[str]:
    """Return the values as bash is to insert them in place of the word that was typed so far.

    If one of them needs quotes, all get them, so that they have a common beginning.
    """
    if typed.quote == "'":
        return [value if "'" not in value else "" for value in values]
    if typed.quote:
        return [_SPECIAL.sub(r"\\\1", value) for value in values]
    # bash keeps `--state=` and completes what follows.
    option, equals, _ = typed.raw.partition("=")
    cut = 0
    if not (equals and option.startswith("-")):
        breaks = [match.end() for match in _BREAKS.finditer(typed.raw)]
        cut = breaks[-1] if breaks else 0
    if all(_SAFE.fullmatch(value) for value in values):
        return [value[cut:] for value in values]
    return [""] * len(values) if cut else ["'" + value.replace("'", "'\\''") + "'" for value in values]

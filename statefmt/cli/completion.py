"""Completes command lines for shells, without loading the program for the names of commands.

Completion reads regular files only: it never asks, writes, runs a program, reads standard input or uses the network.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.cli.names import ALIASES, COMMANDS, GROUPED, STATE_COMMANDS, NextWord


def answer(shell: str, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
    """Print a line for each possible next word: its kind, the word and its description, separated by tabs.

    The kind is `plain`, `part` if more of the same word follows, `file` or `dir`. bash passes its line in
    STATETOOL_LINE, and gets quoted words; zsh and fish pass words and quote the result.
    """
    if shell == "bash":
        words = typed_words(environment.get("STATETOOL_LINE", ""))
    else:
        words = [*map(Typed, arguments)] or [Typed("")]
    found = candidates([word.value for word in words[:-1]], words[-1].value)
    lines = [
        f"{item.type}\t{word}\t{item.help}\n"
        for item, word in zip(found, _written(found, words[-1], shell), strict=True)
    ]
    os.write(sys.stdout.fileno(), "".join(lines).encode("utf-8", "surrogateescape"))


_FIRST_WORDS: Final = {name.partition(" ")[0]: "" if " " in name else text for name, text in COMMANDS.items()}


def candidates(words: Sequence[str], incomplete: str) -> list[NextWord]:
    """Return the candidates for `incomplete`, after the complete words without the program's name."""
    if words[:1] == ["state"]:
        if len(words) == 1 and not incomplete.startswith("-"):
            return _names({name: COMMANDS[name] for name in STATE_COMMANDS}, incomplete)
        words = words[1:]
    elif not words and not incomplete.startswith("-"):
        return _names({**_FIRST_WORDS, "state": ""}, incomplete)
    elif len(words) == 1 and words[0] in GROUPED:
        # The second word of a command such as `fleet index`.
        pairs = [(name.partition(" "), text) for name, text in COMMANDS.items()]
        return _names({second: text for (first, _, second), text in pairs if first == words[0] and second}, incomplete)
    elif words and words[0] in GROUPED:
        words = [" ".join(words[:2]), *words[2:]]
    # Imported late: command names do not need the options of commands.
    from statefmt.cli.completion_values import after_global_options, next_words

    if words and words[0].startswith("-"):
        rest = after_global_options(words)
        if rest is not None:
            return candidates(rest, incomplete)
    elif words:
        words = [ALIASES.get(words[0], words[0]), *words[1:]]
        if words[0] not in COMMANDS:
            return []
    return [item for item in next_words(words, incomplete) if item.value.isprintable()]


def _names(names: Mapping[str, str], incomplete: str) -> list[NextWord]:
    return [NextWord(name, help=text) for name, text in names.items() if name.startswith(incomplete)]


def _written(found: Sequence[NextWord], typed: Typed, shell: str) -> list[str]:
    """Return the words in the form that the shell needs."""
    values = [item.value for item in found]
    if shell == "bash":
        return bash_text(values, typed)
    # Only bash strips the option itself.
    option, equals, _ = typed.value.partition("=")
    prefix = f"{option}=" if equals and option.startswith("-") else ""
    return [prefix + value for value in values]


# bash completes the part of a word after a break character; only these occur in completed words.
_BREAKS: Final = re.compile(r"[=:]")
_SAFE: Final = re.compile(r"[\w./:=@%+,~-]*", re.ASCII)
_SPECIAL: Final = re.compile(r'(["\\$`])')


class Typed(NamedTuple):
    """A word as the program would get it; `quote` is the open quotation mark, `raw` the typed text."""

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
            # In double quotes, a backslash only escapes a few characters.
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
    """Return the values in the form that bash inserts in place of the typed word.

    If a value needs quotes, all values get them, so that they have a common beginning.
    """
    if typed.quote == "'":
        return [value if "'" not in value else "" for value in values]
    if typed.quote:
        return [_SPECIAL.sub(r"\\\1", value) for value in values]
    # bash keeps `--state=` and completes the rest.
    option, equals, _ = typed.raw.partition("=")
    cut = 0
    if not (equals and option.startswith("-")):
        breaks = [match.end() for match in _BREAKS.finditer(typed.raw)]
        cut = breaks[-1] if breaks else 0
    if all(_SAFE.fullmatch(value) for value in values):
        return [value[cut:] for value in values]
    return [""] * len(values) if cut else ["'" + value.replace("'", "'\\''") + "'" for value in values]

"""Answers a shell that completes a command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete

from statefmt import StatetoolError
from statefmt.cli.completion.quoting import Typed, bash_text, typed_words
from statefmt.cli.completion.values import completers
from statefmt.cli.habits import ALIASES, GROUPED, STATE_COMMANDS
from statefmt.cli.program import COMMANDS, program
from statefmt.cli.run import Run, system_context


def answer(shell: str, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
    """Print a line for each possible next word: its kind, the word and its description, separated by tabs.

    The kind is `plain`, `part` if more of the same word follows, `file` or `dir`. bash passes its line in
    STATETOOL_LINE, and gets words that are quoted already; zsh and fish pass words and quote what they get.
    """
    if shell == "bash":
        words = typed_words(environment.get("STATETOOL_LINE", ""))
    else:
        words = [*map(Typed, arguments)] or [Typed("")]
    found = candidates([word.value for word in words[:-1]], words[-1].value)
    lines = [
        f"{item.type}\t{word}\t{item.help or ''}\n"
        for item, word in zip(found, _written(found, words[-1], shell), strict=True)
    ]
    os.write(sys.stdout.fileno(), "".join(lines).encode("utf-8", "surrogateescape"))


_FIRST_WORDS: Final = {name.partition(" ")[0]: "" if " " in name else text for name, text in COMMANDS.items()}


def candidates(words: Sequence[str], incomplete: str) -> list[CompletionItem]:
    """Return what can stand in place of `incomplete`, after the complete words without the program's name."""
    family = words[:1] == ["state"]
    words = words[1:] if family else [*words]
    if len(words) == 1 and words[0] in GROUPED and not family:
        # The second word of a command such as `fleet index`.
        pairs = [(name.partition(" "), text) for name, text in COMMANDS.items()]
        found = [(second, text) for (first, _, second), text in pairs if first == words[0] and second]
        return [CompletionItem(name, help=text) for name, text in found if name.startswith(incomplete)]
    if words and words[0] in GROUPED and not family:
        words = [" ".join(words[:2]), *words[2:]]
    if not words and not incomplete.startswith("-"):
        names = {name: COMMANDS[name] for name in STATE_COMMANDS} if family else {**_FIRST_WORDS, "state": ""}
        return [CompletionItem(name, help=text) for name, text in names.items() if name.startswith(incomplete)]
    words = [ALIASES.get(words[0], words[0]), *words[1:]] if words else []
    if words and words[0] not in COMMANDS and not words[0].startswith("-"):
        return []
    if incomplete.startswith("-") and "=" in incomplete:
        incomplete = f"--{incomplete.lstrip('-')}"
    group = program()
    group.completers = completers()
    try:
        shell = ShellComplete(group, {"obj": Run(system_context())}, "statetool", "")
        return [item for item in shell.get_completions([*words], incomplete) if str(item.value).isprintable()]
    except (click.ClickException, StatetoolError, OSError, ValueError, RecursionError):
        # There is no place for a message.
        return []


def _written(found: Sequence[CompletionItem], typed: Typed, shell: str) -> list[str]:
    """Return the words as the shell takes them."""
    values = [str(item.value) for item in found]
    if shell == "bash":
        return bash_text(values, typed)
    # Only bash takes the option off by itself.
    option, equals, _ = typed.value.partition("=")
    prefix = f"{option}=" if equals and option.startswith("-") else ""
    return [prefix + value for value in values]

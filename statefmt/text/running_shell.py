"""Writes an argument as in the shell that the user probably runs. The environment only gives a hint."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from statefmt.text.pattern import pattern
from statefmt.text.shell import shell_word

_QUOTE: Final = pattern(r'(?<!\\)(\\*)"')


class Shell(Enum):
    """The kinds of shells that quote differently."""

    POSIX = auto()  # sh, bash, zsh, ksh
    FISH = auto()
    POWERSHELL = auto()
    CMD = auto()


def running_shell(environment: Mapping[str, str]) -> Shell:
    """Return the shell that an environment suggests.

    Windows sets PSModulePath for every process, but only cmd.exe sets PROMPT. Elsewhere, only PowerShell sets
    PSModulePath, and SHELL is the login shell.
    """
    if "PSModulePath" in environment:
        return Shell.CMD if "PROMPT" in environment and "ComSpec" in environment else Shell.POWERSHELL
    if "ComSpec" in environment and "SHELL" not in environment:
        return Shell.CMD
    name = environment.get("SHELL", "").replace("\\", "/").rpartition("/")[2]
    return {"fish": Shell.FISH, "pwsh": Shell.POWERSHELL}.get(name, Shell.POSIX)


def quoted_for(text: str, shell: Shell) -> str:
    """Quote a string for a shell. For PowerShell, this is the form of version 7.3 and later."""
    if shell is Shell.FISH and text.isprintable():
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if shell is Shell.POWERSHELL:
        return "'" + text.replace("'", "''") + "'"
    if shell is Shell.CMD:
        return f'"{_escaped(text)}"'
    return shell_word(text)


def _escaped(text: str) -> str:
    """Escape double quotes as Windows programs expect: with a backslash, and the backslashes before them doubled."""
    return _QUOTE.sub(r'\1\1\\"', text)


def advice(text: str, shell: Shell) -> str:
    """Return how to write an argument in a shell, as the end of a sentence that begins with "write"."""
    word = quoted_for(text, shell)
    if shell is Shell.CMD:
        return f"{word}, with a backslash before each inner quote"
    if shell is Shell.POWERSHELL and '"' in text:
        return f"{word} in PowerShell 7.3 or later, {_escaped(word)} in older versions"
    return f"{word} in single quotes" if word.startswith("'") else word

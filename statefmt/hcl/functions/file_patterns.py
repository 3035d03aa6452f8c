"""Finds files by a pattern with `*`, `**`, `?`, `[…]` and `{a,b}`.

Source: `bmatcuk/doublestar`. Terraform and OpenTofu use different releases of it; patterns that these read
differently raise `UnclearPattern`.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.hcl.functions.registry import FunctionError

if TYPE_CHECKING:
    import re2

# A class may be unterminated.
_PIECE: Final = re.compile(r"\*+|\?|\[\^?+\]?+(?:\\.|[^\]\\])*+(?P<end>\]?)|\\.|[{},\\]|.", re.DOTALL)
_MAGIC: Final = re.compile(r"[*?\[{\\]")


class UnclearPattern(Exception):  # noqa: N818
    """A pattern whose meaning depends on the release."""


def matching_files(directory: Path, pattern: str) -> list[str]:
    """Return the regular files that match a pattern relative to a directory. Raises FunctionError, UnclearPattern."""
    clean = posixpath.normpath(pattern)
    if re.search(r"\{[^{}/]*+[/{]|\[!|\[[^\[\]/]*+/", clean):
        raise UnclearPattern("braces that contain slashes or braces, or a class with an exclamation mark or a slash")
    if "**/**" in clean:
        raise UnclearPattern("** directly after **")
    steps = [step for step in clean.split("/") if step]
    patterns = {step: _compiled(step) for step in steps if _MAGIC.search(step)}
    start = "/" if clean.startswith("/") else ""
    return sorted({found for found in _found(directory, start, steps, patterns) if (directory / found).is_file()})


def _found(directory: Path, before: str, steps: list[str], patterns: dict[str, re2._Regexp]) -> Iterator[str]:
    """Yield the paths from `before`, which ends with a slash or is empty, along the steps."""
    first, *rest = steps
    if first == "**":
        yield from _below(directory, before, rest, patterns)
    elif first not in patterns:
        if rest and (directory / before / first).is_dir():
            yield from _found(directory, f"{before}{first}/", rest, patterns)
        elif not rest:
            yield before + first
    else:
        for entry in _entries(directory / before):
            if not patterns[first].fullmatch(entry.name.encode(errors="replace")):
                continue
            if not rest:
                yield before + entry.name
            elif entry.is_dir():
                yield from _found(directory, f"{before}{entry.name}/", rest, patterns)


def _below(directory: Path, before: str, rest: list[str], patterns: dict[str, re2._Regexp]) -> Iterator[str]:
    if rest:
        yield from _found(directory, before, rest, patterns)
    for entry in _entries(directory / before):
        if entry.is_dir(follow_symlinks=False):
            yield from _below(directory, f"{before}{entry.name}/", rest, patterns)
        elif not rest:
            yield before + entry.name


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return []


def _compiled(step: str) -> re2._Regexp:
    # Imported late, and optional: few configurations have patterns, and google-re2 is not everywhere.
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_translated(step), options)
    except re2.error:
        raise FunctionError(f"failed to glob pattern {step}: syntax error in pattern", 1) from None


def _translated(step: str) -> str:
    found: list[str] = []
    depth = 0
    for match in _PIECE.finditer(step):
        piece = match[0]
        if piece == "{":
            depth += 1
            found.append("(?:")
        elif piece == "}" and depth:
            depth -= 1
            found.append(")")
        elif piece == "," and depth:
            found.append("|")
        elif piece == "\\" or match["end"] == "":
            raise FunctionError(f"failed to glob pattern {step}: syntax error in pattern", 1)
        elif match["end"]:
            inside = piece[1:-1]
            negated = inside.startswith("^")
            found.append(f"[{'^' if negated else ''}{re.escape(inside[negated:]).replace(chr(92) + '-', '-')}]")
        elif piece.startswith("*"):
            found.append("[^/]*")
        else:
            found.append("[^/]" if piece == "?" else re.escape(piece[-1] if len(piece) == 2 else piece))
    if depth:
        raise FunctionError(f"failed to glob pattern {step}: syntax error in pattern", 1)
    return "".join(found)

"""Functions of files and paths. Source: OpenTofu `internal/lang/funcs/filesystem.go`.

Files are read as they are now, relative to the root module, as a run in its directory would read them.
"""

from __future__ import annotations

import base64
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from statefmt.config.construct import set_of, text, truth
from statefmt.config.functions.file_reading import located, read_bytes
from statefmt.config.functions.registry import FunctionError, Parameter, Surroundings, function
from statefmt.config.functions.shapes import text_of
from statefmt.config.values import Part
from statefmt.cty import BOOL, STRING, SetType

_PATH = Parameter("path", STRING)


@function(_PATH, returns=STRING, surroundings=True)
def file(surroundings: Surroundings, path: Part) -> Part:
    try:
        return text(read_bytes(surroundings, text_of(path)).decode("utf-8"))
    except UnicodeDecodeError:
        raise FunctionError(f"contents of {text_of(path)} are not valid UTF-8", 0) from None


@function(_PATH, returns=STRING, surroundings=True)
def filebase64(surroundings: Surroundings, path: Part) -> Part:
    return text(base64.b64encode(read_bytes(surroundings, text_of(path))).decode())


@function(_PATH, returns=BOOL, surroundings=True)
def fileexists(surroundings: Surroundings, path: Part) -> Part:
    place = located(surroundings, text_of(path))
    if place.is_dir():
        raise FunctionError(f'"{text_of(path)}" is a directory, not a file', 0)
    return truth(place.is_file())


@function(_PATH, Parameter("pattern", STRING), returns=SetType(STRING), surroundings=True)
def fileset(surroundings: Surroundings, path: Part, pattern: Part) -> Part:
    root = located(surroundings, text_of(path))
    wanted = re.compile(_pattern(text_of(pattern)))
    found = (each for each in _files(root, "") if wanted.fullmatch(each))
    return set_of(STRING, [text(each) for each in found])


def _files(directory: Path, before: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), f"{before}{entry.name}/")
        elif entry.is_file():
            yield before + entry.name


def _pattern(glob: str) -> str:
    """A regular expression for a pattern with `*`, `**`, `?`, `[…]` and `{a,b}`. Raises FunctionError."""
    found: list[str] = []
    depth = 0
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|\\.|[{},]|.", posixpath.normpath(glob), re.DOTALL):
        if piece == "{":
            depth += 1
            found.append("(?:")
        elif piece == "}" and depth:
            depth -= 1
            found.append(")")
        elif piece == "," and depth:
            found.append("|")
        elif piece.startswith("[") and len(piece) > 1:
            inside = piece[1:-1]
            negated = inside[0] in "^!"
            found.append(f"[{'^' if negated else ''}{re.escape(inside[negated:]).replace(chr(92) + '-', '-')}]")
        else:
            known = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
            found.append(known.get(piece) or re.escape(piece[-1] if len(piece) == 2 else piece))
    if depth:
        raise FunctionError(f"failed to glob pattern {glob}: syntax error in pattern", 1)
    return "".join(found)


@function(_PATH, returns=STRING, surroundings=True)
def abspath(surroundings: Surroundings, path: Part) -> Part:
    return text(posixpath.normpath((surroundings.directory.absolute() / text_of(path)).as_posix()))


@function(_PATH, returns=STRING)
def basename(path: Part) -> Part:
    value = text_of(path)
    if not value:
        return text(".")
    return text(value.rstrip("/").rsplit("/", 1)[-1] or "/")


@function(_PATH, returns=STRING)
def dirname(path: Part) -> Part:
    value = text_of(path)
    at = value.rfind("/") + 1
    return text(posixpath.normpath(value[:at]) if at else ".")


@function(_PATH, returns=STRING)
def pathexpand(path: Part) -> Part:
    return text(os.path.expanduser(text_of(path)))  # noqa: PTH111 - the text is to stay as it is otherwise

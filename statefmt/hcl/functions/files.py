"""Functions on files and paths. Source: OpenTofu `internal/lang/funcs/filesystem.go`.

Files are read as they are now, relative to the root module, as a run in its directory would read them.
"""

from __future__ import annotations

import base64
import os
import posixpath
import re

from statefmt.hcl.functions.file_patterns import UnclearPattern, matching_files
from statefmt.hcl.functions.file_reading import located, read_bytes
from statefmt.hcl.functions.patterns import without_re2
from statefmt.hcl.functions.registry import FunctionError, FunctionSurroundings, Parameter, function
from statefmt.hcl.functions.shapes import text_of
from statefmt.hcl.value import Part, Unknown
from statefmt.hcl.values.construct import set_of, text, truth
from statefmt.model.cty import BOOL, STRING, SetType

_PATH = Parameter("path", STRING)


@function(_PATH, returns=STRING, surroundings=True)
def file(surroundings: FunctionSurroundings, path: Part) -> Part:
    try:
        return text(read_bytes(surroundings, text_of(path)).decode("utf-8"))
    except UnicodeDecodeError:
        raise FunctionError(f"contents of {text_of(path)} are not valid UTF-8", 0) from None


@function(_PATH, returns=STRING, surroundings=True)
def filebase64(surroundings: FunctionSurroundings, path: Part) -> Part:
    return text(base64.b64encode(read_bytes(surroundings, text_of(path))).decode())


@function(_PATH, returns=BOOL, surroundings=True)
def fileexists(surroundings: FunctionSurroundings, path: Part) -> Part:
    place = located(surroundings, text_of(path))
    if place.is_dir():
        raise FunctionError(f'"{text_of(path)}" is a directory, not a file', 0)
    return truth(place.is_file())


@function(_PATH, Parameter("pattern", STRING), returns=SetType(STRING), surroundings=True)
def fileset(surroundings: FunctionSurroundings, path: Part, pattern: Part) -> Part:
    start = posixpath.normpath(text_of(path) or ".")
    try:
        found = matching_files(surroundings.directory, posixpath.join(start, text_of(pattern).lstrip("/")))
    except ModuleNotFoundError:
        return Unknown(without_re2())
    except UnclearPattern as unclear:
        return Unknown(f"the result of fileset with {text_of(pattern)!r} depends on the release: {unclear}")
    return set_of(STRING, [text(posixpath.relpath(each, start)) for each in found])


@function(_PATH, returns=STRING, surroundings=True)
def abspath(surroundings: FunctionSurroundings, path: Part) -> Part:
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
    if re.match("~[^/]", text_of(path)):
        raise FunctionError("cannot expand user-specific home dir")
    return text(os.path.expanduser(text_of(path)))  # noqa: PTH111 - keeps the rest of the string unchanged

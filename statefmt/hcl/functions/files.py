"""Functions on files, paths and templates, and digests of strings and files.

Reads the current files, relative to the root module, as a run in its directory would. Terraform and OpenTofu use
different releases of the library for patterns; patterns that these interpret differently raise `UnclearPattern`.
Templates see only the names in their arguments.

Sources: OpenTofu `internal/lang/funcs/filesystem.go`, `render_template.go`, `string.go`, `crypto.go`;
`bmatcuk/doublestar`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import posixpath
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.golang import quote
from statefmt.hcl.functions.patterns import without_re2
from statefmt.hcl.functions.registry import FunctionError, FunctionSurroundings, Parameter, function, text_of
from statefmt.hcl.source import SourceText
from statefmt.hcl.syntax import Access, Traversal, references
from statefmt.hcl.value import Part, Refusal, Unknown, Value, set_of, text, truth
from statefmt.model.cty import BOOL, STRING, MapType, ObjectType, SetType
from statefmt.store.files import is_inside, read_bounded

if TYPE_CHECKING:
    import re2


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
    whole = posixpath.join(start, text_of(pattern).lstrip("/"))
    located(surroundings, "/".join(takewhile(lambda step: not _MAGIC.search(step), whole.split("/"))) or ".")
    try:
        found = matching_files(surroundings.directory, whole)
    except ModuleNotFoundError:
        return Unknown(without_re2())
    except UnclearPattern as unclear:
        return Unknown(f"the result of fileset with {text_of(pattern)!r} depends on the release: {unclear}")
    for each in found:
        located(surroundings, each)
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
    return sorted({found for found in _matches(directory, start, steps, patterns) if (directory / found).is_file()})


def _matches(directory: Path, before: str, steps: list[str], patterns: dict[str, re2._Regexp]) -> Iterator[str]:
    """Yield the paths from `before`, which ends with a slash or is empty, along the steps."""
    first, *rest = steps
    if first == "**":
        yield from _below(directory, before, rest, patterns)
    elif first not in patterns:
        if rest and (directory / before / first).is_dir():
            yield from _matches(directory, f"{before}{first}/", rest, patterns)
        elif not rest:
            yield before + first
    else:
        for entry in _entries(directory / before):
            if not patterns[first].fullmatch(entry.name.encode(errors="replace")):
                continue
            if not rest:
                yield before + entry.name
            elif entry.is_dir():
                yield from _matches(directory, f"{before}{entry.name}/", rest, patterns)


def _below(directory: Path, before: str, rest: list[str], patterns: dict[str, re2._Regexp]) -> Iterator[str]:
    if rest:
        yield from _matches(directory, before, rest, patterns)
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
    # Imported late, and optional: few configurations have patterns, and google-re2 is not available everywhere.
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


_LARGEST: Final = 16 * 1024 * 1024


class OutsideError(Exception):
    """A path that leads out of the readable folders."""


def located(surroundings: FunctionSurroundings, path: str) -> Path:
    """Resolve a path of an expression; `~` is the user's home directory. Raises OutsideError."""
    place = surroundings.directory / os.path.expanduser(path)  # noqa: PTH111 - a Path cannot begin with ~user
    if surroundings.within is not None and not is_inside(place, *surroundings.within):
        raise OutsideError(path)
    return place


def read_bytes(surroundings: FunctionSurroundings, path: str) -> bytes:
    """Return the content of a file. Raises FunctionError."""
    if "\0" in path:
        raise FunctionError("the path contains a null character", 0)
    place = located(surroundings, path)
    try:
        return read_bounded(place, _LARGEST)
    except FileNotFoundError:
        detail = f'no file exists at "{path}"; this function works only with files that exist before the run'
        raise FunctionError(detail, 0) from None
    except OSError as failure:
        raise FunctionError(f'failed to read "{path}": {failure.strerror or failure}', 0) from None


_NAME: Final = re.compile(r"[^\W\d][\w-]*")
_VARS: Final = Parameter("vars", parts=True)


class _Given:
    """The scope of a template."""

    def __init__(self, surroundings: FunctionSurroundings, values: Mapping[str, Part]) -> None:
        self.directory: Path | None = surroundings.directory
        self.files_within = surroundings.within
        self._values = values

    is_confined = False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        return self._values[reference.root], reference.steps


@function(Parameter("path", STRING), _VARS, surroundings=True)
def templatefile(surroundings: FunctionSurroundings, path: Part, values: Part) -> Part:
    try:
        content = read_bytes(surroundings, text_of(path)).decode()
    except UnicodeDecodeError:
        raise FunctionError(f"contents of {text_of(path)} are not valid UTF-8", 0) from None
    return _rendered(surroundings, text_of(path), content, values)


@function(Parameter("data", STRING), _VARS, surroundings=True)
def templatestring(surroundings: FunctionSurroundings, data: Part, values: Part) -> Part:
    return _rendered(surroundings, "<template>", text_of(data), values)


def _rendered(surroundings: FunctionSurroundings, name: str, content: str, values: Part) -> Part:
    from statefmt.hcl.syntax.native import read_template

    if not isinstance(values, Value) or not isinstance(values.type, (MapType, ObjectType)):
        raise FunctionError("invalid vars value: must be a map", 1)
    assert isinstance(values.data, Mapping)
    for variable in values.data:
        if not _NAME.fullmatch(variable):
            raise FunctionError(f"invalid template variable name {quote(variable)}", 1)
    source = SourceText(name, content.encode())
    expression, problems = read_template(source, 0, len(source.content), content, exact=True)
    if problems:
        raise FunctionError(f"{problems[0].range}: {problems[0].summary}; {problems[0].detail}")
    for reference in references(expression):
        if reference.root not in values.data:
            where = f"{quote(reference.root)}, referenced at {reference.root_range}"
            raise FunctionError(f"vars map does not contain key {where}", 1)
    try:
        return surroundings.evaluate(expression, _Given(surroundings, values.data))
    except Refusal as refusal:
        problem = refusal.problem
        raise FunctionError(f"{problem.range}: {problem.summary}; {problem.detail}") from None


_NAMESPACES: Final = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}
_UUID: Final = re.compile("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def _hexadecimal(algorithm: str) -> Callable[[bytes], str]:
    return lambda content: hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()


def _base64(algorithm: str) -> Callable[[bytes], str]:
    return lambda content: base64.b64encode(hashlib.new(algorithm, content).digest()).decode()


def _define(name: str, digest: Callable[[bytes], str]) -> None:
    @function(Parameter("str", STRING), returns=STRING, name=name)
    def of_text(value: Part) -> Part:
        return text(digest(text_of(value).encode()))

    # base64sha256 and filebase64sha256, md5 and filemd5
    @function(Parameter("path", STRING), returns=STRING, name=f"file{name}", surroundings=True)
    def of_file(surroundings: FunctionSurroundings, path: Part) -> Part:
        return text(digest(read_bytes(surroundings, text_of(path))))


for _algorithm in ("md5", "sha1", "sha256", "sha512"):
    _define(_algorithm, _hexadecimal(_algorithm))
for _algorithm in ("sha256", "sha512"):
    _define(f"base64{_algorithm}", _base64(_algorithm))


@function(Parameter("namespace", STRING), Parameter("name", STRING), returns=STRING)
def uuidv5(namespace: Part, name: Part) -> Part:
    given = text_of(namespace)
    known = _NAMESPACES.get(given)
    if known is None and not _UUID.fullmatch(given):
        raise FunctionError(f"uuidv5() doesn't support namespace {given!r}")
    space = known or uuid.UUID(given)
    return text(str(uuid.uuid5(space, text_of(name))))

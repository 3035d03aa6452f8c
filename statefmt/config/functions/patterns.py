"""Functions of regular expressions. Sources: go-cty `stdlib/regexp.go`; OpenTofu `internal/lang/funcs/string.go`.

Go's expressions and Python's differ; one that uses what they do not share is not evaluated.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.config.construct import list_of, object_of, text, tuple_of
from statefmt.config.functions.registry import FunctionError, Parameter, function
from statefmt.config.functions.shapes import text_of
from statefmt.config.unify import unify
from statefmt.config.values import Part, Unknown, Value
from statefmt.cty import DYNAMIC, STRING

_PIECE: Final = re.compile(
    r"\\(?P<escape>.)|\[(?P<class>\^?\]?(?:\\.|[^\]\\])*)\]|\((?P<group>\?(?:P<\w+>|:|[^)]*)?)|(?P<end>\$)|.", re.DOTALL
)
_SAME: Final = frozenset("dDwWbBntrfv")
_SPACES: Final = r"\t\n\f\r "


class _Unshared(Exception):  # noqa: N818
    """The expression has something that Python reads in another way."""


def _compiled(pattern: Part) -> re.Pattern[str] | Unknown:
    """The expression for Python. Raises FunctionError for what neither would take."""
    given = text_of(pattern)
    try:
        translated = "".join(_translate(piece) for piece in _PIECE.finditer(given))
        if re.search(r"[*+?}]\+|\{,", translated):
            raise _Unshared
        return re.compile(translated, re.ASCII)
    except _Unshared:
        return Unknown(
            f"statetool does not evaluate the regular expression {given!r}: it may mean something else in Go"
        )
    except (re.error, OverflowError) as error:
        raise FunctionError(f"error parsing regexp: {error}", 0) from None


def _translate(piece: re.Match[str]) -> str:
    escape, inside, group = piece["escape"], piece["class"], piece["group"]
    if escape is not None:
        return _escape(escape)
    if inside is not None:
        if "[" in inside or re.search(r"--|&&|\|\||~~", inside):
            raise _Unshared
        body = re.sub(r"\\(.)", lambda match: _escape(match[1], in_class=True), inside, flags=re.DOTALL)
        return f"[{body}]"
    if group:
        if group.startswith("?P<") or group == "?:":
            return "(" + group
        if group.startswith(("?=", "?!", "?<=", "?<!", "?>")):
            raise FunctionError("error parsing regexp: invalid or unsupported Perl syntax", 0)
        raise _Unshared
    return r"\Z" if piece["end"] else piece[0]


def _escape(char: str, *, in_class: bool = False) -> str:
    if char == "s":
        return _SPACES if in_class else f"[{_SPACES}]"
    if char == "S" and not in_class:
        return f"[^{_SPACES}]"
    if char == "z" and not in_class:
        return r"\Z"
    if char == "A" and not in_class:
        return r"\A"
    if char in _SAME or not (char.isalnum() or char == "_"):
        return "\\" + char
    raise _Unshared


def _captured(match: re.Match[str], pattern: re.Pattern[str]) -> Part:
    if not pattern.groups:
        return text(match[0])
    if pattern.groupindex:
        if len(pattern.groupindex) != pattern.groups:
            raise FunctionError("cannot mix named and unnamed capture groups", 0)
        return object_of({name: _group(match[name]) for name in pattern.groupindex})
    return tuple_of([_group(group) for group in match.groups()])


def _group(found: str | None) -> Part:
    return Value(STRING, None) if found is None else text(found)


_ARGUMENTS = (Parameter("pattern", STRING), Parameter("string", STRING))


@function(*_ARGUMENTS)
def regex(pattern: Part, value: Part) -> Part:
    compiled = _compiled(pattern)
    if isinstance(compiled, Unknown):
        return compiled
    match = compiled.search(text_of(value))
    if match is None:
        raise FunctionError("pattern did not match any part of the given string")
    return _captured(match, compiled)


@function(*_ARGUMENTS)
def regexall(pattern: Part, value: Part) -> Part:
    compiled = _compiled(pattern)
    if isinstance(compiled, Unknown):
        return compiled
    found = [_captured(match, compiled) for match in compiled.finditer(text_of(value))]
    of = unify([each.type for each in found]) if found else (STRING if not compiled.groups else DYNAMIC)
    return list_of(of or DYNAMIC, found)


@function(Parameter("str", STRING), Parameter("substring", STRING), Parameter("replace", STRING), returns=STRING)
def replace(value: Part, wanted: Part, instead: Part) -> Part:
    whole, search, new = text_of(value), text_of(wanted), text_of(instead)
    if not (len(search) > 1 and search.startswith("/") and search.endswith("/")):
        return text(whole.replace(search, new))
    compiled = _compiled(Value(STRING, search[1:-1]))
    if isinstance(compiled, Unknown):
        return compiled

    def expand(match: re.Match[str]) -> str:
        def group(reference: re.Match[str]) -> str:
            name = reference[1] or reference[2]
            if name is None:
                return "$"
            if name.isdecimal():
                return (match[int(name)] or "") if int(name) <= compiled.groups else ""
            return (match[name] or "") if name in compiled.groupindex else ""

        return re.sub(r"\$(?:\$|(\w+)|\{(\w+)\})", group, new, flags=re.ASCII)

    return text(compiled.sub(expand, whole))

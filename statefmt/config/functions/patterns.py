"""Functions of regular expressions. Sources: go-cty `stdlib/regexp.go`; OpenTofu `internal/lang/funcs/string.go`; Go
`regexp` (allMatches, replaceAll, expand), whose way to go on after an empty match is not Python's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from statefmt.config.construct import list_of, object_of, text, tuple_of
from statefmt.config.functions.expressions_of_go import Unshared, translated
from statefmt.config.functions.registry import FunctionError, Parameter, function
from statefmt.config.functions.shapes import text_of
from statefmt.config.values import Part, Unknown, Value
from statefmt.cty import STRING, ObjectType, TupleType, Type

_REPEATED: Final = re.compile(r"redefinition of group name '(\w+)'")


def _compiled(pattern: str) -> re.Pattern[str] | Unknown:
    """The expression for Python. Raises FunctionError for what Go would not take."""
    try:
        found = re.compile(translated(pattern))
    except Unshared:
        return Unknown(_apart(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        # Go lets a name be used twice, in some releases.
        if _REPEATED.search(str(error)):
            return Unknown(_apart(pattern))
        raise FunctionError(f"error parsing regexp: {error}", 0) from None
    return found


def _apart(pattern: str) -> str:
    return f"statetool does not evaluate the regular expression {pattern!r}: it may mean something else in Go"


def _all_matches(pattern: re.Pattern[str], whole: str) -> Iterator[re.Match[str]]:
    """Every match that overlaps no other; an empty one right after another match does not count."""
    at, before = 0, -1
    while at <= len(whole):
        match = pattern.search(whole, at)
        if match is None:
            return
        if match.end() != at or match.start() != before:
            yield match
        at = match.end() + (match.end() == at)
        before = match.end()


def _result_type(pattern: re.Pattern[str]) -> Type:
    if not pattern.groups:
        return STRING
    if not pattern.groupindex:
        return TupleType((STRING,) * pattern.groups)
    if len(pattern.groupindex) != pattern.groups:
        raise FunctionError("invalid regexp pattern: cannot mix both named and unnamed capture groups", 0)
    return ObjectType(dict.fromkeys(sorted(pattern.groupindex), STRING))


def _captured(match: re.Match[str], of: Type) -> Part:
    if isinstance(of, ObjectType):
        return object_of({name: _group(match[name]) for name in of.attributes})
    if isinstance(of, TupleType):
        return tuple_of([_group(group) for group in match.groups()])
    return text(match[0])


def _group(found: str | None) -> Part:
    return Value(STRING, None) if found is None else text(found)


_ARGUMENTS = (Parameter("pattern", STRING), Parameter("string", STRING))


@function(*_ARGUMENTS)
def regex(pattern: Part, value: Part) -> Part:
    compiled = _compiled(text_of(pattern))
    if isinstance(compiled, Unknown):
        return compiled
    of = _result_type(compiled)
    match = compiled.search(text_of(value))
    if match is None:
        raise FunctionError("pattern did not match any part of the given string")
    return _captured(match, of)


@function(*_ARGUMENTS)
def regexall(pattern: Part, value: Part) -> Part:
    compiled = _compiled(text_of(pattern))
    if isinstance(compiled, Unknown):
        return compiled
    of = _result_type(compiled)
    return list_of(of, [_captured(match, of) for match in _all_matches(compiled, text_of(value))])


@function(Parameter("str", STRING), Parameter("substring", STRING), Parameter("replace", STRING), returns=STRING)
def replace(value: Part, wanted: Part, instead: Part) -> Part:
    whole, search, new = text_of(value), text_of(wanted), text_of(instead)
    if not (len(search) > 1 and search.startswith("/") and search.endswith("/")):
        return text(whole.replace(search, new))
    compiled = _compiled(search[1:-1])
    if isinstance(compiled, Unknown):
        return compiled
    pieces: list[str] = []
    at = end = 0
    while at <= len(whole):
        match = compiled.search(whole, at)
        if match is None:
            break
        pieces.append(whole[end : match.start()])
        if match.end() > end or match.start() == 0:
            pieces.append(_expanded(new, match))
        end = match.end()
        at = max(at + 1, end)
    return text("".join([*pieces, whole[end:]]))


def _expanded(template: str, match: re.Match[str]) -> str:
    def group(reference: re.Match[str]) -> str:
        name = reference[1] or reference[2]
        if name is None:
            return "$"
        if name.isdecimal():
            # Python converts no text of more than 4,300 digits, and no expression has as many groups.
            number = int(name) if len(name) < 20 else match.re.groups + 1
            return (match[number] or "") if number <= match.re.groups else ""
        return (match[name] or "") if name in match.re.groupindex else ""

    return re.sub(r"\$(?:\$|(\w+)|\{(\w+)\})", group, template)

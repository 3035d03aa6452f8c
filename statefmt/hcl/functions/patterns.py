"""Functions with regular expressions, evaluated by RE2: it has Go's syntax and results and runs in linear time.

Sources: go-cty `stdlib/regexp.go`; OpenTofu `internal/lang/funcs/string.go`; Go `regexp`
(allMatches, replaceAll, expand) and `regexp/syntax`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from statefmt.hcl.functions.registry import FunctionError, Parameter, function, text_of
from statefmt.hcl.value import Part, Unknown, Value, list_of, object_of, text, tuple_of
from statefmt.model.cty import STRING, ObjectType, TupleType, Type

if TYPE_CHECKING:
    import re2

# RE2's error messages, and Go's for the same errors.
_GO_ERRORS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}
_TOO_LARGE: Final = "pattern too large"
_GROUP_NAME: Final = re.compile(r"\(\?P?<(\w+)>")
# Only RE2 has `\C`, any byte. Escapes and quoted parts before it are skipped as a whole.
_ANY_BYTE: Final = re.compile(r"(?:[^\\]|\\Q(?:[^\\]|\\(?!E))*+(?:\\E|\Z)|\\[^CQ])*+\\C", re.DOTALL)
_HUGE_COUNT: Final = re.compile(r"\{(?:[0-9]{1,9},)?[1-9][0-9]{9,}(?:,[0-9]*)?\}")
_NUMBER: Final = re.compile("0|[1-9][0-9]{0,8}")


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re2._Regexp | Unknown:
    """Return the compiled expression; Unknown if releases of Go differ. Raises FunctionError if Go refuses it."""
    try:
        # Imported late, and optional: few configurations have regular expressions, and google-re2 is not available
        # everywhere.
        import re2
    except ModuleNotFoundError:
        return Unknown(without_re2())
    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(pattern, options)
    except re2.error as error:
        message, _, piece = error.args[0].decode(errors="replace").partition(": ")
        if message.startswith(_TOO_LARGE) or piece.startswith(("\\p", "\\P")):
            # Go may accept it: it has another limit, and later releases know more property names.
            return Unknown(_apart(pattern))
        raise _refused(_GO_ERRORS.get(message, message), piece) from None
    names = _GROUP_NAME.findall(pattern)
    if len(names) != len(set(names)):
        # Some releases of Go allow duplicate names.
        return Unknown(_apart(pattern))
    for name in found.groupindex:
        if not name.isascii():
            raise _refused("invalid named capture", f"(?P<{name}>")
    count = _HUGE_COUNT.search(pattern)
    if count is not None:
        # RE2 takes a count of more than nine digits literally; Go refuses it.
        if "[" in pattern or "\\" in pattern:
            return Unknown(_apart(pattern))
        raise _refused("invalid repeat count", count[0])
    if _ANY_BYTE.match(pattern):
        raise _refused("invalid escape sequence", "\\C")
    return found


def without_re2() -> str:
    """Return why a regular expression has no value if google-re2 is not installed."""
    from statefmt.installation import how_to_install

    return f"regular expressions need the package google-re2: {how_to_install('regex')}"


def _refused(message: str, piece: str) -> FunctionError:
    return FunctionError(f"error parsing regexp: {message}: `{piece}`", 0)


def _apart(pattern: str) -> str:
    return f"statetool does not evaluate the regular expression {pattern!r}: it may mean something else in Go"


def _all_matches(pattern: re2._Regexp, whole: str) -> Iterator[re2._Match]:
    """Yield all matches without overlap, except empty ones directly after another match."""
    before = -1
    for match in pattern.finditer(whole):
        if match.start() != before or match.end() != before:
            yield match
        before = match.end()


def _result_type(pattern: re2._Regexp) -> Type:
    count, names = pattern.groups, pattern.groupindex
    if not count:
        return STRING
    if not names:
        return TupleType((STRING,) * count)
    if len(names) != count:
        raise FunctionError("invalid regexp pattern: cannot mix both named and unnamed capture groups", 0)
    return ObjectType(dict.fromkeys(sorted(names), STRING))


def _captured(match: re2._Match, of: Type) -> Part:
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
    end = 0
    for match in _all_matches(compiled, whole):
        pieces += (whole[end : match.start()], _expanded(new, match))
        end = match.end()
    return text("".join([*pieces, whole[end:]]))


def _expanded(template: str, match: re2._Match) -> str:
    def group(reference: re.Match[str]) -> str:
        name = reference[1] or reference[2]
        if name is None:
            return "$"
        try:
            return match[int(name) if _NUMBER.fullmatch(name) else name] or ""
        except (IndexError, KeyError):
            return ""

    return re.sub(r"\$(?:\$|(\w+)|\{(\w+)\})", group, template)

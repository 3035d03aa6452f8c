"""Functions on strings. Source: go-cty `stdlib/string.go`; OpenTofu `internal/lang/funcs/string.go`."""

from __future__ import annotations

from collections.abc import Callable

from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import is_null, text_of, texts_of, whole_of
from statefmt.hcl.source.graphemes import split_graphemes
from statefmt.hcl.syntax.space import SPACE
from statefmt.hcl.value import Part
from statefmt.hcl.values.construct import children, list_of, text, truth
from statefmt.model.cty import BOOL, NUMBER, STRING, ListType

_STR = Parameter("str", STRING)
_LISTS = Parameter("lists", ListType(STRING))


@function(Parameter("separator", STRING), rest=_LISTS, returns=STRING)
def join(separator: Part, *lists: Part) -> Part:
    if not lists:
        raise FunctionError("at least one list is required")
    for place, each in enumerate(lists, 1):
        for at, item in enumerate(children(each)):
            if is_null(item):
                of = f" of list {place}" if len(lists) > 1 else ""
                raise FunctionError(f"element {at}{of} is null; cannot concatenate null values", place)
    return text(text_of(separator).join(item for each in lists for item in texts_of(each)))


@function(Parameter("separator", STRING), _STR, returns=ListType(STRING))
def split(separator: Part, value: Part) -> Part:
    by, whole = text_of(separator), text_of(value)
    return list_of(STRING, [text(piece) for piece in (whole.split(by) if by else list(whole))])


@function(_STR, returns=STRING)
def upper(value: Part) -> Part:
    return text(_mapped(text_of(value), str.upper))


@function(_STR, returns=STRING)
def lower(value: Part) -> Part:
    return text(_mapped(text_of(value), str.lower))


def _mapped(value: str, change: Callable[[str], str]) -> str:
    # Go maps each character to a single one. If Python gives several, it is the title case, or the same character.
    found: list[str] = []
    for each in value:
        new = change(each)
        if len(new) != 1:
            new = "i" if each == "İ" and change is str.lower else each.title()
        found.append(new if len(new) == 1 else each)
    return "".join(found)


@function(_STR, returns=STRING)
def title(value: Part) -> Part:
    found: list[str] = []
    apart = True
    for char in text_of(value):
        found.append(_mapped(char, str.title) if apart else char)
        apart = char.isspace() if not char.isascii() else not (char.isalnum() or char == "_")
    return text("".join(found))


@function(_STR, returns=STRING)
def trimspace(value: Part) -> Part:
    return text(text_of(value).strip(SPACE))


@function(_STR, Parameter("cutset", STRING), returns=STRING)
def trim(value: Part, cutset: Part) -> Part:
    # An empty cutset trims nothing; Python would trim white space.
    return text(text_of(value).strip(text_of(cutset)) if text_of(cutset) else text_of(value))


@function(_STR, Parameter("prefix", STRING), returns=STRING)
def trimprefix(value: Part, prefix: Part) -> Part:
    return text(text_of(value).removeprefix(text_of(prefix)))


@function(_STR, Parameter("suffix", STRING), returns=STRING)
def trimsuffix(value: Part, suffix: Part) -> Part:
    return text(text_of(value).removesuffix(text_of(suffix)))


@function(_STR, Parameter("prefix", STRING), returns=BOOL)
def startswith(value: Part, prefix: Part) -> Part:
    return truth(text_of(value).startswith(text_of(prefix)))


@function(_STR, Parameter("suffix", STRING), returns=BOOL)
def endswith(value: Part, suffix: Part) -> Part:
    return truth(text_of(value).endswith(text_of(suffix)))


@function(_STR, Parameter("substr", STRING), returns=BOOL)
def strcontains(value: Part, wanted: Part) -> Part:
    return truth(text_of(wanted) in text_of(value))


@function(_STR, returns=STRING)
def strrev(value: Part) -> Part:
    return text("".join(reversed(split_graphemes(text_of(value)))))


@function(_STR, returns=STRING)
def chomp(value: Part) -> Part:
    return text(text_of(value).rstrip("\r\n"))


@function(Parameter("spaces", NUMBER), _STR, returns=STRING)
def indent(spaces: Part, value: Part) -> Part:
    count = whole_of(spaces)
    if not 0 <= count <= 10_000:
        raise FunctionError("the number of spaces must be between 0 and 10,000", 0)
    return text(text_of(value).replace("\n", "\n" + " " * count))


@function(_STR, Parameter("offset", NUMBER), Parameter("length", NUMBER), returns=STRING)
def substr(value: Part, offset: Part, length: Part) -> Part:
    found = split_graphemes(text_of(value))
    start, count = whole_of(offset), whole_of(length)
    if start < 0:
        start = max(0, start + len(found))
        if count == 0:
            # Go's loop then takes everything.
            count = -1
    elif count == 0:
        return text("")
    return text("".join(found[start:] if count < 0 else found[start : start + count]))

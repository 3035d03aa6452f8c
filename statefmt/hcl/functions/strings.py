"""Functions on strings, with `format` and `formatlist`, which are Unknown for excessively long results.

Sources: go-cty `stdlib/string.go`, `format.go`; OpenTofu `internal/lang/funcs/string.go`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from statefmt.golang import quote
from statefmt.hcl.functions.registry import (
    FunctionError,
    Parameter,
    function,
    is_null,
    is_sequence,
    number_of,
    text_of,
    texts_of,
    whole_of,
)
from statefmt.hcl.operations import ConversionError, convert
from statefmt.hcl.source import split_graphemes
from statefmt.hcl.syntax import SPACE
from statefmt.hcl.value import Part, Unknown, Value, children, first_unknown, list_of, retyped, text, to_plain, truth
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, CtyError, ListType, Type
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.number import Number, format_digits, format_scientific, is_whole
from statefmt.model.cty.values import write_value

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


def _define(name: str, parameters: tuple[str, ...], run: Callable[..., str | bool], returns: Type) -> None:
    @function(*(Parameter(each, STRING) for each in parameters), returns=returns, name=name)
    def of_texts(*values: Part) -> Part:
        found = run(*map(text_of, values))
        return truth(found) if isinstance(found, bool) else text(found)


# Functions of strings only.
_define("upper", ("str",), lambda value: _mapped(value, str.upper), STRING)
_define("lower", ("str",), lambda value: _mapped(value, str.lower), STRING)
_define("trimspace", ("str",), lambda value: value.strip(SPACE), STRING)
# An empty cutset trims nothing; Python would trim white space.
_define("trim", ("str", "cutset"), lambda value, cutset: value.strip(cutset) if cutset else value, STRING)
_define("trimprefix", ("str", "prefix"), str.removeprefix, STRING)
_define("trimsuffix", ("str", "suffix"), str.removesuffix, STRING)
_define("startswith", ("str", "prefix"), str.startswith, BOOL)
_define("endswith", ("str", "suffix"), str.endswith, BOOL)
_define("strcontains", ("str", "substr"), str.__contains__, BOOL)
_define("strrev", ("str",), lambda value: "".join(reversed(split_graphemes(value))), STRING)
_define("chomp", ("str",), lambda value: value.rstrip("\r\n"), STRING)


def _mapped(value: str, change: Callable[[str], str]) -> str:
    # Go maps each character to a single one. If Python returns several, the result is the title case, or the same
    # character.
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
            # Go's loop then replaces all occurrences.
            count = -1
    elif count == 0:
        return text("")
    return text("".join(found[start:] if count < 0 else found[start : start + count]))


_VERB: Final = re.compile(
    r"%(?P<flags>[ +\-0#]*)(?P<width>[0-9]*)(?P<precision>\.[0-9]*)?(?:\[(?P<index>[0-9]{1,19})\])?(?P<mode>.)?",
    re.DOTALL,
)
_ARGS = Parameter("args", null=True, parts=True, unknown=True)
_WIDEST: Final = 10_000
_NULL: Final = Unknown("the result of format with an untyped null depends on the release: it is unknown in older ones")


class _NotHere(Exception):  # noqa: N818
    """A verb that is not evaluated: its result would be excessively long."""


@function(Parameter("format", STRING), rest=_ARGS, returns=STRING)
def format_(pattern: Part, *values: Part) -> Part:
    return _NULL if Value(DYNAMIC, None) in values else _written(text_of(pattern), values)


@function(Parameter("format", STRING), rest=_ARGS, returns=ListType(STRING))
def formatlist(pattern: Part, *values: Part) -> Part:
    if Value(DYNAMIC, None) in values:
        return _NULL
    lengths = {len(children(each)) for each in values if _goes_through(each)}
    if len(lengths) > 1:
        raise FunctionError("the lists have different lengths")
    unknown = next((each for each in values if isinstance(each, Unknown)), None)
    if unknown is not None:
        return retyped(unknown, ListType(STRING))
    rows = range(lengths.pop() if lengths else 1)
    found = [
        _written(text_of(pattern), tuple(children(each)[row] if _goes_through(each) else each for each in values))
        for row in rows
    ]
    return list_of(STRING, found)


def _goes_through(part: Part) -> bool:
    return isinstance(part, Value) and part.data is not None and is_sequence(part)


def _written(pattern: str, values: tuple[Part, ...]) -> Part:
    unknown = first_unknown(values)
    if unknown is not None:
        return retyped(unknown, STRING)
    pieces: list[str] = []
    at = following = highest = 0
    indexed = False
    for verb in _VERB.finditer(pattern):
        pieces.append(pattern[at : verb.start()])
        at = verb.end()
        if verb["mode"] == "%" and verb[0] == "%%":
            pieces.append("%")
            continue
        if verb["mode"] is None:
            raise FunctionError(f"unrecognized format sequence at offset {verb.start()}", 0)
        if verb["index"]:
            following, indexed = int(verb["index"]) - 1, True
        if not 0 <= following < len(values):
            what = f"need index {following + 1} but have {len(values)} total"
            detail = f"not enough arguments for {quote(verb[0])} at {verb.start()}: {what}"
            raise FunctionError(detail, 0)
        try:
            pieces.append(_verb(verb, values[following]))
        except _NotHere:
            return Unknown(f"statetool does not evaluate {verb[0]} of the function format", type=STRING)
        following += 1
        highest = max(highest, following)
    if highest < len(values) and not indexed:
        raise FunctionError(f"too many arguments; only {highest} used by format string", highest + 1)
    return text("".join([*pieces, pattern[at:]]))


def _verb(verb: re.Match[str], part: Part) -> str:
    assert isinstance(part, Value)
    mode = verb["mode"]
    if mode != "v" and is_null(part):
        raise FunctionError(f"unsupported value for {quote(verb[0])} at {verb.start()}: null value cannot be formatted")
    try:
        if mode == "v":
            return _padded(verb, _as_it_is(part, "#" in verb["flags"]))
        if mode == "t":
            found = convert(part, BOOL)
            return "true" if isinstance(found, Value) and found.data else "false"
        if mode in "sq":
            return _padded(verb, _string(verb, text_of(convert(part, STRING))))
        if mode in "bdoxX":
            return _integer(verb, number_of(convert(part, NUMBER)))
        if mode in "eEfgG":
            return _float(verb, number_of(convert(part, NUMBER)))
    except ConversionError as error:
        raise FunctionError(f"unsupported value for {quote(verb[0])} at {verb.start()}: {error}") from None
    raise FunctionError(f"unsupported format verb {mode!r} in {quote(verb[0])} at offset {verb.start()}", 0)


def _as_it_is(part: Value, as_json: bool) -> str:
    if not as_json and isinstance(part.data, str):
        return part.data
    if not as_json and isinstance(part.data, Number):
        return format_digits(part.data)
    try:
        return write_value(PlainValue(part.type, to_plain(part))).decode()
    except CtyError as error:
        raise FunctionError(str(error)) from None


def _string(verb: re.Match[str], value: str) -> str:
    if precision := _precision(verb):
        value = "".join(split_graphemes(value)[:precision])
    return write_value(PlainValue(STRING, value)).decode() if verb["mode"] == "q" else value


def _padded(verb: re.Match[str], value: str) -> str:
    missing = _width(verb) - len(split_graphemes(value))
    pad = ("0" if "0" in verb["flags"] else " ") * missing
    return value + pad if "-" in verb["flags"] else pad + value


def _width(verb: re.Match[str]) -> int:
    return _limited(verb["width"])


def _precision(verb: re.Match[str]) -> int | None:
    return None if verb["precision"] is None else _limited(verb["precision"][1:])


def _limited(digits: str) -> int:
    value = int(digits[:9] or 0)
    if value > _WIDEST:
        raise _NotHere
    return value


def _sign(verb: re.Match[str], negative: bool) -> str:
    return "-" if negative else "+" if "+" in verb["flags"] else " " if " " in verb["flags"] else ""


def _aligned(verb: re.Match[str], before: str, digits: str, *, zeros: bool = True) -> str:
    missing = max(0, _width(verb) - len(before) - len(digits))
    if "-" in verb["flags"]:
        return before + digits + " " * missing
    return before + "0" * missing + digits if zeros and "0" in verb["flags"] else " " * missing + before + digits


def _integer(verb: re.Match[str], value: Number) -> str:
    if not is_whole(value):
        raise FunctionError(f"unsupported value for {quote(verb[0])} at {verb.start()}: an integer is required")
    if value.exponent > _WIDEST:
        raise _NotHere
    digits = format(value.mantissa << value.exponent, verb["mode"])
    precision = _precision(verb)
    if precision is not None:
        digits = "" if digits == "0" and not precision else digits.rjust(precision, "0")
        if not digits:
            # Go ignores the width, too.
            return ""
    prefix = {"b": "0b", "o": "0", "x": "0x", "X": "0X"}.get(verb["mode"], "") if "#" in verb["flags"] else ""
    negative = value.negative and value.mantissa != 0
    return _aligned(verb, _sign(verb, negative) + prefix, digits, zeros=precision is None)


def _float(verb: re.Match[str], value: Number) -> str:
    sign, mode, precision = _sign(verb, value.negative), verb["mode"], _precision(verb)
    if value.infinite:
        sign = sign if value.negative or " " in verb["flags"] else "+"
        return _aligned(verb, sign, "Inf", zeros=False)
    if abs(value.exponent) > _WIDEST:
        raise _NotHere
    plain = Number(negative=False, mantissa=value.mantissa, exponent=value.exponent, precision=value.precision)
    if mode in "gG":
        digits = format_digits(plain, precision)
    elif mode in "eE":
        digits = format_scientific(plain, 6 if precision is None else precision)
    else:
        digits = _fixed(plain, 6 if precision is None else precision)
    return _aligned(verb, sign, digits.upper() if mode in "EG" else digits)


def _fixed(value: Number, places: int) -> str:
    # round() of a fraction is exact, and rounds halves to even as Go does.
    scaled = str(round(Fraction(value.mantissa) * Fraction(2) ** value.exponent * 10**places)).rjust(places + 1, "0")
    return f"{scaled[:-places]}.{scaled[-places:]}" if places else scaled

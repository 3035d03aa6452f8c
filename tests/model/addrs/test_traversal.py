"""Traversals as HCL reads them. Every row was also run through HCL itself."""

from __future__ import annotations

import pytest

from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.addrs.traversal import Attr, Index, is_identifier, parse_traversal
from statefmt.model.errors import AddressError
from tests.tables import each_row

INVALID = "Invalid character"
VARIABLE = "Variable name required"
ATTRIBUTE = "Attribute name required"
INDEX = "Index value required"
UNCLOSED = "Unclosed index brackets"
STRING = "Invalid string literal"
ESCAPE = "Invalid escape sequence"
UNTERMINATED = "Unterminated string literal"
MULTI_LINE = "Invalid multi-line string"
OPERATOR = "Unsupported operator"
NUMBER = "Invalid number literal"
ENCODING = "Invalid character encoding"

ACCEPTED = {
    "a name": ("a", "a"),
    "names": ("a.b.c", "a.b.c"),
    "dashes and digits": ("a-1.b-", "a-1.b-"),
    "a number": ("a[0]", "a [0]"),
    "leading zeros": ("a[007]", "a [7]"),
    "an exponent": ("a[12e1]", "a [120]"),
    "a decimal that is whole": ("a[0.5e1]", "a [5]"),
    "a point before an exponent": ("a[1.e2]", "a [100]"),
    "a signed exponent": ("a[500e-2]", "a [5]"),
    "a decimal that is not whole": ("a[1.5]", "a [?]"),
    "a number above 64 bits": ("a[9223372036854775808]", "a [?]"),
    "a string": ('a["x y"]', 'a ["x y"]'),
    "an empty string": ('a[""]', 'a [""]'),
    "brackets and dots in a string": ('a["]. ["]', 'a ["]. ["]'),
    "comment signs in a string": ('a["# // /*"]', 'a ["# // /*"]'),
    "escapes": (r'a["\n\r\t\"\\"]', r'a ["\n\r\t\"\\"]'),
    "escapes by number": (r'a["\u00e9\U0001F680"]', 'a ["é🚀"]'),
    "escaped templates": ('a["$${x}%%{y}"]', 'a ["$${x}%%{y}"]'),
    "an escaped template with trimming": ('a["$${~"]', 'a ["$${~"]'),
    "signs that start no template": ('a["$ % $$ %% $"]', 'a ["$ % $$ %% $"]'),
    "three dollars": ('a["$$${x}"]', 'a ["$$${x}"]'),
    "a combining mark after a quote": ('a["e\u0301"]', 'a ["é"]'),
    "marks that meet across escapes": (r'a["e\u0301"]', 'a ["é"]'),
    "names are not normalized": ("e\u0301.b", "e\u0301.b"),
    "spaces and tabs": (" a\t. b [ 0 ] ", "a.b [0]"),
    "newlines": ("\na\r\n.b\n", "a.b"),
    "a line comment": ("a # b", "a"),
    "a line comment in between": ("a // b\n.c", "a.c"),
    "a block comment": ("a/* ' */.b", "a.b"),
    "the shortest block comment": ("a/**/.b", "a.b"),
    "a byte order mark": ("\ufeffa", "a"),
    "letters of any script": ("grüße.日本", "grüße.日本"),
    "letters that are no Python identifiers": ("\u037a.a\u309b", "\u037a.a\u309b"),
}

REFUSED = {
    "nothing": ("", [(1, VARIABLE)]),
    "only a comment": ("# a", [(4, VARIABLE)]),
    "a digit first": ("1a", [(1, VARIABLE)]),
    "a dot first": (".a", [(1, VARIABLE)]),
    "a dot last": ("a.", [(3, ATTRIBUTE)]),
    "two dots": ("a..b", [(3, ATTRIBUTE)]),
    "three dots are one token": ("a...b", [(2, INVALID)]),
    "a number as a name": ("a.0", [(3, ATTRIBUTE)]),
    "a string as a name": ('a."b"', [(3, ATTRIBUTE)]),
    "a star as a name": ("a.*", [(3, ATTRIBUTE)]),
    "a star in brackets": ("a[*]", [(3, ATTRIBUTE)]),
    "two names without a dot": ("a b", [(3, INVALID)]),
    "nothing in brackets": ("a[]", [(3, INDEX)]),
    "a name in brackets": ("a[b]", [(3, INDEX)]),
    "a negative number": ("a[-1]", [(3, INDEX)]),
    "an open bracket": ("a[", [(3, INDEX)]),
    "an unclosed number": ("a[0", [(4, UNCLOSED)]),
    "two indexes in brackets": ("a[0,1]", [(4, UNCLOSED)]),
    "a hexadecimal number": ("a[0x1]", [(4, UNCLOSED)]),
    "a point after a number": ("a[1.]", [(4, UNCLOSED)]),
    "two points in a number": ("a[1.2.3]", [(3, NUMBER)]),
    "two exponents": ("a[1e2e3]", [(3, NUMBER)]),
    "an exponent beyond all bounds": ("a[1e99999999999]", [(3, NUMBER)]),
    "a closing bracket": ("a]", [(2, INVALID)]),
    "an unclosed string": ('a["b]', [(6, UNTERMINATED), (6, UNCLOSED)]),
    "an escaped closing quote": (r'a["b\"]', [(8, UNTERMINATED), (8, UNCLOSED)]),
    "a template": ('a["${b}"]', [(4, STRING)]),
    "a directive": ('a["%{if b}"]', [(4, STRING)]),
    "two templates": ('a["${b}${c}"]', [(4, STRING), (8, STRING)]),
    "a string within a template": ('a["${"b"}"]', [(4, STRING)]),
    "a template within a template": ('a["${"${b}"}"]', [(4, STRING)]),
    "braces within a template": ('a["${{}}"]', [(4, STRING)]),
    "a trimmed end in braces": ('a["${{~}}"]', [(4, STRING), (9, STRING)]),
    "trimming templates": ('a["${~b~}"]', [(4, STRING)]),
    "an unclosed template": ('a["${b"]', [(4, STRING), (9, UNTERMINATED), (9, UNCLOSED)]),
    "wrong characters within a template": ("a[\"${'b'}\"]", [(6, INVALID), (4, STRING)]),
    "an unknown escape": (r'a["\q"]', [(4, ESCAPE)]),
    "two unknown escapes": (r'a["\q\$"]', [(4, ESCAPE), (6, ESCAPE)]),
    "a short escape by number": (r'a["x\u12"]', [(5, ESCAPE)]),
    "a short long escape by number": (r'a["\U0001F68"]', [(4, ESCAPE)]),
    "a surrogate by number": (r'a["\ud800"]', [(4, ESCAPE)]),
    "the last surrogate by number": (r'a["\udfff"]', [(4, ESCAPE)]),
    "a number beyond Unicode": (r'a["\UFFFFFFFF"]', [(4, ESCAPE)]),
    "a newline in a string": ('a["b\nc"]', [(5, MULTI_LINE), (5, STRING)]),
    "a backslash before a newline": ('a["b\\\nc"]', [(5, INVALID), (6, MULTI_LINE), (5, STRING)]),
    "a dollar at the very end": ('a["$', [(4, INVALID), (4, STRING), (5, UNCLOSED)]),
    "single quotes": ("a['b']", [(3, INVALID), (3, INDEX)]),
    "three pairs of single quotes": ("''''''", [(1, INVALID), (3, INVALID), (1, VARIABLE)]),
    "backticks": ("a[`b`]", [(3, INVALID), (3, INDEX)]),
    "curly quotes": ("a[“b”]", [(3, INVALID), (5, INVALID), (3, INDEX)]),
    "semicolons": ("a;;b", [(2, INVALID), (2, INVALID)]),
    "a bitwise operator": ("a & b", [(3, OPERATOR), (3, INVALID)]),
    "a logical operator": ("a && b", [(3, INVALID)]),
    "a dollar outside": ("a.$b", [(3, INVALID), (3, ATTRIBUTE)]),
    "a carriage return alone": ("a\r.b", [(2, INVALID), (2, INVALID)]),
    "a mark that begins a name": ("a.\u0301", [(3, INVALID), (3, ATTRIBUTE)]),
    "a no-break space": ("a\u00a0", [(2, INVALID), (2, INVALID)]),
    "an unclosed block comment": ("a/*b", [(2, INVALID)]),
    "a heredoc": ("a[<<EOT\nb\nEOT\n]", [(3, INDEX)]),
    "a heredoc without its newline": ("a[<<EOT]", [(3, INDEX)]),
    "a lone surrogate": ('a["\ud800"]', [(4, ENCODING), (4, VARIABLE)]),
}


def _shown(text: str) -> str:
    shown: list[str] = []
    for step in parse_traversal(text):
        match step:
            case Attr(name):
                shown.append(f".{name}" if shown else name)
            case Index(IntKey() | StringKey() as key):
                shown.append(f" {key}")
            case _:
                shown.append(" [?]")
    return "".join(shown)


@each_row(("text", "steps"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepts(text: str, steps: str) -> None:
    assert _shown(text) == steps


@each_row(("text", "problems"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, problems: list[tuple[int, str]]) -> None:
    with pytest.raises(AddressError) as caught:
        parse_traversal(text)
    assert [(problem.column, problem.summary) for problem in caught.value.problems] == problems


def test_a_step_knows_where_it_begins() -> None:
    assert [step.column for step in parse_traversal('ab .c ["d"]')] == [1, 4, 7]


def test_the_error_holds_the_text_and_the_first_problem() -> None:
    with pytest.raises(AddressError) as caught:
        parse_traversal("a['b']")
    error = caught.value
    assert (error.text, error.column, error.summary) == ("a['b']", 3, INVALID)
    assert error.detail == 'Single quotes are not valid. Use double quotes (") to enclose strings.'


def test_rubbish_is_not_reported_without_end() -> None:
    with pytest.raises(AddressError) as caught:
        parse_traversal("$" * 10_000)
    assert len(caught.value.problems) == 101


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", True),
        ("_a-1", True),
        ("日本", True),
        ("", False),
        ("-a", False),
        ("1", False),
        ("a.b", False),
        ("a ", False),
    ],
)
def test_identifiers(text: str, expected: bool) -> None:
    assert is_identifier(text) is expected

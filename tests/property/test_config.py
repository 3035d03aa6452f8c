"""Laws of reading configurations: every text can be read, every problem has a place in it, and values hold."""

from __future__ import annotations

from hypothesis import assume, given, strategies as st

from statefmt.hcl.evaluate import evaluate_literal
from statefmt.hcl.operations import ConversionError, convert
from statefmt.hcl.source import Problem, SourceText
from statefmt.hcl.syntax import Expression
from statefmt.hcl.syntax.json import read_json_file
from statefmt.hcl.syntax.native import read_expression, read_file
from statefmt.hcl.value import Part, Unknown, Value, first_unknown, from_plain, to_plain, unmarked_within
from statefmt.model.cty import type_name
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.unify import can_convert, unify
from statefmt.model.cty.values import read_value, write_value

_PIECES = (
    *(
        "a",
        "b",
        "for",
        "in",
        "if",
        "null",
        "true",
        "x",
        "1",
        "0.5",
        "1e3",
        '"',
        '"s"',
        "${",
        "%{",
        "}",
        "{",
        "[",
        "]",
        "(",
    ),
    *(
        ")",
        ",",
        ".",
        "...",
        "*",
        "[*]",
        "?",
        ":",
        "=",
        "=>",
        "==",
        "&&",
        "!",
        "-",
        "\n",
        " ",
        "<<-E\n",
        "\nE\n",
        "#",
        "é",
        "\\",
    ),
    *("resource", "locals {\n", "}\n", "endif", "endfor", "else", "~", "\t", "\r\n", "//", "/*", "*/", "::", "\0"),
)
texts = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)

_LEAVES = st.sampled_from(["1", "2.5", '"a"', '"1"', "true", "null", "[]", "{}", '"b${1}"'])
expressions = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"[{two[0]}, {two[1]}]"),
        st.tuples(inner, inner).map(lambda two: f"{{ a = {two[0]}, b = {two[1]} }}"),
        st.tuples(inner, st.sampled_from(["+", "==", "&&", "<", "%"]), inner).map(lambda three: f"({' '.join(three)})"),
        st.tuples(inner, inner, inner).map(lambda three: f"({three[0]} ? {three[1]} : {three[2]})"),
        inner.map(lambda one: f"[for k, v in {one} : v]"),
        inner.map(lambda one: f"{{ for k, v in {one} : k => v... }}"),
        inner.map(lambda one: f"{one}[0]"),
        inner.map(lambda one: f"({one})[*].a"),
        inner.map(lambda one: f'"x${{{one}}}"'),
    ),
    max_leaves=8,
)


def _value(text: str) -> Part:
    expression: Expression
    expression, problems = read_expression(SourceText("t", text.encode()), 0, len(text.encode()), text, exact=True)
    assert problems == ()
    return evaluate_literal(expression)


@given(texts)
def test_any_text_is_read(text: str) -> None:
    problems: list[Problem] = []
    for source, read in (
        (SourceText("t", text.encode()), read_file),
        (SourceText("t.json", text.encode()), read_json_file),
    ):
        body = read(source, problems)
        for name in body.names():
            argument = body.attribute(name)
            assert argument is not None
            evaluate_literal(argument.expression)
    lines = text.count("\n") + 1
    for problem in problems:
        assert problem.range is not None
        assert 1 <= problem.range.line <= problem.range.end_line <= lines
        assert problem.range.column >= 1
        assert problem.range.start <= problem.range.stop


@given(expressions)
def test_values_conform_to_their_types(text: str) -> None:
    value = _value(text)
    if isinstance(value, Unknown):
        assert value.problem is not None
    elif first_unknown((value,)) is None:
        plain = PlainValue(value.type, to_plain(unmarked_within(value)))
        written = write_value(plain)
        assert write_value(read_value(written, value.type)) == written
        assert from_plain(value.type, to_plain(value)) == unmarked_within(value)


@given(expressions, expressions)
def test_what_types_unify_to_their_values_convert_to(one: str, other: str) -> None:
    values = [value for value in map(_value, (one, other)) if isinstance(value, Value)]
    common = unify([value.type for value in values])
    assume(common is not None)
    assert common is not None
    assert unify([common, common]) == common
    for value in values:
        assert can_convert(value.type, common), (type_name(value.type), type_name(common))
        try:
            converted = convert(value, common)
        except ConversionError:
            continue
        assert convert(converted, common) == converted

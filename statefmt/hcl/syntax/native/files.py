"""Reads HCL's native syntax: whole files, and single expressions and templates embedded in other files."""

from __future__ import annotations

from typing import Final

from statefmt.golang.normalize import nfc
from statefmt.hcl.source.position import EmbeddedSource, SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.expressions import Bad, Expression, Literal
from statefmt.hcl.syntax.native._body import NativeBody
from statefmt.hcl.syntax.native._expressions import ExpressionReader
from statefmt.hcl.syntax.native._problems import syntax_problems
from statefmt.hcl.syntax.native._tree import parse, parts

# tree-sitter needs a second and 600 MB for a megabyte of text that is not HCL.
LARGEST_FILE: Final = 2 * 1024 * 1024


def read_file(source: SourceText, problems: list[Problem]) -> NativeBody:
    """Read the body of a file and add its problems to `problems`; the rest of the file is still read."""
    reader = ExpressionReader(source, problems)
    refusal = _refusal(source)
    if refusal is not None:
        problems.append(refusal)
        return NativeBody(reader, None)
    root = parse(source.content)
    problems += syntax_problems(source, root)
    return NativeBody(reader, next((child for child in root.children if child.type == "body"), None))


def _refusal(source: SourceText) -> Problem | None:
    size = len(source.content)
    if size > LARGEST_FILE:
        detail = f"{source.file} has {size:,} bytes; files larger than {LARGEST_FILE:,} bytes are not read."
        return error(ProblemKind.UNREADABLE, "Configuration file too large", detail, source.range(0, 0))
    binary = source.content.find(b"\0")
    if binary >= 0:
        detail = "This character is not used within the language: the file is not text."
        return error(ProblemKind.SYNTAX, "Invalid character", detail, source.range(binary, binary + 1))
    return None


def read_expression(
    outer: SourceText, start: int, stop: int, text: str, *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Read `text`, embedded in `outer` from `start` to `stop`, as an expression (see EmbeddedSource)."""
    return _read_wrapped(outer, start, stop, ("(", text, "\n)"), exact=exact)


def read_template(
    outer: SourceText, start: int, stop: int, text: str, *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Read `text` as a template, as in a JSON string: without quotes, and backslashes are literal."""
    if "${" not in text and "%{" not in text:
        return Literal(nfc(text), outer.range(start, stop)), ()
    mark = "T"
    while mark in text:
        mark += "T"
    return _read_wrapped(outer, start, stop, (f"<<{mark}\n", text, f"\n{mark}"), exact=exact)


def _read_wrapped(
    outer: SourceText, start: int, stop: int, pieces: tuple[str, str, str], *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Parse an attribute with the joined pieces as its value; the second piece is the text itself."""
    problems: list[Problem] = []
    before = ("_ = " + pieces[0]).encode()
    content = before + pieces[1].encode("utf-8", "replace") + (pieces[2] + "\n").encode()
    source = EmbeddedSource(outer, start, stop, content, len(before), exact=exact)
    reader = ExpressionReader(source, problems)
    bad = Bad("the expression could not be read", outer.range(start, stop))
    refusal = _refusal(source)
    if refusal is not None:
        return bad, (refusal,)
    root = parse(source.content)
    problems += syntax_problems(source, root)
    body = next((child for child in root.children if child.type == "body"), None)
    items = parts(body) if body is not None else []
    # More than one attribute, or content after the parenthesis: the text closed the wrapper.
    if problems or len(items) != 1 or items[0].type != "attribute":
        return bad, tuple(problems)
    inside = parts(parts(items[0])[-1])
    if pieces[0] == "(":
        return (reader.read(inside[1]) if len(inside) == 3 else bad), tuple(problems)
    node = parts(inside[0])[0]
    return (reader.bare_template(node) if node.type == "heredoc_template" else bad), tuple(problems)

"""One small change of a module: another word, verdict, exit status or condition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple


class Kind(Enum):
    """What a change is about."""

    WORDS = "words"
    STATUS = "exit status"
    VERDICT = "verdict"
    STEP = "step"


class Mutant(NamedTuple):
    """A change of `file`, in which `new` replaces the text from `start` to `end`, in characters."""

    file: Path
    line: int
    start: int
    end: int
    new: str
    kind: Kind

    def applied(self, source: str) -> str:
        return source[: self.start] + self.new + source[self.end :]


_COMPARISONS: Final = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_STATUSES: Final = {"FINE": "FAILED", "FAILED": "FINE", "FOUND": "FINE", "_NO_MATCH": "FINE", "FINDINGS": "FINE"}
# A word outside of the braces of an f-string.
_WORD: Final = re.compile(r"(?<![{\w\\.])[a-z]{4,}(?![\w}(.])")


def mutants(file: Path, source: str) -> Iterator[Mutant]:
    """Yield all changes of a module. Docstrings, annotations, imports and `__all__` stay as they are."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:
        # The columns of nodes are in bytes.
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def mutant(node: ast.expr | ast.stmt, new: str, kind: Kind) -> Mutant:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start, end = offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
        return Mutant(file, node.lineno, start, end, new, kind)

    def segment(node: ast.expr) -> str:
        return ast.get_source_segment(source, node) or ""

    for node in _changeable(ast.parse(source)):
        match node:
            case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in _COMPARISONS:
                yield mutant(node, f"{segment(left)} {_COMPARISONS[type(operator)]} {segment(right)}", Kind.VERDICT)
            case ast.BoolOp(values=values):
                word = "or" if isinstance(node.op, ast.And) else "and"
                yield mutant(node, f"({f' {word} '.join(f'({segment(value)})' for value in values)})", Kind.VERDICT)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield mutant(node, f"({segment(operand)})", Kind.VERDICT)
            case ast.If(test=test) | ast.IfExp(test=test):
                yield mutant(test, f"not ({segment(test)})", Kind.VERDICT)
            case ast.Constant(value=bool(value)):
                yield mutant(node, str(not value), Kind.VERDICT)
            case ast.Name(id=name, ctx=ast.Load()) if name in _STATUSES:
                yield mutant(node, _STATUSES[name], Kind.STATUS)
            case ast.Constant(value=int(number)):
                yield mutant(node, str(number + 1), Kind.STEP)
            case ast.Constant(value=str(text)) if " " in text:
                yield from _other_word(mutant(node, segment(node), Kind.WORDS))
            case ast.JoinedStr():
                yield from _other_word(mutant(node, segment(node), Kind.WORDS))
            case ast.Expr(value=ast.Call()):
                yield mutant(node, "pass", Kind.STEP)


def _other_word(mutant: Mutant) -> Iterator[Mutant]:
    """Yield a change of one word of a message: the longest, which says most."""
    found = max(_WORD.finditer(mutant.new), key=lambda word: len(word[0]), default=None)
    if found is not None:
        yield mutant._replace(new=f"{mutant.new[: found.start()]}XX{mutant.new[found.end() :]}")


def _changeable(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that do something when the program runs."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "names", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Import, ast.ImportFrom)):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            yield child
            if not isinstance(child, ast.JoinedStr):
                # In an f-string, the positions of parts are known from Python 3.12 on only.
                yield from _changeable(child)

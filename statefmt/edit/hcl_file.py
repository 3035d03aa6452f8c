"""Reads files in HCL or JSON that say what to edit, up to the first problem."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from typing import TypeVar

from statefmt.hcl.source import Problem, Range, SourceText
from statefmt.hcl.syntax import Body
from statefmt.hcl.syntax.json import read_json_file
from statefmt.hcl.syntax.native import read_file
from statefmt.model.errors import SettingsError

T = TypeVar("T")


def read_hcl_file(name: str, content: bytes, read: Callable[[Body, list[Problem]], T], *, is_json: bool) -> T:
    """Return what `read` makes of the body of a file; problems that it finds later go to its second argument.

    Raises SettingsError with the position of the first problem, and what `read` raises.
    """
    source = SourceText(name, content.removeprefix(BOM_UTF8))
    try:
        source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = source.place(error.start)
        raise SettingsError(f"{name}:{line},{column}: this is not UTF-8") from None
    problems: list[Problem] = []
    try:
        body: Body = (read_json_file if is_json else read_file)(source, problems)
        refuse_problems(problems)
        return read(body, problems)
    except RecursionError:
        raise SettingsError(f"{name}: the file is nested too deeply") from None


def refuse_problems(problems: list[Problem]) -> None:
    """Raise SettingsError for the first problem, if there is one."""
    for problem in problems:
        raise invalid(problem.range, f"{problem.summary}. {problem.detail}")


def invalid(place: Range | None, text: str) -> SettingsError:
    """Return the error for a part of a file."""
    return SettingsError(text if place is None else f"{place}: {text}")

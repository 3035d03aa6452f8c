"""Check all rows of a table in one test, which names every row that fails.

With `pytest.mark.parametrize`, each row is a test that every worker collects, and that is set up, run and reported by
itself. For a row of a millisecond that is most of the time. `pytest --row PATTERN` runs only the rows of that name.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import wraps
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

Test = Callable[..., None]

# Rows that are shown with their tracebacks.
_SHOWN: Final = 5
_FOLDERS: Final = ("tmp_path", "folder")
_REQUEST: Final = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD)


class _Row(NamedTuple):
    name: str
    values: Mapping[str, Any]
    is_slow: bool


def each_row(
    names: str | Sequence[str],
    rows: Iterable[Any],
    *,
    ids: Callable[[Any], object] | Iterable[str] | None = None,
    sample: int | None = None,
    parts: int = 1,
) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but all rows are one test, and the rows that are marked as slow a second one.

    Rows share the fixtures of the test, but each has a folder of its own in place of `tmp_path` and `folder`, which is
    the current folder if that was. Of several decorators, all combinations are rows, and the outermost says the rest:
    all rows but a seeded `sample` are slow, and `parts` spreads the rows over several tests.
    """
    arguments = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    table = list(_rows(arguments, list(rows), ids))
    assert table, "a table without rows"

    def decorate(function: Test) -> Test:
        check, inner = getattr(function, "table", (function, [_Row("", {}, False)]))
        product = [_both(outer, row) for outer in table for row in inner]
        if sample is not None:
            usual = set(Random(function.__name__).sample(range(len(product)), sample))
            product = [row._replace(is_slow=row.is_slow or at not in usual) for at, row in enumerate(product)]
        return _test_of(check, product, parts)

    return decorate


def _rows(arguments: list[str], rows: list[Any], ids: Callable[[Any], object] | Iterable[str] | None) -> Iterable[_Row]:
    listed = None if ids is None or callable(ids) else list(ids)
    for number, row in enumerate(rows):
        name, is_slow = None, False
        if isinstance(row, type(pytest.param())):
            name, is_slow = row.id, any(mark.name == "slow" for mark in row.marks)
            assert all(mark.name == "slow" for mark in row.marks), "only the mark `slow` is known here"
            values = row.values
        else:
            values = (row,) if len(arguments) == 1 else tuple(row)
        if not isinstance(name, str):
            label = ids if callable(ids) else _label
            name = listed[number] if listed else "-".join(str(label(value)) for value in values)
        yield _Row(name, dict(zip(arguments, values, strict=True)), is_slow)


def _label(value: object) -> str:
    text = str(value)
    return text if len(text) < 60 else f"{text[:59]}…"


def _both(outer: _Row, row: _Row) -> _Row:
    name = f"{row.name}-{outer.name}" if row.name else outer.name
    return _Row(name, {**outer.values, **row.values}, outer.is_slow or row.is_slow)


def _folders(request: pytest.FixtureRequest, number: int, wanted: Iterable[str]) -> dict[str, Path]:
    """Make the folder of a row, if the test has one."""
    if not set(_FOLDERS).intersection((*wanted, *request.fixturenames)):
        return {}
    whole: Path = request.getfixturevalue("tmp_path")
    own = whole / f"row{number}"
    own.mkdir()
    if Path.cwd() == whole or Path.cwd().parent == whole:
        os.chdir(own)
    return {name: own for name in wanted if name in _FOLDERS}


def _test_of(check: Test, table: list[_Row], parts: int) -> Test:
    wanted = inspect.signature(check).parameters
    fixtures = {name: one for name, one in wanted.items() if name not in table[0].values}

    @wraps(check)
    def test(request: pytest.FixtureRequest, rows: list[_Row], **given: Any) -> None:
        if "request" in fixtures:
            given["request"] = request
        pattern = request.config.getoption("--row")
        chosen = [row for row in rows if pattern is None or fnmatchcase(row.name, pattern)]
        failed: dict[str, BaseException] = {}
        for number, row in enumerate(chosen):
            try:
                check(**row.values, **given, **_folders(request, number, fixtures))
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                # A row that is skipped was not checked, while the others were.
                error.add_note(f"Row: {row.name}")
                failed[row.name] = error
        if failed:
            message = f"{len(failed)} of {len(chosen)} rows failed: {', '.join(failed)}"
            raise BaseExceptionGroup(message, list(failed.values())[:_SHOWN])

    others = [one for name, one in fixtures.items() if name not in ("request", *_FOLDERS)]
    test.__signature__ = inspect.Signature([_REQUEST, _REQUEST.replace(name="rows"), *others])  # type: ignore[attr-defined]
    test.table = (check, table)  # type: ignore[attr-defined]
    usual = [row for row in table if not row.is_slow]
    groups = [pytest.param(usual[number::parts], id=f"rows {number + 1}/{parts}") for number in range(parts) if usual]
    if slow := [row for row in table if row.is_slow]:
        groups.append(pytest.param(slow, id="slow rows", marks=pytest.mark.slow))
    parametrized: Test = pytest.mark.parametrize("rows", groups)(test)
    return parametrized

"""Numbers of more digits than Python converts, where functions read them out of strings."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import LoadOptions, load
from statefmt.configuration._scope import root_scope
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.value import Unknown, Value
from tests.configuration.expression import expression

_MANY = "9" * 5_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f'timeadd("2020-01-01T00:00:00Z", "{_MANY}h")', None),
        (f'timeadd("2020-01-01T00:00:00Z", "1.{_MANY}h")', "2020-01-01T01:59:59Z"),
        (f'timeadd("2020-01-01T00:00:00Z", "{"0" * 5_000}1h")', "2020-01-01T01:00:00Z"),
        (f'format("%[{_MANY}]s", "x")', None),
        (f'replace("abc", "/b/", "<${_MANY}>")', "a<>c"),
        (f'replace("abc", "/b{{{_MANY}}}/", "x")', None),
    ],
    ids=["duration", "fraction", "zeros", "format", "group", "repeat"],
)
def test_many_digits(text: str, value: str | None, tmp_path: Path) -> None:
    found = evaluate(expression(text), root_scope(load(tmp_path, LoadOptions())))
    if value is None:
        assert isinstance(found, Unknown)
        assert found.problem is not None
    else:
        assert isinstance(found, Value)
        assert found.data == value

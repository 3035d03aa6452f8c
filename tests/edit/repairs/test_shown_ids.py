"""Ids in the texts of choices: those that may be secret are hidden."""

from __future__ import annotations

import pytest

from statefmt.edit.repairs._instance_choices import shown_id
from statefmt.edit.repairs._loose_state import LooseState
from statefmt.edit.repairs.find import defects
from tests.edit.repairs.compact_state import resource, state

_SECRET = "hunter2-hunter2"


def _object(identifier: str, rest: str = "", attributes: str = "") -> str:
    return f'{{"attributes":{{"id":"{identifier}"{attributes}}}{rest}}}'


def _marks(name: str) -> str:
    return f',"sensitive_attributes":[[{{"type":"get_attr","value":"{name}"}}]]'


@pytest.mark.parametrize(
    ("kind", "obj"),
    [
        ("random_string", _object(_SECRET)),
        ("random_password", _object(_SECRET)),
        ("aws_x", _object(_SECRET, _marks("id"))),
        # The id repeats a value that is marked.
        ("aws_x", _object(_SECRET, _marks("password"), f',"password":"{_SECRET}"')),
        ("aws_x", _object(_SECRET, ',"sensitive_attributes":[[]]')),
        ("aws_x", f'{{"attributes_flat":{{"id":"{_SECRET}","password":"{_SECRET}"}}}}'),
    ],
)
def test_hidden(kind: str, obj: str) -> None:
    data = state(resource(obj, _object("other"), kind=kind)).encode()
    assert _SECRET not in str(_texts(data))
    assert "(sensitive value)" in str(_texts(data))
    assert _SECRET in str(_texts(data, show_sensitive=True))


@pytest.mark.parametrize(
    "obj",
    [
        _object("vpc-1", _marks("password"), ',"password":"x"'),
        '{"attributes_flat":{"id":"vpc-1","password":"x"}}',
        _object("vpc-1"),
        _object("vpc-1", ',"sensitive_attributes":null'),
    ],
)
def test_shown(obj: str) -> None:
    assert "the object with the id vpc-1" in str(_texts(state(resource(obj, _object("other"))).encode()))


def test_marks_that_cannot_be_read() -> None:
    """They may be about everything."""
    data = state(resource(_object(_SECRET, ',"sensitive_attributes":["other"]'))).encode()
    assert shown_id(LooseState(data), ("resources", "0", "instances", "0")) == "(sensitive value)"


def test_no_id() -> None:
    texts = _texts(state(resource('{"attributes":{}}', '{"attributes":{"id":5}}')).encode())
    assert texts["keep=first"] == "keep it and forget the other; the real objects continue to exist"


def _texts(data: bytes, *, show_sensitive: bool = False) -> dict[str, str]:
    found = defects(data, show_sensitive=show_sensitive)
    (repeated,) = [one for one in found if one.finding.code == "ADR002"]
    return {choice.label: choice.text for choice in repeated.choices}

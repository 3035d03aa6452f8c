"""Instance keys: text, identity, and the quoting that makes keys parse back."""

from __future__ import annotations

import copy
import pickle

import pytest

from statefmt.golang import quote
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, NoKey, StringKey
from tests.tables import each_row

TEXTS = {
    "no key": (NO_KEY, ""),
    "zero": (IntKey(0), "[0]"),
    "negative, as a state file may say": (IntKey(-1), "[-1]"),
    "large": (IntKey(2**63 - 1), "[9223372036854775807]"),
    "plain": (StringKey("us-west-2"), '["us-west-2"]'),
    "empty": (StringKey(""), '[""]'),
    "digits": (StringKey("0"), '["0"]'),
    "quote and backslash": (StringKey('a"b\\c'), r'["a\"b\\c"]'),
    "control characters": (StringKey("\n\r\t\0\x7f"), r'["\n\r\t\u0000\u007f"]'),
    "templates": (StringKey("${a}%{b}"), '["$${a}%%{b}"]'),
    "signs that start no template": (StringKey("$ % $$ 100%"), '["$ % $$ 100%"]'),
    "dollars before a template": (StringKey("$${"), '["$$${"]'),
    "single quotes and spaces": (StringKey("it's a key"), '["it\'s a key"]'),
    "letters of any script": (StringKey("é日本🚀"), '["é日本🚀"]'),
    "invisible": (StringKey("\u00a0\u200b\ufeff"), r'["\u00a0\u200b\ufeff"]'),
    "invisible beyond 16 bits": (StringKey("\U000e0001"), r'["\U000e0001"]'),
}


@each_row(("key", "text"), TEXTS.values(), ids=TEXTS)
def test_text(key: InstanceKey, text: str) -> None:
    assert str(key) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        pytest.param("${a}", '"${a}"', id="no templates"),
        pytest.param('a"\\', r'"a\"\\"', id="quote and backslash"),
        pytest.param("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"', id="named controls"),
        pytest.param("\0\x7f", r'"\x00\x7f"', id="other controls"),
        pytest.param("é\u200d\U000e0001", r'"é\u200d\U000e0001"', id="invisible"),
    ],
)
def test_go_quotes_otherwise(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_keys_are_distinct_values() -> None:
    keys: set[InstanceKey] = {NO_KEY, IntKey(0), IntKey(1), StringKey("0"), StringKey("")}
    assert len(keys) == 5
    assert {IntKey(0), StringKey("0")} < keys


def test_no_key_is_one_object() -> None:
    assert NoKey.NO_KEY is NO_KEY
    assert copy.deepcopy(NO_KEY) is NO_KEY
    assert pickle.loads(pickle.dumps(NO_KEY)) is NO_KEY
    assert repr(NO_KEY) == "NO_KEY"


def test_keys_do_not_change() -> None:
    with pytest.raises(AttributeError):
        IntKey(0).value = 1  # type: ignore[misc]  # what mypy says of it is what is tested

"""Maps of keys as people write them."""

from __future__ import annotations

import pytest

from statefmt.edit.key_map import parse_key_lines, parse_key_map
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.errors import SurgeryError
from tests.tables import each_row

MAPS: dict[str, dict[InstanceKey, InstanceKey]] = {
    "0=a": {IntKey(0): StringKey("a")},
    "0=a,1=b": {IntKey(0): StringKey("a"), IntKey(1): StringKey("b")},
    " 0 = a , 1 = b ": {IntKey(0): StringKey("a"), IntKey(1): StringKey("b")},
    "0=a,": {IntKey(0): StringKey("a")},
    "a=0": {StringKey("a"): IntKey(0)},
    "eu-west-1=us east/1.b": {StringKey("eu-west-1"): StringKey("us east/1.b")},
    '"0"=0': {StringKey("0"): IntKey(0)},
    '0="0"': {IntKey(0): StringKey("0")},
    '[0]=["a"]': {IntKey(0): StringKey("a")},
    "[0]=[a]": {IntKey(0): StringKey("a")},
    "=a": {NO_KEY: StringKey("a")},
    "0=": {IntKey(0): NO_KEY},
    '""=0': {StringKey(""): IntKey(0)},
    '0="a,b",1="c=d"': {IntKey(0): StringKey("a,b"), IntKey(1): StringKey("c=d")},
    '0="a\\"b\\n$${x}"': {IntKey(0): StringKey('a"b\n${x}')},
    "0=${x}": {IntKey(0): StringKey("${x}")},
    "007=1": {StringKey("007"): IntKey(1)},
    "-1=1": {IntKey(-1): IntKey(1)},
    "9223372036854775807=9223372036854775808": {IntKey(2**63 - 1): StringKey("9223372036854775808")},
    "0=e\u0301": {IntKey(0): StringKey("e\u0301")},
    '"e\u0301"=0': {StringKey("e\u0301"): IntKey(0)},
    '"e\\u0301"=0': {StringKey("e\u0301"): IntKey(0)},
}


@each_row("text", MAPS)
def test_map(text: str) -> None:
    assert parse_key_map([text]) == MAPS[text]


# Text, what the refusal says.
REFUSED = {
    "": "the key map is empty",
    "a": "'a' is not a pair of keys OLD=NEW",
    "0=a,b": "'b' is not a pair of keys OLD=NEW",
    "0=a=b": "'0=a=b' is not a pair of keys OLD=NEW",
    '0="a': "'0=\"a' is not a pair of keys OLD=NEW",
    '0="${x}"': '"${x}" is not a valid key',
    "[0=a": "has unbalanced brackets",
    "[]=a": "has unbalanced brackets",
    "0=a,0=b": "maps [0] twice",
    "=a,=b": "maps no key twice",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_key_map([text])
    assert REFUSED[text] in str(caught.value)


def test_several_texts() -> None:
    assert parse_key_map(["0=a", "1=b,2=c"]) == {
        IntKey(0): StringKey("a"), IntKey(1): StringKey("b"), IntKey(2): StringKey("c")
    }  # fmt: skip


def test_lines() -> None:
    text = '# which was which\n0=a\n\n  1="b"\r\n# 2=c\n3=d,4=e\n'
    keys = {0: "a", 1: "b", 3: "d", 4: "e"}
    assert parse_key_lines(text) == {IntKey(old): StringKey(new) for old, new in keys.items()}

"""Values of a state inside of JSON output: numbers keep their text, at any depth."""

from __future__ import annotations

import pytest
from msgspec import Raw

from statefmt.golang import JSONValue, loads_exact
from statefmt.redaction.partial import HIDDEN, Partial, exact_text
from statefmt.render.json_output import exact_document, fragment

TEXTS = [
    "null",
    "true",
    "1.0",
    "1e3",
    "-0",
    "1234567890123456789012345678901234567890",
    '"a"',
    '"\\u003c\\u2028\\u001b\\n\\"\\\\é"',
    "[]",
    "{}",
    '{"b":[1.50,{"a":null}],"a":false}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_decoded_and_back(text: str) -> None:
    assert exact_text(loads_exact(text.encode())) == text.encode()


PARTIAL: list[tuple[Partial, bytes]] = [
    (Raw(b"[1.0,  2]"), b"[1.0,  2]"),
    (HIDDEN, b'"(sensitive value)"'),
    ({"a": Raw(b"1e3"), "b": HIDDEN}, b'{"a":1e3,"b":"(sensitive value)"}'),
    ({"a": {"b": HIDDEN}}, b'{"a":{"b":"(sensitive value)"}}'),
]


@pytest.mark.parametrize(("value", "text"), PARTIAL)
def test_partly_decoded(value: Partial, text: bytes) -> None:
    assert exact_text(value) == text


def test_document() -> None:
    text = exact_document(a={"b": fragment(Raw(b"[1.0,  2]"))}, c=[fragment(HIDDEN)])
    assert text == (
        b'{\n  "format_version": "1.0",\n  "a": {\n    "b": [\n      1.0,\n      2\n    ]\n  },\n'
        b'  "c": [\n    "(sensitive value)"\n  ]\n}\n'
    )


def _nested(depth: int) -> JSONValue:
    value: JSONValue = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_nested_deeper_than_orjson_goes() -> None:
    text = exact_document(a=fragment(_nested(300)))
    assert loads_exact(text) == loads_exact(b'{"format_version":"1.0","a":%b"x"%b}' % (b"[" * 300, b"]" * 300))


def test_nested_deeper_than_python_goes() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        fragment(_nested(3000))


def test_nested_too_deeply_to_be_laid_out() -> None:
    raw = b"[" * 20_000 + b"]" * 20_000
    assert exact_document(a=fragment(Raw(raw))) == b'{"format_version":"1.0","a":%b}\n' % raw

"""Attributes that are deep, wide or long, and white space."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, as_json, instance, many, resource, state

# As long as some adversary would make a name.
_LONG: Final = 60_000
# A little less than the depth that Go decodes.
_DEEPEST: Final = 9_000


def deep_attributes(size: int) -> bytes:
    """Attributes nearly as deep as Go decodes, one after another."""
    depth = min(_DEEPEST, size // 32)
    value = '{"a":[' * (depth // 2) + "]}" * (depth // 2)
    return state(resource(many(size, lambda n: instance(f'{{"id":"{n}","v":{value}}}', index_key=n))))


def too_deep(size: int) -> bytes:
    """Attributes deeper than anything decodes."""
    return state(resource(instance("[" * (size // 2) + "]" * (size // 2))))


def wide_attributes(size: int) -> bytes:
    """One object with many attributes, of which many look like passwords."""
    return state(resource(instance("{" + many(size, lambda n: f'"password_{n}":"hunter{n}"') + "}")))


def one_string(size: int) -> bytes:
    """One string without a break."""
    return state(resource(instance(as_json({"id": "x" * size}))))


def escaped_string(size: int) -> bytes:
    """One string of escapes only."""
    return state(resource(instance('{"id":"' + r"\u003c\ud83d\ude00\\\"" * (size // 26) + '"}')))


def token_string(size: int) -> bytes:
    """One string that begins like a private key, a token, a login, again and again, and is none of them."""
    words = "-----BEGIN RSA PRIVATE KEY----- AKIA ghp_ eyJ.eyJ. postgres://a:b://c:"
    return state(resource(instance(as_json({"id": words * (size // len(words))}))))


def json_string(size: int) -> bytes:
    """JSON in a string in JSON in a string, six times."""
    text = as_json([{"password": f"p{n}"} for n in range(size // 150)])
    for _ in range(5):
        text = as_json(text)
    return state(resource(instance(f'{{"id":"x","policy":{text}}}')))


def long_numbers(size: int) -> bytes:
    """Numbers of many digits."""
    digits = "1" * min(_LONG, size // 8)
    return state(resource(many(size, lambda n: instance(f'{{"id":{digits}{n},"e":1e{digits[:300]}}}', index_key=n))))


def long_serial(size: int) -> bytes:
    """A serial of as many digits as the state has bytes."""
    return state().replace(b'"serial":3', b'"serial":' + b"7" * size)


def white_space(size: int) -> bytes:
    """Hardly anything but white space."""
    return state(resource(instance(f'{{"id":"x"{" " * (size // 2)}}}'))).replace(
        b'"resources":', b'"resources":' + b"\n" * (size // 2)
    )


SHAPES: Final[tuple[Hostile, ...]] = (
    deep_attributes,
    too_deep,
    wide_attributes,
    one_string,
    escaped_string,
    token_string,
    json_string,
    long_numbers,
    long_serial,
    white_space,
)

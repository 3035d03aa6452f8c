"""What is not a state, or not a plain one."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._numerous import many_blocks
from benchmarks.hostile._parts import Hostile, keyed, many, resource, state


def cut_off(size: int) -> bytes:
    """A state whose end is missing."""
    return many_blocks(size)[:-20]


def only_brackets(size: int) -> bytes:
    """No state: brackets that never close."""
    return b'{"version":4,"resources":' + b'[{"a":' * (size // 6)


def only_quotes(size: int) -> bytes:
    """No state: quotation marks and backslashes."""
    return b'{"version":4,"resources":[{"name":' + b'"\\\\"x\\"' * (size // 7)


def conflict_marks(size: int) -> bytes:
    """A state with marks of a conflict of git in every resource."""
    mine, theirs = "<<<<<<< HEAD\n", ">>>>>>> other\n"
    return state(many(size, lambda n: f"\n{mine}{resource(keyed(n))}\n=======\n{resource(keyed(n + 1))}\n{theirs}"))


def encrypted(size: int) -> bytes:
    """An encrypted state with metadata of many key providers."""
    meta = many(size // 2, lambda n: f'"key_provider.pbkdf2.k{n}":"eyJzYWx0IjoiIn0="')
    data = "AAAA" * (size // 8)
    head = '{"serial":3,"lineage":"l","meta":{'
    return f'{head}{meta}}},"encrypted_data":"{data}","encryption_version":"v0"}}'.encode()


SHAPES: Final[tuple[Hostile, ...]] = (cut_off, only_brackets, only_quotes, conflict_marks, encrypted)

"""Generates JSON text with all the freedom it has: odd numbers, escapes, member order, white space."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from hypothesis import strategies as st


class ObjectText(NamedTuple):
    """A JSON object to write: member names (strings without escapes) and values, in order."""

    members: list[tuple[str, TextTree]]


# A str is the JSON text of a scalar, or of any value to write unchanged.
TextTree: TypeAlias = "str | list[TextTree] | ObjectText"

# Characters and escapes that writers treat differently: HTML, line separators, slashes, pairs and halves.
_PIECES = (
    "a", "Z9", " ", "é", "日本", "😀", "<", ">", "&", "\u2028", "\u2029", "/", "{", "]", ",", ":", "$", "${", "%{",
    "\x7f",
    "\\u003c", "\\u003E", "\\u0026", "\\u2028", "\\/", "\\n", "\\t", "\\b", "\\f", "\\\"", "\\\\", "\\u0000", "\\u001F",
    "\\u00e9", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\ud800", "\\udc00",
)  # fmt: skip
_NUMBERS = (
    "0", "-0", "1", "-1", "1.0", "1.50", "1e3", "1E+3", "1e-7", "0.1e-7", "-0.0", "1e400", "9007199254740993",
    "18446744073709551616", "1234567890123456789012345678901234567890", "0.1000000000000000055511151231257827",
)  # fmt: skip

# Provider addresses, which mean nothing where a state may hold any string.
_ADDRESSES = (
    '"provider[\\"registry.terraform.io/hashicorp/aws\\"]"',
    '"module.m.provider[\\"registry.opentofu.org/hashicorp/aws\\"].west[\\"a\\"]"',
    '"provider[\\"tf.example.com/a/b\\"]"',
)

strings: st.SearchStrategy[str] = st.lists(st.sampled_from(_PIECES), max_size=6).map(
    lambda parts: f'"{"".join(parts)}"'
) | st.sampled_from(_ADDRESSES)
numbers: st.SearchStrategy[str] = st.sampled_from(_NUMBERS) | st.integers().map(str)
scalars: st.SearchStrategy[str] = st.sampled_from(("null", "true", "false")) | numbers | strings
names: st.SearchStrategy[str] = st.sampled_from(("id", "tags", "b", "B", "a.b", "x y", "é", "kubernetes.io/name", ""))


def objects(values: st.SearchStrategy[TextTree], max_size: int = 4) -> st.SearchStrategy[ObjectText]:
    """Generate objects with such values; names may repeat."""
    return st.lists(st.tuples(names, values), max_size=max_size).map(ObjectText)


trees: st.SearchStrategy[TextTree] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | objects(inner), max_leaves=8
)


class WhiteSpace(NamedTuple):
    """White space: before each item and each closing bracket, around colons and commas, and at the end."""

    break_at: Callable[[int], str]
    after_colon: Callable[[], str]
    before_comma: Callable[[], str]
    end: str


def _nothing() -> str:
    return ""


def _space() -> str:
    return " "


INDENTED = WhiteSpace(lambda depth: "\n" + "  " * depth, _space, _nothing, "\n")
INDENTED_TWICE_ENDED = INDENTED._replace(end="\n\n")
COMPACT = WhiteSpace(lambda depth: "", _nothing, _nothing, "\n")
TABS = WhiteSpace(lambda depth: "\r\n" + "\t" * depth, _space, _nothing, "")
PYTHON = WhiteSpace(lambda depth: "", _space, _nothing, "")


def odd_layout(random: Random) -> WhiteSpace:
    """Return a layout with white space wherever JSON allows it, at random."""

    def space() -> str:
        return random.choice(("", "", "", " ", "  ", "\n", "\t", "\r\n", "\r"))

    return WhiteSpace(lambda depth: space(), space, space, space())


layouts: st.SearchStrategy[WhiteSpace] = st.sampled_from(
    (INDENTED, INDENTED_TWICE_ENDED, COMPACT, TABS, PYTHON)
) | st.integers(0, 2**32).map(lambda seed: odd_layout(Random(seed)))


def render(tree: TextTree, layout: WhiteSpace, depth: int = 0) -> str:
    """Return the text of a tree; `depth` is the number of brackets open around it."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, list):
        return _bracketed("[]", [render(item, layout, depth + 1) for item in tree], layout, depth)
    members = [
        f'"{name}"{layout.before_comma()}:{layout.after_colon()}{render(value, layout, depth + 1)}'
        for name, value in tree.members
    ]
    return _bracketed("{}", members, layout, depth)


def _bracketed(brackets: str, items: list[str], layout: WhiteSpace, depth: int) -> str:
    if not items:
        return brackets
    text = layout.break_at(depth + 1) + items[0]
    for item in items[1:]:
        text += f"{layout.before_comma()},{_comma_break(layout, depth + 1)}{item}"
    return brackets[0] + text + layout.break_at(depth) + brackets[1]


def _comma_break(layout: WhiteSpace, depth: int) -> str:
    # Python's one-line form has a space after a comma as after a colon.
    return layout.break_at(depth) or (layout.after_colon() if layout is PYTHON else "")

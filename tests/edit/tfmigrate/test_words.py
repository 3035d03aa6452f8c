"""The words of an action: as mattn/go-shellwords splits them."""

from __future__ import annotations

import pytest

from statefmt.edit.tfmigrate import action_words

# From tfmigrate's README and tests, and from the rules of a shell.
WORDS = {
    "mv aws_security_group.foo aws_security_group.foo2": ("mv", "aws_security_group.foo", "aws_security_group.foo2"),
    "mv aws_security_group.foo[0] 'aws_security_group.foo[\"baz\"]'": (
        "mv", "aws_security_group.foo[0]", 'aws_security_group.foo["baz"]',
    ),
    r'rm "a.b[\"c d\"]"': ("rm", 'a.b["c d"]'),
    r"rm a.b[\"c\"]": ("rm", 'a.b["c"]'),
    r"rm 'a\b'": ("rm", r"a\b"),
    "  rm\ta.b  \n c.d ": ("rm", "a.b", "c.d"),
    "rm a''b ''": ("rm", "ab", ""),
    "rm 'a|b;c'": ("rm", "a|b;c"),
    "": (),
}  # fmt: skip
REFUSED = {
    "rm 'a": "a quote is not closed",
    'rm "a': "a quote is not closed",
    "rm a\\": "the line ends in a backslash",
    **{f"rm a{char}b": f"{char} has a meaning to shells" for char in ";&|<>()`"},
}


@pytest.mark.parametrize("line", WORDS)
def test_words(line: str) -> None:
    assert action_words(line) == WORDS[line]


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line: str) -> None:
    with pytest.raises(
        ValueError, match=f"^{REFUSED[line].replace('|', '[|]').replace('(', '[(]').replace(')', '[)]')}"
    ):
        action_words(line)

"""A word that completes a command line."""

from typing import NamedTuple


class NextWord(NamedTuple):
    """A word: its kind is `plain`, `part` if more of the same word follows, `file` or `dir`."""

    value: str
    type: str = "plain"
    help: str = ""

"""Defines the placeholder for sensitive values."""

from __future__ import annotations

from typing import Final


class Hidden(str):
    """A string shown in place of a value. (It is a str: test for it before testing for str.)"""

    __slots__ = ()


HIDDEN: Final = Hidden("(sensitive value)")

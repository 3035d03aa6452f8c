"""What stands in a value where something sensitive was."""

from __future__ import annotations

from typing import Final


class Hidden(str):
    """A text that is shown instead of a value. (It is a str: test for it before testing for str.)"""

    __slots__ = ()


HIDDEN: Final = Hidden("(sensitive value)")

"""Wraps sensitive values, so that they are seen only by those who ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from statefmt.redaction.hidden import HIDDEN

_HINT: Final = "the value is sensitive; call .reveal() to get it"


class Sensitive:
    """A sensitive value, which prints as `(sensitive value)`; `reveal()` returns it.

        >>> password = Sensitive("s3cr3t")
        >>> f"{password}"
        '(sensitive value)'
        >>> password.reveal()
        's3cr3t'

    It equals another Sensitive of an equal value, and nothing else. Whatever else would tell something of the value is
    refused with TypeError: its hash, truth, length and parts, `pickle` and `json`. A copy is the object itself.

    It protects from showing a value by accident, not from a program that wants it.
    """

    __slots__ = ("_reveal",)
    _reveal: Callable[[], Any]

    def __init__(self, value: object) -> None:
        # A function, since tools that inspect objects print their attributes.
        object.__setattr__(self, "_reveal", lambda: value)

    @classmethod
    def of(cls, reveal: Callable[[], Any]) -> Sensitive:
        """Wrap the value that a function returns, for values that cost something to decode."""
        made = cls(None)
        object.__setattr__(made, "_reveal", reveal)
        return made

    def reveal(self) -> Any:
        """Return the value, with nothing in it masked.

        Each call decodes it anew, so that it is kept nowhere. Raises SelectionError if it is nested too deeply.
        """
        return self._reveal()

    def __repr__(self) -> str:
        return str(HIDDEN)

    def __format__(self, spec: str, /) -> str:
        # A width is for any value, all else only for the kind of value that it hides.
        try:
            text = format(str(self), spec)
        except ValueError:
            return str(self)
        return text if str(self) in text else str(self)

    def __eq__(self, other: object) -> bool:
        return bool(self.reveal() == other.reveal()) if isinstance(other, Sensitive) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # that of an integer is the integer

    def __copy__(self) -> Sensitive:
        return self

    def __deepcopy__(self, memo: object, /) -> Sensitive:
        return self

    def __bool__(self) -> NoReturn:
        raise TypeError(_HINT)

    def __getitem__(self, key: object, /) -> NoReturn:
        # This refuses iteration and `in`, too.
        raise TypeError(_HINT)

    def __getattr__(self, name: str, /) -> NoReturn:
        raise AttributeError(f"no attribute {name!r}: {_HINT}")

    def __setattr__(self, name: str, value: object, /) -> NoReturn:
        raise AttributeError("a sensitive value is read-only")

    def __delattr__(self, name: str, /) -> NoReturn:
        raise AttributeError("a sensitive value is read-only")

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError(_HINT)

"""Shows an output of the root module with a Python value."""

from __future__ import annotations

from typing import NoReturn, overload

from statefmt.library.values._at import REQUIRED, value_at
from statefmt.library.values._decode import AttributeValue, decode
from statefmt.library.values._members import _Default
from statefmt.model.errors import MissingPathError, SelectionError
from statefmt.model.outputs import OutputValue
from statefmt.redaction.withheld import withheld_output


class Output:
    """An output of the root module, whose value is decoded when it is first used.

    >>> Output(OutputValue(name="port", value=b"443", type=b'"number"')).value
    443
    """

    __slots__ = ("_output", "_value")

    def __init__(self, output: OutputValue) -> None:
        self._output = output
        self._value: tuple[AttributeValue] | None = None

    @property
    def name(self) -> str:
        """The name of the output."""
        return self._output.name

    @property
    def value(self) -> AttributeValue:
        """The value, as a Sensitive if the output is marked as sensitive or looks like a secret, and so for its parts.

        Raises SelectionError if it is nested too deeply to decode.
        """
        if self._value is None:
            self._value = (decode(withheld_output(self._output), f"the output {self.name!r}"),)
        return self._value[0]

    @overload
    def at(self, path: str) -> AttributeValue: ...
    @overload
    def at(self, path: str, default: _Default) -> AttributeValue | _Default: ...

    def at(self, path: str, default: object = REQUIRED) -> object:
        """Return the part of the value at a path: `subnets[0].id`, `[0]`, `["a b"]`.

        If the path does not exist, returns `default`, or without one raises MissingPathError, a LookupError, with the
        nearest names. Raises SelectionError if the path is invalid or the output is sensitive: call `reveal()` on
        `value` then.
        """
        try:
            return value_at(self.value, path, f"of the output {self.name!r}")
        except MissingPathError:
            if default is REQUIRED:
                raise
            return default

    @property
    def raw(self) -> bytes:
        """The JSON text of the value in canonical form, sensitive or not."""
        return self._output.value

    @property
    def type(self) -> bytes:
        """The type as in the state: `"string"`, `["list","number"]`, …; it may name parts of a sensitive value."""
        return self._output.type

    @property
    def sensitive(self) -> bool:
        """Whether the state marks the output as sensitive."""
        return self._output.sensitive

    @property
    def deprecated(self) -> str:
        """The message of a deprecated output, or ""."""
        return self._output.deprecated

    def __repr__(self) -> str:
        try:
            return f"Output({self.name!r}, {self.value!r})"
        except (SelectionError, RecursionError):
            return f"<Output {self.name!r} nested too deeply to be shown>"

    def __copy__(self) -> Output:
        return self

    def __deepcopy__(self, memo: object, /) -> Output:
        return self

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError("an output may be sensitive and is not pickled; pickle what you need of it")

"""The values of arguments in an encryption configuration, after their expressions are evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from statefmt.encryption.origin import Origin
from statefmt.model.cty import Number

# Names may begin with a digit, but references to them cannot.
_REFERENCE: Final = re.compile(r"(key_provider|method)\.([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z_][A-Za-z0-9_-]*)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a block; `root` is `key_provider` or `method`."""

    root: str
    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.root}.{self.type}.{self.name}"


@dataclass(frozen=True, slots=True)
class Unread:
    """An expression that could not be evaluated; `problem` is the reason, reported only if the value is used."""

    problem: str


# Strings are in Unicode NFC, as always in the configuration language.
ArgumentValue: TypeAlias = (
    "bool | Number | str | Reference | Unread | list[ArgumentValue] | dict[str, ArgumentValue] | None"
)


@dataclass(frozen=True, slots=True)
class ArgumentBlock:
    """One unchecked block of a configuration, converted from HCL in either syntax.

    `type` and `labels` are its header. Attributes can be secrets, so `repr` omits them. `place` is the position of the
    header, such as `main.tf:3,1-25`; `places` are those of the attributes, and `origins` the configurations that their
    values come from.
    """

    type: str
    labels: tuple[str, ...] = ()
    attributes: Mapping[str, ArgumentValue] = field(default_factory=dict, repr=False)
    blocks: tuple[ArgumentBlock, ...] = ()
    place: str = ""
    places: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: Mapping[str, Origin] = field(default_factory=dict, repr=False)


def parse_reference(text: str) -> Reference | None:
    """Parse a reference; None if the text is not one."""
    found = _REFERENCE.fullmatch(text)
    return None if found is None else Reference(found[1], found[2], found[3])


def type_name(value: ArgumentValue) -> str:
    """Return the type of a value for messages, which must not show the value itself."""
    if value is None:
        return "null"
    names = {
        bool: "a boolean",
        Number: "a number",
        str: "a string",
        Reference: "a reference",
        Unread: "an expression",
        list: "a list",
    }
    return names.get(type(value), "an object")

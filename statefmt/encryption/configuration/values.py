"""What the arguments of an encryption configuration can be, once their expressions have been evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from statefmt.encryption.origin import Origin
from statefmt.model.cty import Number

# Names may begin with a digit, but then nothing can refer to them.
_REFERENCE: Final = re.compile(r"(key_provider|method)\.([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z_][A-Za-z0-9_-]*)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A block that an argument refers to: `root` is `key_provider` or `method`."""

    root: str
    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.root}.{self.type}.{self.name}"


@dataclass(frozen=True, slots=True)
class Unread:
    """An expression that could not be evaluated, which only matters if it is used: `problem` says why."""

    problem: str


# Texts are in Unicode NFC, as the configuration language has all of them.
ArgumentValue: TypeAlias = (
    "bool | Number | str | Reference | Unread | list[ArgumentValue] | dict[str, ArgumentValue] | None"
)


@dataclass(frozen=True, slots=True)
class ArgumentBlock:
    """One block of a configuration: this is what HCL, in either syntax, is turned into.

    `type` and `labels` are its header. Attributes can be secrets, so they are not shown. Nothing is checked yet.
    `place` says where the header stands, such as `main.tf:3,1-25`, and `places` where each attribute does. `origins`
    are the configurations that the values of attributes come from.
    """

    type: str
    labels: tuple[str, ...] = ()
    attributes: Mapping[str, ArgumentValue] = field(default_factory=dict, repr=False)
    blocks: tuple[ArgumentBlock, ...] = ()
    place: str = ""
    places: Mapping[str, str] = field(default_factory=dict, repr=False)
    origins: Mapping[str, Origin] = field(default_factory=dict, repr=False)


def parse_reference(text: str) -> Reference | None:
    """The reference that a text is, None where it is none."""
    found = _REFERENCE.fullmatch(text)
    return None if found is None else Reference(found[1], found[2], found[3])


def type_name(value: ArgumentValue) -> str:
    """What to call the type of a value in a message, never the value itself."""
    if value is None:
        return "null"
    names = {
        bool: "a boolean",
        Number: "a number",
        str: "a text",
        Reference: "a reference",
        Unread: "an expression",
        list: "a list",
    }
    return names.get(type(value), "an object")

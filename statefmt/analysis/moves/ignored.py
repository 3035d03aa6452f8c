"""Models the attributes that a comparison ignores, such as those that a provider normalizes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from statefmt.model.addrs import is_identifier
from statefmt.model.errors import SelectionError

_EVERY: Final = "*"


class IgnoredAttribute(Struct, frozen=True):
    """An attribute of a resource type that is not compared; `*` as the type is every type."""

    type: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.type}.{self.attribute}"

    def applies_to(self, type_: str) -> bool:
        """Return whether objects of a type may have the attribute."""
        return self.type in (_EVERY, type_)


def parse_ignored_attribute(text: str) -> IgnoredAttribute:
    """Parse `TYPE.ATTRIBUTE`, such as `aws_instance.user_data` or `*.tags_all`. Raises SelectionError."""
    type_, dot, attribute = text.partition(".")
    if not dot or not is_identifier(attribute) or not (type_ == _EVERY or is_identifier(type_)):
        raise SelectionError(
            f"invalid attribute {text!r}: write TYPE.ATTRIBUTE, such as aws_instance.user_data, or *.ATTRIBUTE for "
            "every type; parts of an attribute cannot be ignored"
        )
    return IgnoredAttribute(type_, attribute)

"""Finds the element type of a collection from its elements."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.types import DynamicType, Type, encode_type


def common_element_type(types: Iterable[Type], declared: Type, kind: str) -> Type:
    """Return the element type of a collection: the first that is not dynamic; `declared` if there are no elements.

    `types` are those of the elements, `kind` is list, set or map. Raises CtyValueError if they are not all equal or
    dynamic, for which go-cty crashes.
    """
    found: Type | None = None
    for own in types:
        if found is None or isinstance(found, DynamicType):
            found = own
        elif own is not found and not isinstance(own, DynamicType) and own != found:
            names = " then ".join(encode_type(each).decode("utf-8") for each in (found, own))
            raise CtyValueError(f"inconsistent {kind} element types ({names})")
    return declared if found is None else found

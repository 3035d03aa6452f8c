"""Decodes the attributes of a stored object. Source: OpenTofu `ResourceInstanceObjectSrc.Decode`."""

from __future__ import annotations

from statefmt.lifecycle.stored._strip_removed import strip_removed
from statefmt.model.cty import CtyValue, Type, read_value


def decode_state(attributes: bytes, of: Type) -> CtyValue:
    """Decode attributes, as JSON, by the implied type of their schema, without those that the schema does not have.

    Missing attributes are null, and primitive values convert as in cty's JSON: `"1"` is a number. Raises CtyValueError
    with go-cty's detail, CtyPathError for a part.
    """
    return read_value(strip_removed(attributes, of), of)

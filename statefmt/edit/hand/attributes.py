"""Replaces the attributes of one instance with the text that a person edited."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec import Raw

from statefmt.analysis.selection.criteria import Criteria
from statefmt.edit.changes.attributes import with_attributes
from statefmt.edit.changes.edit import Edit
from statefmt.edit.hand.text import EditableText, text_of_value
from statefmt.edit.requests.choose import choose
from statefmt.formats.raw_json import json_problem
from statefmt.golang import loads_exact
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, Snapshot

# The most addresses that a message lists.
_MOST = 5


class EditableAttributes(NamedTuple):
    """The attributes of the current object of an instance, as text for an editor."""

    instance: InstanceState
    text: EditableText

    @property
    def pointer(self) -> str:
        """The JSON pointer to the attributes in the state."""
        current = self.instance.current
        assert current is not None
        assert current.origin is not None
        block, number = current.origin
        return f"/resources/{block}/instances/{number}/attributes"

    def edit(self, snapshot: Snapshot, edited: bytes) -> Edit:
        """Replace the attributes with an edited text; unchanged values keep their bytes.

        Raises SurgeryError, with the line, if the text is not a JSON object in UTF-8.
        """
        if edited == self.text.shown:
            return Edit(snapshot)
        addr = self.instance.addr
        try:
            msgspec.json.decode(edited, type=dict[str, Raw])
            loads_exact(edited)
        except msgspec.ValidationError as error:
            raise SurgeryError(f"{addr}: the attributes must be a JSON object", address=addr) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = json_problem(edited, error)
            raise SurgeryError(f"{addr}: the edited text is not JSON: {problem}", address=addr) from error
        except (ValueError, RecursionError) as error:
            raise SurgeryError(f"{addr}: the edited text is not JSON: {error}", address=addr) from error
        new = self.text.restored(edited)
        return with_attributes(snapshot, [self.instance], lambda _obj, _old: new)


def instance_text(snapshot: Snapshot, selector: str) -> EditableAttributes:
    """Return the attributes of the one instance that a selector names.

    Raises SelectionError if it matches nothing, and SurgeryError if it matches several instances, or if the instance
    has no current object with attributes.
    """
    found = choose(snapshot, Criteria(selectors=(selector,)))
    if len(found) > 1:
        shown = [f"  {instance.addr}" for instance in found[:_MOST]]
        more = [f"  … and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
        raise SurgeryError("\n".join([f"{selector!r} matches {len(found):,} instances; name one:", *shown, *more]))
    # Refuses what has no attributes to edit.
    with_attributes(snapshot, found, lambda _obj, old: old)
    current = found[0].current
    assert current is not None
    assert current.attributes is not None
    return EditableAttributes(found[0], text_of_value(bytes(current.attributes)))

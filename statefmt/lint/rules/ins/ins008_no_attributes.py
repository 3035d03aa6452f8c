"""An object has no attributes

## What it does
Reports an object with neither `attributes` nor `attributes_flat`, with `null` or `{}` for them, and an object without
an `id` (missing, null or empty) whose provider needs one: providers of the old SDK, known by their private data; the
built-in `terraform_data`; and with `--schemas`, each resource type whose schema has a computed `id`.

## Why is this bad?
OpenTofu reads an empty object without an id. The provider can neither refresh nor destroy the real object; most
providers conclude that it is gone, and plan to create another one. The file can be read, and no release writes such
objects, so this is information. An object without an id is such an object for its provider.

## Example
```json
{"schema_version": 1, "sensitive_attributes": []}
```

## What to do
Restore the attributes from a backup. Or forget the object and import the real one: `statetool rm aws_instance.web`,
then `tofu import aws_instance.web i-0f3a`.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, DecodeError, Raw

from statefmt.formats.versions import object_members
from statefmt.lifecycle.legacy_sdk import is_legacy
from statefmt.lint.provider_addresses import provider_in_force
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ObjectPart, Subject
from statefmt.model.addrs import ResourceMode
from statefmt.model.findings import Code, Finding, Fix
from statefmt.text import pattern

_NULL: Final = Raw(b"null")
_EMPTY: Final = (b"null", b'""')
_NO_ID: Final = "no id, by which its provider finds the real object"
_NOTHING: Final = pattern(rb"\s*(?:null|\{\s*\})\s*")
_ID: Final = pattern(rb'"id"\s*:')
_EMPTY_ID: Final = pattern(rb'"id"\s*:\s*(?:null|"")')


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        obj = part.document
        if obj.attributes is UNSET or _NOTHING.fullmatch(obj.attributes) is not None:
            if not obj.attributes_flat:
                yield _finding(subject, part, "no attributes, not even an id")
            elif not obj.attributes_flat.get("id") and part.resource.document.mode == ResourceMode.MANAGED.value:
                # Only the old SDK wrote flat attributes.
                yield _finding(subject, part, _NO_ID)
        elif _lacks_id(obj.attributes) and _needs_id(subject, part):
            yield _finding(subject, part, _NO_ID)


def _lacks_id(attributes: Raw) -> bool:
    # Nearly every object has an id, and need not be decoded.
    if _ID.search(attributes) is not None and _EMPTY_ID.search(attributes) is None:
        return False
    try:
        return bytes(object_members(attributes).get("id", _NULL)) in _EMPTY
    except (DecodeError, UnicodeDecodeError):
        # Not an object, which the reader reports.
        return False


def _needs_id(subject: Subject, part: ObjectPart) -> bool:
    resource = part.resource.document
    if resource.mode != ResourceMode.MANAGED.value:
        return False
    private = part.document.private
    if resource.type == "terraform_data" or (isinstance(private, str) and is_legacy(private)):
        return True
    provider = provider_in_force(resource, part.document)
    if subject.schemas is None or provider is None or not isinstance(resource.type, str):
        return False
    schema = subject.schemas.schema(provider.config.provider, ResourceMode.MANAGED, resource.type)
    attribute = None if schema is None else schema.block.attributes.get("id")
    return attribute is not None and attribute.computed


def _finding(subject: Subject, part: ObjectPart, lacks: str) -> Finding:
    which = f"The deposed object {part.document.deposed}" if part.document.deposed else "The object"
    detail = f"{which} of {part.address} has {lacks}."
    fix = Fix.of(
        "Restore them from a backup, or import the object again after this: ",
        subject.command_on("rm", part.address),
        ".",
    )
    return Code.NO_ATTRIBUTES.finding("Object without attributes", detail, part.address, part.pointer, fix)


RULE = Rule(Code.NO_ATTRIBUTES, _check)

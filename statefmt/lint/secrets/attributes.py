"""Finds secrets in attributes that `sensitive_attributes` does not cover, for the SEC rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.lint.secrets.sensitive_paths import sensitive_paths
from statefmt.lint.subject import ObjectPart, Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.redaction.path_text import path_text
from statefmt.redaction.secrets.covered import Covered
from statefmt.redaction.secrets.objects import TypedAttributes, secrets_of_object, suspected_objects, typed_attributes

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


class _PlacedSecret(NamedTuple):
    secret: FoundSecret
    part: ObjectPart


def secret_findings(subject: Subject, code: Code, summary: str, fix: str) -> Iterator[Finding]:
    """Yield the findings of one rule."""
    for secret, part in subject.once(_secrets):
        if secret.code == code:
            from statefmt.redaction.secrets.search import without_secret_names

            steps = without_secret_names(secret.steps)
            member = "attributes" if part.document.attributes is not UNSET else "attributes_flat"
            yield code.finding(
                summary,
                f"{part.address}: {path_text(steps) or 'a member of the attributes'} contains what looks like "
                f"{secret.kind}, but is not marked as sensitive.",
                part.address,
                "/".join((part.pointer, member, *(token(str(step)) for step in steps))),
                fix,
            )


def _secrets(subject: Subject) -> tuple[_PlacedSecret, ...]:
    return tuple(_search(subject))


def _search(subject: Subject) -> Iterator[_PlacedSecret]:
    parts = [part for part in subject.objects if _has_attributes(part.document)]
    objects = [_typed(part) for part in parts]
    for number in suspected_objects(objects):
        try:
            found = secrets_of_object(objects[number])
        except ValueError:
            # Nested too deeply for Python.
            continue
        covered = Covered(sensitive_paths(parts[number].document))
        for secret in found:
            if secret.steps not in covered:
                yield _PlacedSecret(secret, parts[number])


def _has_attributes(obj: InstanceObjectV4) -> bool:
    return obj.attributes is not UNSET or bool(obj.attributes_flat)


def _typed(part: ObjectPart) -> TypedAttributes:
    obj, type_name = part.document, part.resource.document.type
    attributes = None if obj.attributes is UNSET else obj.attributes
    return typed_attributes(type_name if isinstance(type_name, str) else "", attributes, obj.attributes_flat)

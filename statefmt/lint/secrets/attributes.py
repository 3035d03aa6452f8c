"""Finds secrets in attributes that `sensitive_attributes` does not cover, for the SEC rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.golang import loads_exact
from statefmt.lint.secrets.probes import suspects
from statefmt.lint.secrets.sensitive_paths import Covered, sensitive_paths
from statefmt.lint.subject import ObjectPart, Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.redaction.path_text import path_text

if TYPE_CHECKING:
    from statefmt.lint.secrets.search import FoundSecret, SecretSteps


class _PlacedSecret(NamedTuple):
    secret: FoundSecret
    part: ObjectPart


def secret_findings(subject: Subject, code: Code, summary: str, fix: str) -> Iterator[Finding]:
    """Yield the findings of one rule."""
    for secret, part in subject.once(_secrets):
        if secret.code == code:
            steps = _without_secrets(secret.steps)
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
    texts = [_text(part.document) for part in parts]
    for number in suspects(texts):
        # Imported late: compiling its patterns takes as long as checking some dozens of states.
        from statefmt.lint.secrets.search import secrets_in

        try:
            value = loads_exact(bytes(texts[number]), replace_invalid=True)
        except ValueError:
            # Nested too deeply for Python.
            continue
        covered = Covered(sensitive_paths(parts[number].document))
        for secret in secrets_in(value):
            if secret.steps not in covered:
                yield _PlacedSecret(secret, parts[number])


def _has_attributes(obj: InstanceObjectV4) -> bool:
    return obj.attributes is not UNSET or bool(obj.attributes_flat)


def _text(obj: InstanceObjectV4) -> Raw:
    return obj.attributes if obj.attributes is not UNSET else Raw(msgspec.json.encode(obj.attributes_flat))


def _without_secrets(steps: SecretSteps) -> SecretSteps:
    """Return the steps before the first one that is itself a secret: map keys can be."""
    from statefmt.lint.secrets._shapes import has_aws_key_id, has_aws_secret, shapes_in

    for place, step in enumerate(steps):
        if isinstance(step, str) and (shapes_in(step) or has_aws_key_id(step) or has_aws_secret(step)):
            return steps[:place]
    return steps

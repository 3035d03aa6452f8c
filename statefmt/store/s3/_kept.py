"""What an object has beside its content and headers, and would lose by an overwrite: tags and grants."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._objects import Objects
from statefmt.store.s3._storage import tagging
from statefmt.store.s3._version import ReadVersion

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_GRANTS: Final = {
    "FULL_CONTROL": "x-amz-grant-full-control",
    "READ": "x-amz-grant-read",
    "READ_ACP": "x-amz-grant-read-acp",
    "WRITE_ACP": "x-amz-grant-write-acp",
}
# The elements of a grantee, and how headers name them.
_GRANTEES: Final = {"ID": "id", "URI": "uri", "EmailAddress": "emailAddress"}


def kept_properties(
    objects: Objects, key: str, version: ReadVersion | None, note: Callable[[str], None]
) -> dict[str, str]:
    """Return the headers with which the next version of an object is stored: those of the last one, and its tags.

    The configuration wins. Notes rights that are missing to see what is to be kept. Raises StoreError.
    """
    settings = objects.settings
    if version is None:
        return tagging(settings.state_tags)
    properties = dict(version.kept)
    denied: list[str] = []
    if settings.state_tags:
        properties |= tagging(settings.state_tags)
    else:
        properties |= _tags(_asked(objects, "GetObjectTagging", key, "tagging", denied))
    if not settings.acl:
        properties |= _grants(_asked(objects, "GetObjectAcl", key, "acl", denied))
    if denied:
        note(
            f"{objects.service.subject}: without {' and '.join(denied)}, this write removes tags and grants that the "
            "object has of its own, as those of OpenTofu and Terraform do"
        )
    return properties


def _asked(objects: Objects, call: str, key: str, name: str, denied: list[str]) -> Element | None:
    try:
        return objects.details(call, key, name)
    except RefusedRequestError as error:
        if error.is_denied:
            denied.append(f"s3:{call}")
        elif not (error.is_unsupported or error.is_missing or error.status in (400, 404)):
            raise
        # A server without tags and lists has none to keep.
        return None


def _tags(answer: Element | None) -> dict[str, str]:
    found = () if answer is None else answer.iter("Tag")
    return tagging({tag.findtext("Key", ""): tag.findtext("Value", "") for tag in found})


def _grants(answer: Element | None) -> dict[str, str]:
    """Return the grants as headers; none if only the owner has one, which is the default."""
    if answer is None:
        return {}
    owner = answer.findtext("Owner/ID", "")
    grants: dict[str, list[str]] = {}
    others = False
    for grant in answer.iter("Grant"):
        header = _GRANTS.get(grant.findtext("Permission", ""))
        grantee = grant.find("Grantee")
        if header is None or grantee is None:
            continue
        kind = next((name for name in _GRANTEES if grantee.findtext(name)), None)
        if kind is None:
            continue
        value = grantee.findtext(kind, "")
        others |= not (kind == "ID" and value == owner)
        grants.setdefault(header, []).append(f'{_GRANTEES[kind]}="{value}"')
    return {header: ", ".join(values) for header, values in grants.items()} if others else {}

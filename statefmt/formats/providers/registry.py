"""Rewrites the provider sources in a v4 document, in every address that contains one, and counts the changes.

It works on the document, not on the snapshot, because it also repairs documents that cannot become a snapshot: those
with the addresses `registry.terraform.io/-/aws` that Terraform 0.13 wrote, or with instances of one resource from
different registries.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from statefmt.formats.providers.sources import SourceChoice
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.v4 import CheckResultV4, InstanceObjectV4, OutputV4, ResourceV4, StateV4
from statefmt.golang import Members, NumberText, encode_string, loads_exact
from statefmt.golang.parse import JSONValue
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST, AbsProviderInstance, parse_legacy_provider_config
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.errors import AddressError
from statefmt.model.provider_text import Unreadable, read_instance
from statefmt.model.resources import UnknownMember
from statefmt.text.pattern import pattern

# A string in valid JSON, where every string is closed.
_STRING = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
# The host of a legacy provider in Terraform 0.13's form, in an address that otherwise has the current form.
_TERRAFORM_LEGACY = pattern(rf'(?<=provider\["){re.escape(TERRAFORM_HOST)}(?=/-/)')


class _Rewritten(NamedTuple):
    """A rewritten string, the change of source in it (from, to) if any, and the legacy type in it if unknown."""

    text: str
    change: tuple[str, str] | None = None
    unresolved: str = ""


class SourceReport(Struct):
    """Counts of addresses: rewritten ones by (old source, new source), others by unknown legacy type.

    `used` has the legacy types that occurred. `origins` says where the source of a legacy type was found, if it was
    not chosen.
    """

    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    unresolved: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)
    origins: dict[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether any source changed."""
        return bool(self.changes)


class SourceRewriter:
    """A rewriter of provider sources in documents, by one choice; `report` counts the changes."""

    def __init__(self, choice: SourceChoice) -> None:
        self.report = SourceReport()
        self._choice = choice
        # A state has few different addresses.
        self._addresses: dict[str, _Rewritten] = {}

    def document(self, document: StateV4) -> StateV4:
        """Return the document with its sources rewritten, or the same object if nothing changes.

        Raises InvalidDocument if that would give two members of one object the same name.
        """
        resources = [self._resource(resource, number) for number, resource in enumerate(document.resources or ())]
        outputs = {name: self._output(output, name) for name, output in (document.outputs or {}).items()}
        checks = [self._check_result(result, number) for number, result in enumerate(document.check_results or ())]
        unknown = self._unknown(document.unknown, "")
        if not self.report.changes:
            return document
        return replace(
            document,
            resources=resources if document.resources is not None else None,
            outputs=outputs if document.outputs is not None else None,
            check_results=checks if document.check_results else document.check_results,
            unknown=unknown,
        )

    def _resource(self, resource: ResourceV4 | None, number: int) -> ResourceV4 | None:
        if resource is None:
            return None
        pointer = f"/resources/{number}"
        instances = [self._object(obj, f"{pointer}/instances") for obj in resource.instances or ()]
        return replace(
            resource,
            provider=self._provider(resource.provider),
            instances=instances if resource.instances is not None else None,
            unknown=self._unknown(resource.unknown, pointer),
        )

    def _object(self, obj: InstanceObjectV4 | None, pointer: str) -> InstanceObjectV4 | None:
        if obj is None or not (obj.provider or obj.unknown):
            return obj
        return replace(obj, provider=self._provider(obj.provider), unknown=self._unknown(obj.unknown, pointer))

    def _output(self, output: OutputV4 | None, name: str) -> OutputV4 | None:
        if output is None or not output.unknown:
            return output
        return replace(output, unknown=self._unknown(output.unknown, f"/outputs/{name}"))

    def _check_result(self, result: CheckResultV4 | None, number: int) -> CheckResultV4 | None:
        """Rewrite a check result: if statetool does not know its kind, its addresses may be those of providers."""
        if result is None:
            return None
        pointer = f"/check_results/{number}"
        objects = [
            obj
            and replace(
                obj, object_addr=self._today(obj.object_addr), unknown=self._unknown(obj.unknown, f"{pointer}/objects")
            )
            for obj in result.objects or ()
        ]
        return replace(
            result,
            config_addr=self._today(result.config_addr),
            objects=objects if result.objects is not None else None,
            unknown=self._unknown(result.unknown, pointer),
        )

    def _provider(self, text: str | None) -> str | None:
        """Rewrite the `provider` of a resource or an instance, in the current form or that before Terraform 0.13."""
        return self._counted(text) if text else text

    def _today(self, text: str | None) -> str | None:
        """Rewrite a string that may be a provider address in the current form."""
        return self._counted(text) if text and 'provider["' in text else text

    def _unknown(self, members: tuple[UnknownMember, ...], pointer: str) -> tuple[UnknownMember, ...]:
        if not members:
            return members
        return tuple(member._replace(raw=self._raw(member.raw, f"{pointer}/{member.name}")) for member in members)

    def _raw(self, raw: Raw, pointer: str) -> Raw:
        """Rewrite each string in JSON text that as a whole is a provider address."""
        old = bytes(raw)
        if b"provider[" not in old:
            return raw
        new = _STRING.sub(self._string, old)
        if new == old:
            return raw
        if _repeated(loads_exact(new, replace_invalid=True)) > _repeated(loads_exact(old, replace_invalid=True)):
            raise InvalidDocument(pointer, "with the new source, two of its members would have the same name")
        return Raw(new)

    def _string(self, match: re.Match[bytes]) -> bytes:
        token = match[0]
        if b"provider[" not in token:
            return token
        text = loads_exact(token, replace_invalid=True)
        assert isinstance(text, str), "the token is a string"
        new = self._today(text)
        return token if new is None or new == text else encode_string(new)

    def _counted(self, text: str) -> str:
        rewritten = self._addresses.get(text)
        if rewritten is None:
            rewritten = self._addresses[text] = self._rewritten(text)
        if rewritten.change:
            self.report.changes[rewritten.change] += 1
        if rewritten.unresolved:
            self.report.unresolved[rewritten.unresolved] += 1
        return rewritten.text

    def _rewritten(self, text: str) -> _Rewritten:
        address = _read(text)
        if address is None:
            return _Rewritten(text)
        old = address.config.provider
        new = self._choice.source_of(old)
        unresolved = ""
        if old.namespace == LEGACY_NAMESPACE:
            self.report.used.add(old.type)
        if new is None:
            unresolved = old.type
            # Terraform's form of the address cannot be written: OpenTofu and statetool do not read it.
            new = replace(old, hostname=DEFAULT_HOST) if self._choice.host == DEFAULT_HOST else old
        if new == old:
            return _Rewritten(text, None, unresolved)
        written = replace(address, config=replace(address.config, provider=new))
        return _Rewritten(str(written), (str(old), str(new)), unresolved)


def _read(text: str) -> AbsProviderInstance | None:
    """Parse an address in the current form, in Terraform 0.13's or in the one before; None if it is invalid."""
    instance = read_instance(text)
    if not isinstance(instance, Unreadable):
        return instance
    if instance.in_terraform is not None:
        return instance.in_terraform
    try:
        return parse_legacy_provider_config(text).instance()
    except AddressError:
        return None


def _repeated(value: JSONValue) -> int:
    """Count the duplicate members of a JSON value, at any depth."""
    if isinstance(value, NumberText):
        return 0
    if isinstance(value, list):
        return sum(map(_repeated, value))
    if isinstance(value, Members):
        names = [name for name, _ in value]
        return len(names) - len(set(names)) + sum(_repeated(inner) for _, inner in value)
    return 0

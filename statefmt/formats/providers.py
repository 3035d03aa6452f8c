"""Finds the sources of short and legacy provider addresses (by choice, table or registry) and writes them in full."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from statefmt.formats.versions import CheckResultV4, InstanceObjectV4, InvalidDocument, ResourceV4, StateV4
from statefmt.golang import JSONValue, Members, encode_string, loads_exact
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.addrs.parsing import parse_legacy_provider_config
from statefmt.model.addrs.provider import (
    BUILTIN_HOST,
    DEFAULT_HOST,
    LEGACY_NAMESPACE,
    TERRAFORM_HOST,
    HostnameError,
    Provider,
    hostname_for_comparison,
    implied_provider,
    normalize_provider_part,
    parse_provider_source,
)
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.errors import AddressError
from statefmt.model.provider_binding import Unreadable, read_instance
from statefmt.model.snapshot import UnknownMember
from statefmt.text import pattern

PUBLIC_HOSTS: Final = (DEFAULT_HOST, TERRAFORM_HOST)
_ENGINES: Final = ((DEFAULT_HOST, "OpenTofu"), (TERRAFORM_HOST, "Terraform"))

_FORM: Final = "expected TYPE=[HOST/]NAMESPACE/TYPE, such as aws=hashicorp/aws"


def engine_of(hosts: Iterable[str]) -> str | None:
    """Return the engine whose registry all public providers come from; None if there is none or more than one."""
    used = set(hosts)
    found = [engine for host, engine in _ENGINES if host in used]
    return found[0] if len(found) == 1 else None


class LegacySource(NamedTuple):
    """The source of a provider known by its type only; if `host` is "", the registry chosen for all applies."""

    host: str
    namespace: str
    type: str


class SourceChoice(Struct, frozen=True):
    """A choice of the provider sources to rewrite, and the new sources.

    `host`: the public registry for all providers of either one; "" keeps each provider's own. `legacy`: the sources
    of providers known by their type only, besides the well-known ones.
    """

    host: str = ""
    legacy: Mapping[str, LegacySource] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is anything to rewrite."""
        return bool(self.host or self.legacy)

    def source_of(self, provider: Provider) -> Provider | None:
        """Return the new source of a provider; None if only its type is known and no source is known for that."""
        if provider.namespace == LEGACY_NAMESPACE:
            return self._legacy_source(provider)
        if self.host and provider.hostname in PUBLIC_HOSTS:
            return replace(provider, hostname=self.host)
        return provider

    def _legacy_source(self, provider: Provider) -> Provider | None:
        host = self.host or provider.hostname
        given = self.legacy.get(provider.type)
        if given is not None:
            return Provider(given.host or host, given.namespace, given.type)
        if provider.type not in KNOWN_TYPES:
            return None
        known = implied_provider(provider.type)
        return known if known.is_builtin else replace(known, hostname=host)


KEEP: Final = SourceChoice()


def source_choice(host: str, entries: Iterable[str]) -> SourceChoice:
    """Build a choice from `host` ("" to keep each provider's own) and entries such as `aws=hashicorp/aws`.

    Raises ValueError with the entry and the reason.
    """
    legacy: dict[str, LegacySource] = {}
    said: dict[str, str] = {}
    for entry in entries:
        type_, source = _parse_entry(entry)
        if legacy.setdefault(type_, source) != source:
            raise ValueError(f"{entry}: the type {type_} already has another source: {said[type_]}")
        said.setdefault(type_, entry)
        if host and source.host in PUBLIC_HOSTS and source.host != host:
            raise ValueError(f"{entry}: all providers come from {host}; omit the host from the source")
    return SourceChoice(host, legacy)


def _parse_entry(entry: str) -> tuple[str, LegacySource]:
    type_, equals, text = entry.partition("=")
    if not equals:
        raise ValueError(f"{entry or 'the entry is empty'}: {_FORM}")
    if not type_:
        raise ValueError(f"{entry}: no type before the =; {_FORM}")
    if not is_identifier(type_):
        raise ValueError(f"{entry}: {type_!r} is not a valid provider type; {_FORM}")
    if not text:
        raise ValueError(f"{entry}: no source after the =; {_FORM}")
    parts = text.split("/")
    if len(parts) == 1:
        raise ValueError(f"{entry}: the source has no namespace; {_FORM}")
    if len(parts) > 3 or "" in parts:
        raise ValueError(f"{entry}: invalid source; {_FORM}")
    if parts[-2] == LEGACY_NAMESPACE:
        raise ValueError(f"{entry}: the namespace - does not identify a source; {_FORM}")
    provider = _parse_source(entry, text, parts)
    host = provider.hostname if len(parts) == 3 else ""
    normal = str(provider) if host else f"{provider.namespace}/{provider.type}"
    if text != normal:
        raise ValueError(f"{entry}: the source is not in normal form; write {type_}={normal}")
    if host == BUILTIN_HOST and not provider.is_builtin:
        raise ValueError(f"{entry}: {BUILTIN_HOST} has only built-in providers, not {normal}")
    return type_, LegacySource(host, provider.namespace, provider.type)


def _parse_source(entry: str, text: str, parts: Sequence[str]) -> Provider:
    """Parse the provider. Raises ValueError that names the invalid part; OpenTofu's own errors confuse the parts."""
    for part, name in zip(parts[-2:], ("namespace", "type"), strict=True):
        try:
            normalize_provider_part(part)
        except ValueError as error:
            raise ValueError(f"{entry}: the {name} {part!r} is not valid: {error}") from None
    try:
        hostname_for_comparison(parts[0] if len(parts) == 3 else DEFAULT_HOST)
    except HostnameError as error:
        raise ValueError(f"{entry}: the host {parts[0]!r} is not valid: {error}") from None
    try:
        return parse_provider_source(text)
    except AddressError as error:
        raise ValueError(f"{entry}: {' '.join(error.detail.split())}") from None


# `terraform` is the built-in provider.
KNOWN_TYPES: Final = frozenset({
    "archive", "aws", "azuread", "azurerm", "azurestack", "cloudinit", "consul", "dns", "external", "google",
    "google-beta", "helm", "http", "kubernetes", "local", "nomad", "null", "random", "template", "terraform", "tfe",
    "time", "tls", "vault", "vsphere",
})  # fmt: skip


# A string in valid JSON, where every string is closed.
_STRING = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


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
        outputs = {
            name: output and replace(output, unknown=self._unknown(output.unknown, f"/outputs/{name}"))
            for name, output in (document.outputs or {}).items()
        }
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
        provider, unknown = self._provider(resource.provider), self._unknown(resource.unknown, pointer)
        given = instances if resource.instances is not None else None
        return replace(resource, provider=provider, instances=given, unknown=unknown)

    def _object(self, obj: InstanceObjectV4 | None, pointer: str) -> InstanceObjectV4 | None:
        if obj is None or not (obj.provider or obj.unknown):
            return obj
        return replace(obj, provider=self._provider(obj.provider), unknown=self._unknown(obj.unknown, pointer))

    def _check_result(self, result: CheckResultV4 | None, number: int) -> CheckResultV4 | None:
        """Rewrite a check result: if statetool does not know its kind, its addresses may be provider addresses."""
        if result is None:
            return None
        pointer = f"/check_results/{number}"
        objects = []
        for obj in result.objects or ():
            unknown = self._unknown(obj.unknown, f"{pointer}/objects") if obj else ()
            objects.append(obj and replace(obj, object_addr=self._today(obj.object_addr), unknown=unknown))
        given, unknown = objects if result.objects is not None else None, self._unknown(result.unknown, pointer)
        return replace(result, config_addr=self._today(result.config_addr), objects=given, unknown=unknown)

    def _provider(self, text: str | None) -> str | None:
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
    """Parse an address in the current form, in Terraform 0.13's or in the form before that; None if it is invalid."""
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
    if isinstance(value, list):
        return sum(map(_repeated, value))
    if isinstance(value, Members):
        return len(value) - len(dict(value)) + sum(_repeated(inner) for _, inner in value)
    return 0


def short_addresses(document: StateV4) -> Counter[str]:
    """Return the number of resources by provider type, without resources of the built-in provider."""
    texts = Counter(resource.provider for resource in document.resources or () if resource and resource.provider)
    types: Counter[str] = Counter()
    for text, count in texts.items():
        try:
            provider = parse_legacy_provider_config(text).provider
        except AddressError:
            continue
        if provider.namespace == LEGACY_NAMESPACE:
            types[provider.type] += count
    return types


def types_without_source(document: StateV4) -> Counter[str]:
    """Like short_addresses(), with Terraform's own form of these addresses, `registry.terraform.io/-/aws`."""
    types = short_addresses(document)
    for provider, count in _providers(document).items():
        if provider.namespace == LEGACY_NAMESPACE and provider.hostname == TERRAFORM_HOST:
            types[provider.type] += count
    return types


def full_sources(document: StateV4) -> list[Provider]:
    """Return the providers of resources and instances whose address has a host, without built-in ones.

    Includes addresses with Terraform's host and the namespace `-`: they show which registry the state uses.
    """
    return [provider for provider in _providers(document) if not (provider.is_legacy or provider.is_builtin)]


def _providers(document: StateV4) -> Counter[Provider]:
    """Return the providers of resources and instances in the current form, with the number of their addresses."""
    resources = [resource for resource in document.resources or () if resource]
    texts = Counter(resource.provider for resource in resources)
    texts.update(obj.provider for resource in resources for obj in resource.instances or () if obj)
    found: Counter[Provider] = Counter()
    for text, count in texts.items():
        read = read_instance(text) if text else None
        address = read.in_terraform if isinstance(read, Unreadable) else read
        if address is not None:
            found[address.config.provider] += count
    return found

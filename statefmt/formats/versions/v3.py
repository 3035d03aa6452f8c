"""Defines format versions 2 and 3 as written in the file, and upgrades version 3 to 4.

They have the same members; only the meaning of counts in flat attributes differs.
Source: OpenTofu `internal/states/statefile/version2.go`, `version3.go` (commit 328af77d65).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from statefmt.formats.raw_json import equals, token
from statefmt.formats.versions import (
    FormatObject,
    InstanceObjectV4,
    InvalidDocument,
    OutputV4,
    ResourceV4,
    StateV4,
    UpgradeFailed,
    UpgradeReport,
)
from statefmt.golang import NumberText, encode_value, float64, loads_exact
from statefmt.model.addrs import (
    NO_KEY,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    LocalProviderConfig,
    Module,
    Resource,
    ResourceInstance,
    ResourceMode,
    instance_file_order,
)
from statefmt.model.addrs.parsing import parse_legacy_provider_config, parse_local_provider_config
from statefmt.model.addrs.provider import Provider
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.cty import upgrade_output as upgrade_value
from statefmt.model.errors import AddressError
from statefmt.text import pattern

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_Unsigned = Annotated[int, Meta(ge=0)]


class RemoteV1(FormatObject):
    """`remote`: where Terraform before 0.9 kept the state (versions 1 and 2)."""

    type: str | None = None
    config: dict[str, str | None] | None = None


class BackendV3(FormatObject):
    """`backend`: which backend a configuration was initialised with."""

    type: str | None = None
    config: Raw | UnsetType = UNSET
    hash: _Unsigned | None = None


class OutputV3(FormatObject):
    """One output in versions 2 and 3."""

    sensitive: bool | None = None
    type: str | None = None
    value: Raw | UnsetType = UNSET


class InstanceV3(FormatObject):
    """One object in versions 2 and 3; `meta` holds the later members `schema_version` and `private`."""

    id: str | None = None
    attributes: dict[str, str | None] | None = None
    meta: dict[str, Raw] | None = None
    tainted: bool | None = None


class ResourceV3(FormatObject):
    """One resource instance in versions 2 and 3."""

    type: str | None = None
    depends_on: list[str | None] | None = None
    primary: InstanceV3 | None = None
    deposed: list[InstanceV3 | None] | None = None
    provider: str | None = None


class ModuleV3(FormatObject):
    """One module in versions 2 and 3."""

    path: list[str | None] | None = None
    outputs: dict[str, OutputV3 | None] | None = None
    resources: dict[str, ResourceV3 | None] | None = None
    depends_on: list[str | None] | None = None


class StateV3(FormatObject):
    """A whole document of format version 2 or 3."""

    version: Int64 | None = None
    terraform_version: str | None = None
    serial: Int64 | None = None
    lineage: str | None = None
    remote: RemoteV1 | None = None
    backend: BackendV3 | None = None
    state_store: Raw | UnsetType = UNSET
    modules: list[ModuleV3 | None] | None = None


# How type descriptions of version 4 start, for each type that version 3 has.
_MEANINGS: Final = {"string": (b'"',), "list": (b'["list"', b'["tuple"'), "map": (b'["map"', b'["object"')}


# A path of more modules is deep. The addresses of all objects in deep modules may have so many characters together:
# format 4 repeats the path for each, so a small file could become one of many gigabytes.
_DEEP: Final = 200
_LONGEST: Final = 1 << 24
# Size of the cache of module paths, of all files of a run.
_KEPT: Final = 256
# Older formats may omit the release; OpenTofu then writes this one.
_NO_RELEASE = "0.0.0"
_MODES = {ResourceMode.MANAGED: "managed", ResourceMode.DATA: "data"}


def upgrade_v3(old: StateV3, report: UpgradeReport) -> StateV4:
    """Return the same state as a document of version 4. Raises UpgradeFailed if that is impossible."""
    if old.serial is not None and old.serial < 0:
        raise UpgradeFailed(3, "the state has a serial less than zero", "/serial")
    report.unknown("", old.unknown)
    _report_backend(old, report)
    if not old.terraform_version:
        report.chose(f'terraform_version is missing, so "{_NO_RELEASE}" is written', "", "/terraform_version")
    resources: list[ResourceV4 | None] = []
    outputs: dict[str, OutputV4 | None] = {}
    repeated = 0
    for number, given in enumerate(old.modules or ()):
        pointer = f"/modules/{number}"
        if given is None:
            raise UpgradeFailed(3, "a module is null", pointer)
        try:
            module, address = _module(tuple(given.path or ()))
        except ValueError as error:
            raise UpgradeFailed(3, str(error), f"{pointer}/path") from error
        depth = len(given.path or ()) - 1
        if depth > _DEEP:
            repeated += len(address) * sum(
                1 + len(one.deposed or ()) for one in (given.resources or {}).values() if one
            )
            if repeated > _LONGEST:
                reason = f"a module is {depth:,} modules deep, too deep for so many objects"
                raise UpgradeFailed(3, reason, f"{pointer}/path")
        report.unknown(pointer, given.unknown, address)
        if given.depends_on:
            report.dropped(f"its dependencies ({_listed(given.depends_on)})", address, f"{pointer}/depends_on")
        resources += _resources(given, module, address, pointer, report)
        if not module:
            outputs |= _outputs(given.outputs or {}, pointer, report)
        elif given.outputs:
            names = _listed(given.outputs)
            report.dropped(f"its outputs ({names}), which each run recomputes", address, f"{pointer}/outputs")
    return StateV4(
        terraform_version=old.terraform_version or _NO_RELEASE,
        serial=old.serial,
        lineage=old.lineage,
        outputs=outputs,
        resources=resources,
    )


def _report_backend(old: StateV3, report: UpgradeReport) -> None:
    """Report the members that locate the state: alone, they make the file the record that `init` writes."""
    has_store = old.state_store is not UNSET and not equals(old.state_store, b"null")
    given = (("backend", old.backend is not None), ("state_store", has_store), ("remote", old.remote is not None))
    present = [name for name, is_given in given if is_given]
    holds_something = any(module and (module.resources or module.outputs) for module in old.modules or ())
    if present and not holds_something:
        report.backend_configuration(present[0])
        return
    for member in present:
        report.dropped(f'the block "{member}": the configuration says where the state is stored', "", f"/{member}")


@lru_cache(maxsize=_KEPT)
def _module(given: tuple[str | None, ...]) -> tuple[Module, str]:
    """Return the module that a path names, and its address. Raises ValueError with the reason if it is invalid."""
    path = [name or "" for name in given]
    if not path or path[0] != "root":
        raise ValueError(f'the module path {path} does not start with "root"')
    for name in path[1:]:
        if not is_identifier(name):
            raise ValueError(
                f"the module path {path} contains {name!r}, which is not a valid identifier; rename the module with "
                "Terraform 0.11 first"
            )
    module = Module(tuple(path[1:]))
    return module, str(module)


def _resources(
    given: ModuleV3, module: Module, address: str, pointer: str, report: UpgradeReport
) -> list[ResourceV4 | None]:
    """Return the module's instances, grouped by resource, the lowest key of each first."""
    gathered: dict[Resource, list[ResourceEntry]] = {}
    for name, document in (given.resources or {}).items():
        try:
            addr = parse_legacy_address(name)
            if document is None:
                raise ValueError(f"the resource {name!r} is null")
        except ValueError as error:
            raise UpgradeFailed(3, str(error), f"{pointer}/resources/{token(name)}", name) from error
        gathered.setdefault(addr.resource, []).append(ResourceEntry(address, pointer, name, addr, document))
    for entries in gathered.values():
        if len(entries) > 1:
            entries.sort(key=lambda entry: instance_file_order(entry.addr.key))
    return [_resource(resource, entries, module, report) for resource, entries in gathered.items()]


def _resource(resource: Resource, entries: list[ResourceEntry], module: Module, report: UpgradeReport) -> ResourceV4:
    objects: list[InstanceObjectV4 | None] = []
    for entry in entries:
        document = entry.document
        if document.unknown:
            report.unknown(entry.pointer, document.unknown, entry.text)
        if document.depends_on:
            what = f"its dependencies ({_listed(document.depends_on)})"
            report.dropped(what, entry.text, f"{entry.pointer}/depends_on")
        if document.type and document.type != resource.type:
            what = f"its type {document.type!r}, which differs from its address"
            report.dropped(what, entry.text, f"{entry.pointer}/type")
        objects += upgrade_instance(entry, report)
    return ResourceV4(
        module=entries[0].module,
        mode=_MODES[resource.mode],
        type=resource.type,
        name=resource.name,
        provider=resource_provider(resource, module, entries, report),
        instances=objects,
    )


def _outputs(given: Mapping[str, OutputV3 | None], pointer: str, report: UpgradeReport) -> dict[str, OutputV4 | None]:
    outputs: dict[str, OutputV4 | None] = {}
    for name, output in given.items():
        place = f"{pointer}/outputs/{token(name)}"
        if output is None:
            raise UpgradeFailed(3, f"the output {name!r} is null", place, f"output.{name}")
        report.unknown(place, output.unknown, f"output.{name}")
        outputs[name] = _output(output, name, place, report)
    return outputs


def _listed(names: Collection[str | None]) -> str:
    shown = ", ".join([str(name) for name in islice(names, 5)])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def _output(old: OutputV3, name: str, pointer: str, report: UpgradeReport) -> OutputV4:
    """Return the output in version 4. Its old type is not used: it only distinguishes string, list and map."""
    raw = bytes(old.value) if isinstance(old.value, Raw) else b"null"
    try:
        value, type_ = upgrade_value(loads_exact(raw, replace_invalid=True))
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/value", str(error)) from error
    if old.type and not type_.startswith(_MEANINGS.get(old.type, ())) and type_ != b'"dynamic"':
        report.dropped(f"its type {old.type!r}, which does not fit its value", f"output.{name}", f"{pointer}/type")
    return OutputV4(value=Raw(value), type=Raw(type_), sensitive=old.sensitive)


# Size of the cache of metadata, of all files of a run.
_INSTANCES_KEPT: Final = 1024
_UINT64_MAX: Final = 2**64 - 1
_DIGITS: Final = pattern(r"[0-9]{1,40}", re.ASCII)


def upgrade_instance(entry: ResourceEntry, report: UpgradeReport) -> list[InstanceObjectV4]:
    """Return the current object, if any, and the deposed ones under numbered keys."""
    objects = []
    if entry.document.primary is not None:
        objects.append(_object(entry.document.primary, entry, "primary", "", report))
    for number, deposed in enumerate(entry.document.deposed or ()):
        place = f"deposed/{number}"
        if deposed is None:
            reason = f"a deposed object of {entry.text!r} is null"
            raise UpgradeFailed(3, reason, f"{entry.pointer}/{place}", entry.text)
        key = f"{number + 1:08x}"
        report.chose(f"a deposed object without a key gets the key {key}", entry.text, f"{entry.pointer}/{place}")
        objects.append(_object(deposed, entry, place, key, report))
    return objects


def _object(old: InstanceV3, entry: ResourceEntry, place: str, deposed: str, report: UpgradeReport) -> InstanceObjectV4:
    """Return one object; `place` is its pointer within the entry."""
    if old.unknown:
        report.unknown(f"{entry.pointer}/{place}", old.unknown, entry.text)
    key = entry.addr.key
    try:
        schema_version, private = _meta(tuple([(name, bytes(raw)) for name, raw in (old.meta or {}).items()]))
    except ValueError as error:
        raise InvalidDocument(f"{entry.pointer}/{place}/meta", str(error)) from error
    return InstanceObjectV4(
        index_key=key.value if isinstance(key, IntKey) else None,
        status="tainted" if old.tainted else None,
        deposed=deposed,
        schema_version=schema_version,
        attributes_flat=_attributes(old, entry, place, report),
        private=private,
    )


def _attributes(
    old: InstanceV3, entry: ResourceEntry, place: str, report: UpgradeReport
) -> dict[str, str | None] | None:
    """Return the flat attributes, with the object's `id` if they have none."""
    attributes = old.attributes or {}
    given = attributes.get("id")
    if old.id and not given:
        return {**attributes, "id": old.id}
    if old.id and given != old.id:
        # The id of some resources is a secret, so the message shows neither.
        what = 'its id, which differs from its attribute "id"'
        report.dropped(what, entry.text, f"{entry.pointer}/{place}/id")
    return old.attributes


@lru_cache(maxsize=_INSTANCES_KEPT)
def _meta(meta: tuple[tuple[str, bytes], ...]) -> tuple[int, str]:
    """Return the schema version, which the SDK then kept in `meta`, and the rest of `meta` as private data.

    Cached because most objects of a provider have the same. Raises ValueError for a value that Go rejects.
    """
    members = {name: loads_exact(text, replace_invalid=True) for name, text in meta}
    schema_version = _schema_version(members.get("schema_version"))
    if schema_version is not None:
        del members["schema_version"]
    return schema_version or 0, base64.b64encode(encode_value(members)).decode() if members else ""


def _schema_version(value: object) -> int | None:
    """Return the version in a `schema_version` of `meta`; None if it is invalid and stays private data.

    Raises ValueError for a number beyond float64, which Go rejects.
    """
    if isinstance(value, NumberText):
        # As Go converts a float on amd64, even if it is out of range.
        whole = int(float64(value))
        return whole % 2**64 if -(2**63) <= whole <= _UINT64_MAX else 2**63
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) and int(value) <= _UINT64_MAX else None
    return None


# Cache sizes for the providers of all files of a run; a state has few different ones.
_PROVIDERS_KEPT: Final = 4096


def resource_provider(
    resource: Resource, module: Module, entries: Sequence[ResourceEntry], report: UpgradeReport
) -> str:
    """Return the provider address of a resource, in the legacy form that version 4 allows.

    The first of the entries, its instances, has the lowest key. Raises UpgradeFailed if the provider is invalid.
    """
    first = entries[0]
    provider = first.document.provider or ""
    try:
        chosen = _provider_config(resource, module, provider)
    except AddressError as error:
        reason = _reason(provider, first.text, error)
        raise UpgradeFailed(3, reason, f"{first.pointer}/provider", first.text) from error
    for entry in entries[1:]:
        other = entry.document.provider or ""
        if other == provider:
            continue
        with suppress(AddressError):
            if _provider_config(resource, module, other) == chosen:
                continue
        what = (
            f"its provider is {other!r}, but {first.text} has {provider!r}; all instances of the resource get the "
            "latter, that of the lowest key"
        )
        report.chose(what, entry.text, f"{entry.pointer}/provider")
    return _legacy_text(chosen)


def _provider_config(resource: Resource, module: Module, text: str) -> ConfigProviderConfig:
    if not text:
        return ConfigProviderConfig(module, Provider.legacy(resource.implied_provider()), "")
    parsed = _parsed(text)
    if isinstance(parsed, ConfigProviderConfig):
        return parsed
    return ConfigProviderConfig(module, Provider.legacy(parsed.local_name), parsed.alias)


@lru_cache(maxsize=_PROVIDERS_KEPT)
def _parsed(text: str) -> ConfigProviderConfig | LocalProviderConfig:
    return parse_legacy_provider_config(text) if "provider." in text else parse_local_provider_config(text)


@lru_cache(maxsize=_PROVIDERS_KEPT)
def _legacy_text(config: ConfigProviderConfig) -> str:
    return config.legacy_str()


def _reason(provider: str, text: str, error: AddressError) -> str:
    reason = f"the provider reference {provider!r} of {text} is not valid ({error.summary}: {error.detail})"
    if "${" in provider:
        reason += (
            "; it seems to contain a template interpolation, which Terraform 0.11 accepted silently. Give the "
            "provider alias a plain name and apply that with Terraform 0.11 first"
        )
    return reason


class ResourceEntry(Struct, frozen=True, gc=False):
    """An instance of a resource. Its address and pointer are built for messages only."""

    module: str
    within: str
    name: str
    addr: ResourceInstance
    document: ResourceV3

    @property
    def text(self) -> str:
        """The full address, in the current form."""
        return f"{self.module}.{self.addr}" if self.module else str(self.addr)

    @property
    def pointer(self) -> str:
        """The pointer to the entry; `within` is the pointer of its module."""
        return f"{self.within}/resources/{token(self.name)}"


# Numbers as Go reads them with base 0: a prefix gives the base, and underscores may separate digits.
_NUMBER = pattern(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>(?:_?[0-9a-fA-F])+)|0[bB](?P<bin>(?:_?[01])+)|0[oO]?(?P<oct>(?:_?[0-7])+)"
    r"|(?P<dec>0|[1-9](?:_?[0-9])*))"
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_INT64 = range(-(2**63), 2**63)


def parse_legacy_address(text: str) -> ResourceInstance:
    """Parse the address of an instance. Raises ValueError with the reason if it is invalid."""
    parts = text.split(".")
    mode = ResourceMode.MANAGED
    if len(parts) > 2 and parts[0] == "data":
        mode = ResourceMode.DATA
        parts = parts[1:]
    if not 2 <= len(parts) <= 3:
        raise ValueError(f"invalid internal resource address format: {text}")
    key: InstanceKey = NO_KEY
    if len(parts) == 3:
        number = _number(parts[2])
        if number is None:
            raise ValueError(f'error parsing resource address "{text}": "{parts[2]}" is not a whole number')
        key = IntKey(number)
    return ResourceInstance(Resource(mode, parts[0], parts[1]), key)


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 80 or match.lastgroup is None:
        return None
    base = match.lastgroup
    value = int(match["sign"] + match[base].replace("_", ""), _BASES[base])
    return value if value in _INT64 else None

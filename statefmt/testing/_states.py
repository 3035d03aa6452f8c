"""Builds states for tests from short descriptions of their objects and outputs, and compares states by content."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from statefmt.formats import Layout, Style
from statefmt.formats.reading import inspect, read
from statefmt.formats.writing import canonical
from statefmt.golang import loads_exact
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    IntKey,
    Module,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_abs_resource_instance,
    parse_config_resource,
    parse_local_provider_instance,
)
from statefmt.model.addrs.provider import implied_provider, parse_provider_source
from statefmt.model.addrs.traversal import Attr, is_identifier, parse_traversal
from statefmt.model.cty import encode_type, implied_type
from statefmt.model.findings import Code, Severity
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot

if TYPE_CHECKING:
    from statefmt.analysis.diff.model import SnapshotDiff


# JSON values by name.
FakeAttributes: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class FakeResource:
    """One object of a resource instance: the current object, or a deposed one.

        FakeResource('module.net["a"].aws_subnet.this[0]', {"cidr_block": "10.0.0.0/24"}, provider="aws.west")

    `attributes` are JSON values: None, bool, int, float, Decimal, str, and lists and mappings of them. A missing `id`
    is added; it depends only on the address. `provider` is a local name (`aws`, `aws.west`, `aws.by_region["eu"]`), a
    source (`acme/cloud`) or a full address of a provider instance; "" is the default provider of the resource type.
    Sources without a host belong to registry.opentofu.org. `dependencies` are addresses without keys. `deposed` is
    the key of a deposed object, such as `7c1f00aa`; "" means the current object. `sensitive` are paths into the
    attributes: `password`, `tags["Owner"]`, `rule[0].secret`. `identity` has JSON values like the attributes; None
    means that the provider returned none. `private` is the provider's private data in bytes. `attributes_flat` are
    strings by name (`tags.%`, `rule.0.port`), instead of `attributes`, as in states from before Terraform 0.12.
    """

    address: str
    attributes: FakeAttributes = field(default_factory=dict)
    _: KW_ONLY
    provider: str = ""
    dependencies: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    tainted: bool = False
    deposed: str = ""
    schema_version: int = 0
    create_before_destroy: bool = False
    identity: FakeAttributes | None = None
    identity_schema_version: int = 0
    private: bytes = b""
    attributes_flat: Mapping[str, str] | None = None


@dataclass(frozen=True)
class FakeOutput:
    """An output value; use it in place of the bare value to make it sensitive. Its type is implied by the value."""

    value: object
    _: KW_ONLY
    sensitive: bool = False


# Attributes by address, or addresses, FakeResource values and such mappings in any order.
FakeResources: TypeAlias = Mapping[str, FakeAttributes] | Iterable[str | FakeResource | Mapping[str, FakeAttributes]]
_VERSION: Final = 4
_RELEASE: Final = "1.12.0"
_LINEAGE: Final = "00000000-0000-4000-8000-000000000000"

# By the severity of the rule: while reading, findings that only statetool reports are information.
_ERRORS: Final = frozenset(code for code in Code if code.severity is Severity.ERROR)


def make_state(
    resources: FakeResources = (),
    outputs: Mapping[str, object] | None = None,
    *,
    version: int = _VERSION,
    terraform_version: str = _RELEASE,
    serial: int = 1,
    lineage: str = _LINEAGE,
    layout: Literal["indent", "compact"] = "indent",
) -> bytes:
    """Return the bytes of a state, in the canonical form that OpenTofu writes; equal arguments give equal bytes.

        make_state(["aws_vpc.main", 'aws_subnet.a["x"]'], {"vpc": "vpc-1"})
        make_state({"aws_vpc.main": {"id": "vpc-1", "cidr_block": "10.0.0.0/16"}})

    Args:
        resources: Addresses of resource instances, mappings of address to attributes, and FakeResource values, in any
            order. Instances of one resource share one provider configuration and may differ in its key.
        outputs: Values by name; FakeOutput makes one sensitive.
        version: The format version; only 4, which every release since Terraform 0.12 writes.
        terraform_version: The release that wrote the state; "" for none.
        serial: From 0 to 2**64-1.
        lineage: The lineage; "" for none.
        layout: `indent`, as in local files, or `compact`, on one line.

    Raises:
        ValueError: An argument is invalid; the message says which and why. AddressError, a subclass, for an address.
    """
    if version != _VERSION:
        raise ValueError(f"format version {version} cannot be made, only version {_VERSION}")
    if not 0 <= serial <= HIGHEST_SERIAL:
        raise ValueError(f"serial {serial} is not between 0 and {HIGHEST_SERIAL}")
    members = {
        "version": _json_text(version, "version"),
        "terraform_version": _json_text(terraform_version, "terraform_version"),
        "serial": _json_text(serial, "serial"),
        "lineage": _json_text(lineage, "lineage"),
        "outputs": _object({name: _output(name, value) for name, value in (outputs or {}).items()}),
        "resources": _array(_blocks(resources)),
        "check_results": "null",
    }
    inspection = inspect(_object(members).encode())
    reasons = [finding for finding in inspection.findings if finding.code in _ERRORS]
    if inspection.snapshot is None or reasons:
        raise ValueError("; ".join(f"{f.address or 'the state'}: {f.summary}: {f.detail}" for f in reasons))
    return canonical(inspection.snapshot, Style(Layout(layout)))


def _fakes(resources: FakeResources) -> Iterator[FakeResource]:
    if isinstance(resources, str):
        raise ValueError(f"resources is the string {resources!r}; give a list of addresses")
    for one in [resources] if isinstance(resources, Mapping) else resources:
        if isinstance(one, FakeResource):
            yield one
        elif isinstance(one, str):
            yield FakeResource(one)
        elif isinstance(one, Mapping):
            yield from (FakeResource(address, attributes) for address, attributes in one.items())
        else:
            raise ValueError(f"{one!r} is neither an address nor a mapping nor a FakeResource")


def _blocks(resources: FakeResources) -> Iterator[str]:
    """Yield the elements of `resources`; each object names its own provider instance."""
    heads: dict[str, dict[str, str]] = {}
    instances: dict[str, list[str]] = {}
    known = set()
    for fake in _fakes(resources):
        addr = parse_abs_resource_instance(fake.address)
        if (addr, fake.deposed) in known:
            what = f"deposed objects {fake.deposed}" if fake.deposed else "current objects"
            raise ValueError(f"{addr} has two {what}; give each object once")
        known.add((addr, fake.deposed))
        block = str(addr.containing_resource())
        heads.setdefault(block, _head(addr))
        instances.setdefault(block, []).append(_instance(addr, fake))
    for block, head in heads.items():
        yield _object({**head, "instances": _array(instances[block])})


def _head(addr: AbsResourceInstance) -> dict[str, str]:
    resource = addr.resource.resource
    if resource.mode is ResourceMode.EPHEMERAL:
        raise ValueError(f"{addr}: a state has no ephemeral resources")
    head = {"mode": resource.mode.value, "type": resource.type, "name": resource.name}
    if addr.module:
        head = {"module": str(addr.module), **head}
    return {name: _json_text(value, name) for name, value in head.items()}


def _instance(addr: AbsResourceInstance, fake: FakeResource) -> str:
    if addr.resource.resource.mode is ResourceMode.DATA and (fake.tainted or fake.deposed):
        raise ValueError(f"{addr}: an object of a data source is neither tainted nor deposed")
    members: dict[str, object] = {}
    if isinstance(addr.key, IntKey | StringKey):
        members["index_key"] = addr.key.value
    if fake.tainted:
        members["status"] = "tainted"
    if fake.deposed:
        members["deposed"] = fake.deposed
    members["provider"] = str(_provider(addr.resource.resource, fake.provider))
    members["schema_version"] = fake.schema_version
    default_id = f"fake-{sha256(f'{addr} {fake.deposed}'.encode()).hexdigest()[:12]}"
    if fake.attributes_flat is None:
        members["attributes"] = {"id": default_id, **fake.attributes}
    elif fake.attributes:
        raise ValueError(f"{addr}: give either attributes or attributes_flat")
    else:
        members["attributes_flat"] = {"id": default_id, **fake.attributes_flat}
    members["sensitive_attributes"] = [_path(path) for path in fake.sensitive]
    if fake.identity is not None:
        members["identity_schema_version"] = fake.identity_schema_version
        members["identity"] = fake.identity
    if fake.private:
        members["private"] = b64encode(fake.private).decode()
    if fake.dependencies:
        members["dependencies"] = [str(parse_config_resource(address)) for address in fake.dependencies]
    if fake.create_before_destroy:
        members["create_before_destroy"] = True
    return _json_text(members, str(addr))


def _provider(resource: Resource, text: str) -> AbsProviderInstance:
    if "provider[" in text:
        return parse_abs_provider_instance(text)
    if "/" in text and "[" not in text:
        return ConfigProviderConfig(Module(), parse_provider_source(text)).instance()
    local = parse_local_provider_instance(text or resource.implied_provider())
    config = ConfigProviderConfig(Module(), implied_provider(local.config.local_name), local.config.alias)
    return config.instance(local.key)


def _path(text: str) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = []
    for step in parse_traversal(text):
        if isinstance(step, Attr):
            steps.append({"type": "get_attr", "value": step.name})
        elif isinstance(step.key, IntKey | StringKey):
            kind = "number" if isinstance(step.key, IntKey) else "string"
            steps.append({"type": "index", "value": {"value": step.key.value, "type": kind}})
        else:
            raise ValueError(f"{text!r}: an index must be a string or a whole number")
    return steps


def _output(name: str, value: object) -> str:
    if not is_identifier(name):
        raise ValueError(f"{name!r} is not a valid name of an output")
    fake = value if isinstance(value, FakeOutput) else FakeOutput(value)
    if fake.value is None:
        raise ValueError(f"output {name}: OpenTofu stores no outputs that are null")
    text = _json_text(fake.value, f"output {name}")
    members = {"value": text, "type": encode_type(implied_type(loads_exact(text.encode()))).decode()}
    return _object({**members, "sensitive": "true"} if fake.sensitive else members)


def _json_text(value: Any, where: str) -> str:
    """Return a value as JSON text. Raises ValueError if JSON has none for it; `where` names it in the message."""
    if value is None or isinstance(value, bool | int | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            raise ValueError(f"{where}: {value} is not a number in JSON")
        return str(value) if isinstance(value, Decimal) else json.dumps(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise ValueError(f"{where}: the key {name!r} is not a string")
        return _object({name: _json_text(item, f"{where}: {name}") for name, item in value.items()})
    if isinstance(value, list | tuple):
        return _array(_json_text(item, f"{where}[{number}]") for number, item in enumerate(value))
    raise ValueError(f"{where}: {value!r} is not a JSON value")


def _object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in members.items()) + "}"


def _array(texts: Iterable[str]) -> str:
    return "[" + ",".join(texts) + "]"


class ComparableState:
    """A state that equals another one if `statetool diff` reports no differences; made by `as_state()`.

    Order, white space and the layout of the file make no difference; serial and lineage do.
    """

    __slots__ = ("snapshot", "version")

    def __init__(self, snapshot: Snapshot, version: int = 4) -> None:
        self.snapshot = snapshot
        self.version = version

    def __eq__(self, other: object) -> bool:
        return not differences(self, other) if isinstance(other, ComparableState) else NotImplemented

    # Equal states may have different bytes.
    __hash__ = None  # type: ignore[assignment]  # how Python says that values cannot be hashed

    def __repr__(self) -> str:
        return f"<state with serial {self.snapshot.serial} and {len(self.snapshot.resources)} resources>"


def as_state(state: bytes | Snapshot) -> ComparableState:
    """Return a state that `assert as_state(old) == as_state(new)` compares by content.

    If the assertion fails, pytest prints the output of `statetool diff`, with sensitive values hidden. Plain bytes
    are compared as bytes. Raises StateError if the bytes are not a readable state.
    """
    if not isinstance(state, bytes):
        return ComparableState(state)
    result = read(state)
    return ComparableState(result.snapshot, result.version)


def assert_same_state(old: bytes | Snapshot, new: bytes | Snapshot, ignore: Collection[str] = ("serial",)) -> None:
    """Fail if two states differ, with the output of `statetool diff`; sensitive values are hidden.

        assert_same_state(before, after)
        assert_same_state(before, after, ignore=("serial", "lineage", "tainted"))

    Args:
        old: The bytes or the snapshot of a state.
        new: The bytes or the snapshot of the state to compare.
        ignore: Differences to ignore: `serial`, `lineage`, `terraform_version`, `version`, and the kinds that
            `statetool diff --ignore` accepts, such as `tainted`, `dependencies` or `outputs`.

    Raises:
        AssertionError: The states differ.
        StateError: The bytes are not a readable state.
        ValueError: `ignore` has an unknown name.
    """
    __tracebackhide__ = True  # pytest shows the line that calls this function
    changes = differences(as_state(old), as_state(new), ignore)
    if changes:
        raise AssertionError("\n".join(["the states differ:", *difference_lines(changes)]))


def differences(old: ComparableState, new: ComparableState, ignore: Collection[str] = ()) -> SnapshotDiff:
    """Compare two states. Raises ValueError if `ignore` has an unknown name."""
    # Heavy imports wait for the first comparison: most tests only build states.
    from statefmt.analysis.diff import diff
    from statefmt.analysis.diff.model import Kind, kinds, narrowed

    members = {"serial", "lineage", "terraform_version", "version"}
    unknown = set(ignore) - members - set(Kind)
    if isinstance(ignore, str) or unknown:
        names = ", ".join(sorted(members | set(Kind)))
        raise ValueError(f"ignore: {', '.join(sorted(unknown)) or ignore}: give a collection of: {names}")
    changes = diff(old.snapshot, new.snapshot, versions=(old.version, new.version))
    changes = narrowed(changes, kinds(ignored=[Kind(name) for name in ignore if name not in members]))
    return replace(changes, envelope=tuple(change for change in changes.envelope if change.name not in ignore))


def difference_lines(changes: SnapshotDiff) -> list[str]:
    """Return the lines that `statetool diff` prints, for 80 columns."""
    from statefmt.render.diff import Manner, diff_text
    from statefmt.render.terminal import Terminal

    return "\n".join(diff_text(changes, Manner(), Terminal())).split("\n")

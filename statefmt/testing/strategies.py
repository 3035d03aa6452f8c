"""Strategies for Hypothesis: addresses, states, snapshots, and edits of them. Needs the extra `testing`.

    from hypothesis import given
    from statefmt.testing import strategies as some

    @given(data=some.states())
    def test_inventory(data: bytes) -> None: ...

All values are valid: each address parses back from its string, each state is read without errors.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from msgspec.structs import replace

from statefmt.edit.key_map import map_text
from statefmt.formats import Layout, Style
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.golang import nfc
from statefmt.library.values import Attributes
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    ModuleStep,
    Resource,
    ResourceMode,
    StringKey,
    hcl_quote,
)
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import (
    HIGHEST_SERIAL,
    InstanceState,
    ObjectStatus,
    ResourceInstanceObject,
    Snapshot,
    instances,
)
from statefmt.redaction.partial import parse_path, path_text
from statefmt.testing._odd_states import odd_states

__all__ = [
    "Address", "addresses", "config_resources", "edits", "identifiers", "instance_keys", "int_keys", "module_instances",
    "modules", "provider_configs", "provider_instances", "providers", "resource_instances", "resources", "snapshots",
    "states", "string_keys",
]  # fmt: skip

# The results of `addresses()`.
Address: TypeAlias = ModuleInstance | AbsResource | AbsResourceInstance | ConfigProviderConfig | AbsProviderInstance

_LETTERS = "aAzZ_éßжא日\u037a\u309b"
_RESERVED = frozenset({"module", "data", "ephemeral"})
_HOSTS = ("registry.opentofu.org", "xn--e1afmkfd.com", "xn--fa-hia.de:8080", "127.0.0.1:80", "a.")


def identifiers() -> SearchStrategy[str]:
    """Generate names as HCL allows them, also with letters and digits beyond ASCII: `web`, `größe`, `a-1`."""
    return st.builds(str.__add__, st.sampled_from(_LETTERS), st.text(_LETTERS + "019-\u0301", max_size=6))


def int_keys() -> SearchStrategy[IntKey]:
    """Generate keys of `count` that a state holds exactly: up to 2**53."""
    return st.builds(IntKey, st.integers(0, 2**53))


def string_keys() -> SearchStrategy[StringKey]:
    """Generate keys of `for_each`: any strings in normal form C, often with characters that HCL must escape."""
    anything = st.text(st.characters(exclude_categories=["Cs"]))
    escaped = st.text('$%{}~"\\\n\r\té\u0301/#[].', max_size=12)
    return st.builds(StringKey, (anything | escaped).map(nfc))


def instance_keys() -> SearchStrategy[InstanceKey]:
    """Generate instance keys: none, integers and strings."""
    return st.one_of(st.just(NO_KEY), int_keys(), string_keys())


def modules() -> SearchStrategy[Module]:
    """Generate module paths without keys, up to three calls deep; the root module is one of them."""
    return st.builds(Module, st.lists(identifiers(), max_size=3).map(tuple))


def module_instances() -> SearchStrategy[ModuleInstance]:
    """Generate module instances, up to three calls deep; the root module is one of them."""
    step = st.builds(ModuleStep, identifiers(), instance_keys())
    return st.builds(ModuleInstance, st.lists(step, max_size=3).map(tuple))


def resource_instances(*, stored: bool = True) -> SearchStrategy[AbsResourceInstance]:
    """Generate addresses of resource instances; `stored=False` adds ephemeral resources, which no state has."""
    return st.builds(AbsResource.instance, resources(stored=stored), instance_keys())


def resources(*, stored: bool = True) -> SearchStrategy[AbsResource]:
    """Generate addresses of resources; `stored=False` adds ephemeral resources, which no state has."""
    return st.builds(AbsResource, module_instances(), _local_resources(stored))


def config_resources(*, stored: bool = True) -> SearchStrategy[ConfigResource]:
    """Generate addresses of resource blocks; `stored=False` adds ephemeral resources, which no state has."""
    return st.builds(ConfigResource, modules(), _local_resources(stored))


def providers() -> SearchStrategy[Provider]:
    """Generate provider sources, including built-in ones, and legacy ones as in older states."""
    part = st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
    host = st.sampled_from(_HOSTS) | st.builds(".".join, st.lists(part, min_size=1, max_size=3))
    return st.one_of(
        st.builds(Provider, host, part, st.one_of(part, st.just("äws"))),
        st.builds(Provider.legacy, part),
        st.just(Provider.builtin("terraform")),
    )


def provider_configs() -> SearchStrategy[ConfigProviderConfig]:
    """Generate addresses of provider configurations, with and without an alias."""
    return st.builds(ConfigProviderConfig, modules(), providers(), st.just("") | identifiers())


def provider_instances() -> SearchStrategy[AbsProviderInstance]:
    """Generate addresses of provider instances; only those with an alias have keys."""
    with_alias = st.builds(ConfigProviderConfig, modules(), providers(), identifiers())
    return st.builds(AbsProviderInstance, provider_configs()) | st.builds(
        AbsProviderInstance, with_alias, instance_keys()
    )


def addresses() -> SearchStrategy[Address]:
    """Generate addresses that a state may contain; never the root module, whose address is empty."""
    return st.one_of(
        module_instances().filter(bool), resources(), resource_instances(), provider_configs(), provider_instances()
    )


def states(*, odd: bool = False, portable: bool = False) -> SearchStrategy[bytes]:
    """Generate states of format version 4.

    Args:
        odd: Include variations that no release writes: any layout, members in any order, unknown members, resources
            split over several blocks, numbers and strings of every spelling. `check` may report errors. Without it,
            states are in canonical form, and `check` reports no errors.
        portable: Exclude features that only OpenTofu, or only Terraform after 1.3, supports. Cannot be combined with
            `odd`.

    Raises:
        ValueError: Both `odd` and `portable` are given.
    """
    if odd and portable:
        raise ValueError("odd and portable cannot be combined")
    if odd:
        return odd_states().map(lambda state: state.data)
    return st.builds(_written, documents(portable=portable), st.sampled_from(Layout))


def snapshots(*, odd: bool = False, portable: bool = False) -> SearchStrategy[Snapshot]:
    """Generate snapshots, read from `states` with the same arguments."""
    return states(odd=odd, portable=portable).map(lambda data: read(data).snapshot)


def _written(document: Document, layout: Layout) -> bytes:
    """Return a document in canonical form; each object gets a unique id, as real objects have."""
    objects = (instance for block in document["resources"] for instance in block["instances"])
    for number, obj in enumerate(objects):
        obj["attributes" if "attributes" in obj else "attributes_flat"]["id"] = f"id-{number}"
    return canonical(read(json.dumps(document).encode()).snapshot, Style(layout))


def _local_resources(stored: bool) -> SearchStrategy[Resource]:
    modes = (ResourceMode.MANAGED, ResourceMode.DATA) if stored else tuple(ResourceMode)
    types = identifiers().filter(lambda name: name not in _RESERVED)
    return st.builds(Resource, st.sampled_from(modes), types, identifiers())


Document: TypeAlias = dict[str, Any]

MODULES: Final = (
    "", "", "module.net", "module.net.module.sub", "module.net-1", "module.app[2]", "module.app[10]",
    'module.app["eu"].module.db[0]', 'module.app["a.b c"].module.db["$${x}"]', 'module.größe["%%{y}"]',
)  # fmt: skip
TYPES: Final = ("aws_instance", "aws_vpc", "google_dns_record_set", "random_id", "terraform_data")
NAMES: Final = ("main", "web", "web-2", "Web", "_x", "größe", "data", "a1")
PROVIDERS: Final = (
    'provider["registry.opentofu.org/hashicorp/aws"]', 'provider["registry.opentofu.org/hashicorp/aws"].west',
    'provider["registry.terraform.io/hashicorp/google"]',
    'module.net.provider["registry.terraform.io/hashicorp/aws"].by_region',
    'provider["tf.example.com:8443/acme/cloud"].a-b', 'provider["terraform.io/builtin/terraform"]',
)  # fmt: skip
_COUNT: Final = (0, 1, 2, 9, 10, 11, 100)
_FOR_EACH: Final = (
    "a", "B", "10", "9", "eu-west-1", "a.b", "é", "日本", "<&>", 'say "hi"', "\\", "${x}", "%{y}", "", "\n",
)  # fmt: skip
_DEPOSED: Final = ("00000001", "7c1f00aa", "deadbeef")
_OUTPUTS: Final[tuple[tuple[Any, Any], ...]] = (
    ("string", "a <b> & c\u2028"),
    ("number", 1.0),
    ("number", 1e300),
    ("number", 123456789012345678901234567890),
    ("bool", False),
    (["list", "string"], ["b", "a"]),
    (["set", "string"], ["b", "a", "b"]),
    (["map", "number"], {"z": 100.0, "a": -3}),
    (["object", {"a": "string", "b": ["list", "bool"]}], {"b": [True], "a": None}),
    (["tuple", ["string", "number"]], ["x", 0.5]),
    ("dynamic", {"value": {"k": [1]}, "type": ["object", {"k": ["tuple", ["number"]]}]}),
)
_VALUES: Final[st.SearchStrategy[Any]] = st.sampled_from(
    (None, True, "", "text", "<tag> & \u2028", "é日本", 0, -1, 1.0, 0.1, 1e300, 2**64, 10**39 + 7, [], {}, ["a", None])
)
_ATTRIBUTES: Final = st.fixed_dictionaries(
    {"id": st.sampled_from(("i-0a1", "7", "")), "password": st.sampled_from(("s3cret", None))},
    optional={"size": _VALUES, "tags": st.dictionaries(st.sampled_from(("k", "a b", "é")), _VALUES), "Z": _VALUES},
)
_SENSITIVE: Final = (
    [{"type": "get_attr", "value": "password"}],
    [{"type": "get_attr", "value": "tags"}, {"type": "index", "value": {"value": "k", "type": "string"}}],
    [{"type": "get_attr", "value": "list"}, {"type": "index", "value": {"value": 0, "type": "number"}}],
)
_PRIVATE: Final = tuple(base64.b64encode(text).decode() for text in (b"null", b'{"schema_version":"1"}', b"\x00\xff"))
_STATUS: Final = st.sampled_from(("pass", "fail", "error", "unknown"))


@st.composite
def documents(draw: st.DrawFn, *, portable: bool = False) -> Document:
    """Generate a state of format version 4 with at least one resource, decoded.

    A `portable` state has no features that only OpenTofu, or only Terraform after 1.3, supports.
    """
    places = draw(
        st.lists(st.tuples(*map(st.sampled_from, (MODULES, TYPES, NAMES))), min_size=1, max_size=6, unique=True)
    )
    modes = draw(st.lists(st.sampled_from(("managed", "managed", "data")), min_size=6, max_size=6))
    heads = [
        {**({"module": module} if module else {}), "mode": mode, "type": type_, "name": name}
        for (module, type_, name), mode in zip(places, modes, strict=False)
    ]
    # Dependencies are resources of the configuration, without keys.
    known = [_in_configuration(head) for head in heads if "[" not in head.get("module", "")]
    return {
        "version": 4,
        "terraform_version": draw(st.sampled_from(("1.10.6", "1.5.7", "0.13.5"))),
        "serial": draw(st.sampled_from((0, 1, 37, 2**63))),
        "lineage": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
        "outputs": draw(_outputs(portable)),
        "resources": [draw(_resource(head, known, portable)) for head in heads],
        "check_results": draw(st.none() | st.lists(_check_result(portable), max_size=2, unique_by=json.dumps)),
    }


def _in_configuration(head: Document) -> str:
    module = f"{head['module']}." if "module" in head else ""
    return f"{module}{'data.' if head['mode'] == 'data' else ''}{head['type']}.{head['name']}"


@st.composite
def _resource(draw: st.DrawFn, head: Document, known: list[str], portable: bool) -> Document:
    provider = draw(st.sampled_from(PROVIDERS))
    keys: list[Any] = draw(
        st.just([None])
        | st.lists(st.sampled_from(_COUNT), min_size=1, max_size=3, unique=True)
        | st.lists(st.sampled_from(_FOR_EACH), min_size=1, max_size=3, unique=True)
    )
    instances = []
    for key in keys:
        # Objects of one instance: the current one, deposed ones, or both.
        deposed = draw(st.sampled_from(((None,), (None,), (None,), (None, "7c1f00aa"), _DEPOSED[:2], ("deadbeef",))))
        objects = deposed if head["mode"] == "managed" else (None,)
        instances += [draw(_instance(key, which, known, portable)) for which in objects]
    # A provider with `for_each`: each instance names its own provider instance.
    per_instance = not portable and provider.endswith((".west", ".by_region")) and draw(st.integers(0, 2)) == 0
    if not per_instance:
        return {**head, "provider": provider, "instances": instances}
    regions = {json.dumps(key): draw(st.sampled_from(("", '["eu"]', '["us"]'))) for key in keys}
    own = [{**i, "provider": provider + regions[json.dumps(i.get("index_key"))]} for i in instances]
    return {**head, "instances": own}


@st.composite
def _instance(
    draw: st.DrawFn, key: int | str | None, deposed: str | None, known: list[str], portable: bool
) -> Document:
    def maybe(odds: int) -> bool:
        return draw(st.integers(1, odds)) == odds

    members: Document = {} if key is None else {"index_key": key}
    if maybe(6):
        members["status"] = "tainted"
    if deposed is not None:
        members["deposed"] = deposed
    members["schema_version"] = draw(st.sampled_from((0, 1, 17)))
    if maybe(8):
        members["attributes_flat"] = {"id": "i-0a1", "tags.%": "1", "tags.k": "v"}
    else:
        members["attributes"] = draw(_ATTRIBUTES)
        members["sensitive_attributes"] = draw(st.lists(st.sampled_from(_SENSITIVE), max_size=2, unique_by=json.dumps))
    if not portable and maybe(4):
        members |= {
            "identity": {"region": "eu", "n": draw(_VALUES)},
            "identity_schema_version": draw(st.integers(0, 1)),
        }
    if maybe(3):
        members["private"] = draw(st.sampled_from(_PRIVATE))
    if known and maybe(2):
        members["dependencies"] = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    if maybe(6):
        members["create_before_destroy"] = True
    if not portable and maybe(10):
        members["skip_destroy"] = True
    return members


@st.composite
def _outputs(draw: st.DrawFn, portable: bool) -> Document:
    outputs: Document = {}
    for name, (type_, value) in draw(
        st.dictionaries(st.sampled_from(("a", "B", "zone", "größe")), st.sampled_from(_OUTPUTS), max_size=3)
    ).items():
        outputs[name] = {"value": value, "type": type_}
        if draw(st.booleans()):
            outputs[name]["sensitive"] = True
        if not portable and draw(st.integers(0, 5)) == 0:
            outputs[name]["deprecated"] = "use another"
    return outputs


# The objects that a check may have, by its kind and address.
_CHECKED: Final = {
    ("resource", "module.app.aws_instance.web"): tuple(
        f"module.app[{key}].aws_instance.web[0]" for key in ("2", "10", hcl_quote("eu"))
    ),
    ("output", "output.zone"): ("output.zone",),
    ("check", "check.health"): ("check.health",),
    ("var", "module.net.var.cidr"): ("module.net.var.cidr",),
}


@st.composite
def _check_result(draw: st.DrawFn, portable: bool) -> Document:
    kinds = [checked for checked in _CHECKED if not portable or checked[0] in ("resource", "output")]
    kind, addr = draw(st.sampled_from(kinds))
    objects: list[Document] = []
    for object_addr in draw(st.lists(st.sampled_from(_CHECKED[kind, addr]), max_size=2, unique=True)):
        objects.append({"object_addr": object_addr, "status": draw(_STATUS)})
        if draw(st.booleans()):
            objects[-1]["failure_messages"] = ["must be <positive>"]
    return {"object_kind": kind, "config_addr": addr, "status": draw(_STATUS), "objects": objects or None}


# The name of a command and its arguments, without shell quoting.
EditArguments: TypeAlias = tuple[str, ...]


def edits(state: bytes | Snapshot) -> SearchStrategy[EditArguments]:
    """Generate valid edits of a state, each as the arguments of a statetool command.

        ("mv", "aws_vpc.main", "aws_vpc.fresh")
        ("taint", 'module.net["a"].aws_subnet.this[0]')

    Each command succeeds and changes the content of the state. The commands are `mv`, `rm`, `rekey`, `rebind`,
    `replace-provider`, `taint`, `untaint`, `forget-deposed`, `set`, `unset`, `set-serial` and `new-lineage`. They
    need `--yes` without a terminal, and `--state` to name the file. A state with the highest serial cannot be edited:
    the strategy generates nothing. Raises StateError if the bytes are not a readable state.
    """
    snapshot = state if isinstance(state, Snapshot) else read(state).snapshot
    if snapshot.serial == HIGHEST_SERIAL:
        return st.nothing()
    by_command: dict[str, list[EditArguments]] = {}
    for arguments in _edits(snapshot):
        by_command.setdefault(arguments[0], []).append(arguments)
    # Draws the command first, so that all commands are equally likely in a large state.
    return st.sampled_from(sorted(by_command)).flatmap(lambda command: st.sampled_from(by_command[command]))


def _edits(snapshot: Snapshot) -> Iterator[EditArguments]:
    if snapshot.serial < HIGHEST_SERIAL - 1:
        yield "set-serial", str(snapshot.serial + 1)
    yield ("new-lineage",)
    name = _fresh_name(snapshot)
    for instance in instances(snapshot):
        if instance.key is NO_KEY and any(obj.key is not NO_KEY for obj in instance.resource.objects):
            continue  # its address means the whole resource
        yield from _instance_edits(instance, name)
    for resource in snapshot.resources:
        renamed = AbsResource(resource.addr.module, replace(resource.addr.resource, name=name))
        if resource.objects:
            yield "mv", str(resource.addr), str(renamed)
            yield "rm", str(resource.addr)
    for module in dict.fromkeys(resource.addr.module for resource in snapshot.resources if resource.objects):
        if module:
            yield "mv", str(module), f"module.{name}"
            yield "rm", str(module)
    for provider in dict.fromkeys(r.provider_config.provider for r in snapshot.resources if r.provider_config):
        yield "replace-provider", str(provider), f"registry.opentofu.org/{name}/{provider.type}", "--new-provider"


def _instance_edits(instance: InstanceState, name: str) -> Iterator[EditArguments]:
    address, resource = str(instance.addr), instance.resource
    yield "mv", address, f'{AbsResource(resource.addr.module, replace(resource.addr.resource, name=name))}["{name}"]'
    yield "rm", address
    current = instance.current
    if current is not None and current.status is ObjectStatus.TAINTED:
        yield "untaint", address
    elif current is not None and resource.addr.resource.mode is ResourceMode.MANAGED:
        yield "taint", address
    if instance.deposed:
        yield "forget-deposed", address
    yield "rekey", address, "--map", map_text({instance.key: StringKey(name)})
    if current is not None:
        yield from _attribute_edits(address, current, resource.addr.resource.type, name)
    config = resource.provider_config
    if config is not None:
        yield "rebind", address, f'{_with_alias(config, name)}["{name}"]', "--new-provider", "--whole-resource"


def _attribute_edits(address: str, obj: ResourceInstanceObject, type_name: str, name: str) -> Iterator[EditArguments]:
    """Yield edits of attributes other than the id, which distinguishes real objects."""
    shown = Attributes(obj, type_name)
    for attribute, value in _decoded(obj).items():
        path = path_text((attribute,))
        if attribute == "id" or not _leads_to(path, attribute):
            continue
        if value is not None and not isinstance(value, dict):
            yield "unset", address, path
        # Sensitive attributes are only set from a file or the environment.
        if isinstance(value, str) and isinstance(shown[attribute], str):
            yield "set", address, f"{path}={json.dumps(name)}"


def _decoded(obj: ResourceInstanceObject) -> dict[str, object]:
    """Return the attributes as Python's own decoder reads them; empty if it cannot."""
    try:
        attributes = {} if obj.attributes is None else json.loads(bytes(obj.attributes))
    except (ValueError, RecursionError):
        return {}
    return attributes if isinstance(attributes, dict) else {}


def _leads_to(path: str, attribute: str) -> bool:
    """Return whether a path leads to an attribute; the parser normalises some names."""
    try:
        return parse_path(path) == (attribute,)
    except SelectionError:
        return False


def _with_alias(config: ConfigProviderConfig, name: str) -> ConfigProviderConfig:
    return config if config.alias else replace(config, alias=name)


def _fresh_name(snapshot: Snapshot) -> str:
    """Return a name that no address in the state contains."""
    taken = " ".join([f"{r.addr} {r.provider_config}" for r in snapshot.resources])
    taken += " ".join([str(obj.key) + str(obj.provider_key) for r in snapshot.resources for obj in r.objects])
    return next(name for name in map("fresh{}".format, range(len(taken) + 1)) if name not in taken)

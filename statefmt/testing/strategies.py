"""Strategies for Hypothesis: addresses, states, snapshots, and edits of them. Needs the extra `testing`.

    from hypothesis import given
    from statefmt.testing import strategies as some

    @given(data=some.states())
    def test_inventory(data: bytes) -> None: ...

All values are valid: each address parses back from its string, each state is read without errors.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from statefmt.formats.reading.inspect import read
from statefmt.formats.style import Layout, Style
from statefmt.formats.writing.canonical import canonical
from statefmt.golang.normalize import nfc
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
    Provider,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.snapshot import Snapshot
from statefmt.testing._documents import Document, documents
from statefmt.testing._edits import edits
from statefmt.testing._odd_states import odd_states

__all__ = [
    "Address",
    "addresses",
    "config_resources",
    "edits",
    "identifiers",
    "instance_keys",
    "int_keys",
    "module_instances",
    "modules",
    "provider_configs",
    "provider_instances",
    "providers",
    "resource_instances",
    "resources",
    "snapshots",
    "states",
    "string_keys",
]

# What `addresses()` generates.
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
    """Generate provider sources, with built-in ones, and legacy ones as older states have them."""
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
        odd: Not only what releases write: any layout, members in any order, unknown members, resources that are spread
            over several blocks, numbers and strings of every spelling. `check` may report errors. Without it, states
            are in canonical form, and `check` reports no errors.
        portable: Nothing that only OpenTofu, or only Terraform after 1.3, supports. Cannot be combined with `odd`.

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
    """Return a document in canonical form; each object gets an id of its own, as real ones have."""
    objects = (instance for block in document["resources"] for instance in block["instances"])
    for number, obj in enumerate(objects):
        obj["attributes" if "attributes" in obj else "attributes_flat"]["id"] = f"id-{number}"
    return canonical(read(json.dumps(document).encode()).snapshot, Style(layout))


def _local_resources(stored: bool) -> SearchStrategy[Resource]:
    modes = (ResourceMode.MANAGED, ResourceMode.DATA) if stored else tuple(ResourceMode)
    types = identifiers().filter(lambda name: name not in _RESERVED)
    return st.builds(Resource, st.sampled_from(modes), types, identifiers())

"""Addresses to test with: any that OpenTofu could write, and texts that look like addresses."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from statefmt.golang.normalize import nfc
from statefmt.model.addrs import (
    NO_KEY,
    AbsCheck,
    AbsInputVariable,
    AbsOutputValue,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    IntKey,
    LocalProviderConfig,
    LocalProviderInstance,
    Module,
    ModuleInstance,
    ModuleStep,
    Provider,
    Resource,
    ResourceMode,
    StringKey,
)

_LETTERS = "aAzZ_éßжא日\u037a\u309b"
_RESERVED = frozenset({"module", "data", "ephemeral"})
_FRAGMENTS = (
    *("module", "provider", "data", "output", "a", "1", "1.5", "1e2", "é", "\u0301", "\ufeff", "$", "${", "$${"),
    *("%", "%{", "%%{", "~", "~}", "{", "}", "[", "]", '"', '["', '"]', "[0]", '["k"]', "\\", "\\n", "\\u00e9"),
    *("\\ud800", "\\q", ".", "..", "...", "*", "/", "//", "/*", "*/", "#", "\n", "\r", "\r\n", " ", "\t", "'", "`"),
    *(";", "&", "&&", "<<E\n", "::", "-", "xn--", "XN--", ":443", "。", "\u200d", "\u200b", "ẞ", "א", "\ud800"),
)

identifiers: SearchStrategy[str] = st.builds(
    lambda first, rest: first + rest, st.sampled_from(_LETTERS), st.text(_LETTERS + "019-\u0301", max_size=6)
)
int_keys = st.builds(IntKey, st.integers(0, 2**63 - 1))
string_keys = st.builds(
    StringKey,
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])), st.text('$%{}~"\\\n\r\té\u0301/#[].', max_size=12)
    ).map(nfc),
)
some_keys: SearchStrategy[InstanceKey] = st.one_of(int_keys, string_keys)
keys: SearchStrategy[InstanceKey] = st.one_of(st.just(NO_KEY), some_keys)

modules = st.builds(Module, st.lists(identifiers, max_size=3).map(tuple))
module_instances = st.builds(ModuleInstance, st.lists(st.builds(ModuleStep, identifiers, keys), max_size=3).map(tuple))
resources = st.builds(
    Resource, st.sampled_from(ResourceMode), identifiers.filter(lambda name: name not in _RESERVED), identifiers
)
abs_resources = st.builds(AbsResource, module_instances, resources)
abs_resource_instances = st.builds(AbsResourceInstance, module_instances, st.builds(Resource.instance, resources, keys))
config_resources = st.builds(ConfigResource, modules, resources)

_parts = st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
_hosts = st.one_of(
    st.sampled_from(["registry.opentofu.org", "xn--e1afmkfd.com", "xn--fa-hia.de:8080", "127.0.0.1:80", "a."]),
    st.builds(".".join, st.lists(_parts, min_size=1, max_size=3)),
)
providers = st.one_of(
    st.builds(Provider, _hosts, _parts, st.one_of(_parts, st.just("äws"))),
    st.builds(Provider.legacy, _parts),
    st.just(Provider.builtin("terraform")),
)
provider_configs = st.builds(ConfigProviderConfig, modules, providers, st.one_of(st.just(""), identifiers))
provider_instances = st.one_of(
    st.builds(AbsProviderInstance, provider_configs),
    st.builds(AbsProviderInstance, st.builds(ConfigProviderConfig, modules, providers, identifiers), keys),
)
legacy_provider_configs = st.builds(
    ConfigProviderConfig,
    modules,
    st.one_of(st.builds(Provider.legacy, identifiers), st.just(Provider.builtin("terraform"))),
    st.one_of(st.just(""), identifiers),
)
local_provider_configs = st.builds(LocalProviderConfig, identifiers, st.one_of(st.just(""), identifiers))
local_provider_instances = st.builds(
    LocalProviderInstance, st.builds(LocalProviderConfig, st.sampled_from(["aws", "google-beta"]), identifiers), keys
)
outputs = st.builds(AbsOutputValue, module_instances, identifiers)
checks = st.builds(AbsCheck, module_instances, identifiers)
variables = st.builds(AbsInputVariable, module_instances, identifiers)

texts = st.one_of(
    st.text(st.characters()),
    st.lists(st.sampled_from(_FRAGMENTS), max_size=12).map("".join),
    st.builds(
        lambda text, at, fragment: text[:at] + fragment + text[at:],
        st.one_of(abs_resource_instances, provider_instances).map(str),
        st.integers(0, 60),
        st.sampled_from(_FRAGMENTS),
    ),
)

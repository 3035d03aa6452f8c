"""Addresses to test with: any that OpenTofu could write, and texts that look like addresses."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from statefmt.model.addrs import ConfigProviderConfig, InstanceKey, LocalProviderConfig, LocalProviderInstance
from statefmt.model.addrs.checkable import AbsCheck, AbsInputVariable, AbsOutputValue
from statefmt.model.addrs.provider import Provider
from statefmt.testing import strategies as some

_FRAGMENTS = (
    *("module", "provider", "data", "output", "a", "1", "1.5", "1e2", "é", "\u0301", "\ufeff", "$", "${", "$${"),
    *("%", "%{", "%%{", "~", "~}", "{", "}", "[", "]", '"', '["', '"]', "[0]", '["k"]', "\\", "\\n", "\\u00e9"),
    *("\\ud800", "\\q", ".", "..", "...", "*", "/", "//", "/*", "*/", "#", "\n", "\r", "\r\n", " ", "\t", "'", "`"),
    *(";", "&", "&&", "<<E\n", "::", "-", "xn--", "XN--", ":443", "。", "\u200d", "\u200b", "ẞ", "א", "\ud800"),
)

identifiers = some.identifiers()
int_keys = some.int_keys()
keys = some.instance_keys()
some_keys: SearchStrategy[InstanceKey] = st.one_of(int_keys, some.string_keys())
modules = some.modules()
module_instances = some.module_instances()
abs_resources = some.resources(stored=False)
abs_resource_instances = some.resource_instances(stored=False)
config_resources = some.config_resources(stored=False)
providers = some.providers()
provider_configs = some.provider_configs()
provider_instances = some.provider_instances()
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

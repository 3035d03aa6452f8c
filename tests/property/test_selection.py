"""Laws of selectors: over generated states, and against a plain reading of patterns, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from hypothesis import assume, given, strategies as st

import statefmt
from statefmt.analysis.selection import Criteria, select
from statefmt.analysis.selection.addresses import Addresses
from statefmt.model.addrs import (
    NO_KEY,
    AbsResourceInstance,
    InstanceKey,
    IntKey,
    ModuleInstance,
    ModuleStep,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, instances
from tests.property.strategies import StateText, states


def _instances(state: StateText) -> list[InstanceState]:
    return instances(statefmt.read(state.data).snapshot)


def _selected(found: Sequence[InstanceState], *selectors: str) -> list[AbsResourceInstance]:
    return [instance.addr for instance in select(found, Criteria(selectors=selectors))]


@given(states())
def test_the_address_of_an_instance_selects_it_and_nothing_else(state: StateText) -> None:
    """Without a key it is that of the resource, as in OpenTofu."""
    found = _instances(state)
    for instance in found:
        addr = instance.addr
        expected = [other.addr for other in found if other.addr.containing_resource() == addr.containing_resource()]
        assert _selected(found, str(addr)) == ([addr] if addr.key is not NO_KEY else expected)


@given(states())
def test_the_address_of_a_resource_selects_its_instances(state: StateText) -> None:
    found = _instances(state)
    for instance in found:
        resource = instance.addr.containing_resource()
        expected = [other.addr for other in found if other.addr.containing_resource() == resource]
        assert _selected(found, str(resource)) == expected


@given(states())
def test_the_address_of_a_module_selects_what_is_in_it(state: StateText) -> None:
    found = _instances(state)
    for instance in found:
        module = instance.addr.module
        if module and module.steps[-1].key is not NO_KEY:
            expected = [other.addr for other in found if module.contains(other.addr.module)]
            assert _selected(found, str(module)) == expected


@given(states())
def test_two_stars_select_everything(state: StateText) -> None:
    found = _instances(state)
    assume(found)
    assert _selected(found, "**") == [instance.addr for instance in found]


@given(states(), st.data())
def test_a_step_replaced_by_a_star_selects_more(state: StateText, data: st.DataObject) -> None:
    found = _instances(state)
    assume(found)
    addr = data.draw(st.sampled_from(found)).addr
    resource = addr.resource.resource
    mode = "data." * (resource.mode is ResourceMode.DATA)
    names = [(step.name, step.key) for step in addr.module.steps]
    names += [(resource.type, NO_KEY), (resource.name, addr.key)]
    place = data.draw(st.integers(0, len(names) - 1))
    names[place] = ("*", names[place][1] if data.draw(st.booleans()) else NO_KEY)
    texts = [f"{name}{_wild(key) if number == place else key}" for number, (name, key) in enumerate(names)]
    pattern = "".join([*(f"module.{text}." for text in texts[:-2]), mode, ".".join(texts[-2:])])
    assert addr in _selected(found, pattern)


def _wild(key: InstanceKey) -> str:
    return "" if key is NO_KEY else "[*]"


@given(states(), st.data())
def test_several_selectors_select_what_any_of_them_does(state: StateText, data: st.DataObject) -> None:
    found = _instances(state)
    assume(found)
    selectors = [str(instance.addr) for instance in data.draw(st.lists(st.sampled_from(found), min_size=1))]
    union = {addr for selector in selectors for addr in _selected(found, selector)}
    assert _selected(found, *selectors) == [instance.addr for instance in found if instance.addr in union]


# A plain reading of patterns, to compare with.


class Step(NamedTuple):
    """A pattern of one step: of a name, and of a key ("" for every key and none)."""

    name: str
    key: str

    def __str__(self) -> str:
        return self.name + self.key

    def fits(self, name: str, key: InstanceKey) -> bool:
        return fnmatchcase(name, self.name) and self._fits_key(key)

    def _fits_key(self, key: InstanceKey) -> bool:
        if not self.key:
            return True
        if self.key == "[*]":
            return key is not NO_KEY
        quoted = self.key[1] == '"'
        value = key.value if isinstance(key, (IntKey, StringKey)) else None
        return isinstance(value, str if quoted else int) and fnmatchcase(str(value), self.key.strip('["]'))


class Pattern(NamedTuple):
    """A pattern of an address; None in the path is any number of modules."""

    path: list[Step | None]
    mode: ResourceMode
    type: Step
    name: Step

    def __str__(self) -> str:
        path = "".join("**." if step is None else f"module.{step}." for step in self.path)
        return f"{path}{'data.' * (self.mode is ResourceMode.DATA)}{self.type}.{self.name}"

    def fits(self, addr: AbsResourceInstance) -> bool:
        resource = addr.resource.resource
        return (
            resource.mode is self.mode
            and self.type.fits(resource.type, NO_KEY)
            and self.name.fits(resource.name, addr.key)
            and _path_fits(self.path, addr.module.steps)
        )


def _path_fits(path: Sequence[Step | None], steps: Sequence[ModuleStep]) -> bool:
    if not path:
        return not steps
    first = path[0]
    if first is None:
        return any(_path_fits(path[1:], steps[count:]) for count in range(len(steps) + 1))
    return bool(steps) and first.fits(steps[0].name, steps[0].key) and _path_fits(path[1:], steps[1:])


_names = st.sampled_from(["a", "b", "ab", "aab", "b-a"])
_keys: st.SearchStrategy[InstanceKey] = st.one_of(
    st.just(NO_KEY),
    st.sampled_from([0, 1, 10]).map(IntKey),
    st.sampled_from(["a", "b", "ab", "1", "a.b"]).map(StringKey),
)
_modes = st.sampled_from([ResourceMode.MANAGED, ResourceMode.DATA])
_addresses = st.builds(
    lambda path, mode, type_, name, key: AbsResourceInstance(path, Resource(mode, type_, name).instance(key)),
    st.lists(st.builds(ModuleStep, _names, _keys), max_size=3).map(lambda steps: ModuleInstance(tuple(steps))),
    _modes,
    _names,
    _names,
    _keys,
)
_name_patterns = st.sampled_from(["*", "a", "b", "a*", "*b", "?", "a?", "*a*", "??*"])
_key_patterns = st.sampled_from(["", "[*]", "[0]", "[1?]", "[?]", '["*"]', '["a"]', '["?"]', '["a*"]', '["*.?"]'])
_steps = st.builds(Step, _name_patterns, _key_patterns)
_patterns = st.builds(
    Pattern, st.lists(st.none() | _steps, max_size=4), _modes, st.builds(Step, _name_patterns, st.just("")), _steps
).filter(lambda pattern: "*" in str(pattern) or "?" in str(pattern))


@given(st.lists(_addresses, min_size=1, max_size=12, unique=True), _patterns)
def test_patterns_are_what_a_plain_reading_says(addrs: list[AbsResourceInstance], pattern: Pattern) -> None:
    try:
        found = Addresses(addrs).fitting(str(pattern))
    except SelectionError as error:
        assert str(error).startswith("no resource instance matches ")
        found = []
    assert found == [place for place, addr in enumerate(addrs) if pattern.fits(addr)]

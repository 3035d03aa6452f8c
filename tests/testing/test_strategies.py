"""What the strategies generate is valid: to our own rules, to the commands, and to the real programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import Phase, find, given, settings, strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

import statefmt
from statefmt.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.addrs import hcl_quote
from statefmt.testing import FakeResource, make_state, strategies as some
from tests.cli.conftest import Statetool
from tests.compat.program import Program
from tests.compat.states import sweep
from tests.property.hcl_text import hcl_quoted

_COMMANDS: Final = {
    "forget-deposed", "mv", "new-lineage", "rebind", "rekey", "replace-provider", "rm", "set", "set-serial", "taint",
    "unset", "untaint",
}  # fmt: skip
# No example is made smaller, which takes long for states.
_SEARCH: Final = settings(max_examples=1000, phases=[Phase.generate])
_PARSERS: Final[dict[str, tuple[Callable[[str], object], SearchStrategy[object]]]] = {
    "module": (statefmt.addrs.parse_module_instance, some.module_instances().filter(bool)),
    "resource": (statefmt.addrs.parse_abs_resource, some.resources()),
    "instance": (statefmt.addrs.parse_abs_resource_instance, some.resource_instances()),
    "provider": (statefmt.addrs.parse_provider_source, some.providers()),
    "configuration": (statefmt.addrs.parse_config_provider_config, some.provider_configs()),
    "provider instance": (statefmt.addrs.parse_abs_provider_instance, some.provider_instances()),
}


@pytest.mark.parametrize(("parse", "addresses"), _PARSERS.values(), ids=_PARSERS)
@given(data=st.data())
def test_addresses_parse(
    parse: Callable[[str], object], addresses: SearchStrategy[object], data: st.DataObject
) -> None:
    address = data.draw(addresses)
    assert parse(str(address)) == address


@given(address=some.addresses())
def test_no_address_is_empty(address: some.Address) -> None:
    assert str(address)


@given(address=some.resource_instances())
def test_instances_can_be_made(address: AbsResourceInstance) -> None:
    (resource,) = statefmt.read(make_state([FakeResource(str(address), provider="acme/cloud")])).snapshot.resources
    assert resource.addr.instance(resource.objects[0].key) == address


def test_only_states_leave_out_ephemeral_resources() -> None:
    def is_ephemeral(address: AbsResourceInstance) -> bool:
        return address.resource.resource.mode is ResourceMode.EPHEMERAL

    assert find(some.resource_instances(stored=False), is_ephemeral, settings=_SEARCH)
    with pytest.raises(NoSuchExample):
        find(some.resource_instances(), is_ephemeral, settings=_SEARCH)


@given(key=some.string_keys())
def test_keys_are_quoted_by_the_rules_of_hcl(key: statefmt.addrs.StringKey) -> None:
    assert hcl_quote(key.value) == hcl_quoted(key.value)


@pytest.mark.parametrize("portable", [False, True])
@given(data=st.data())
def test_states_have_no_errors(portable: bool, data: st.DataObject) -> None:
    findings = statefmt.check(data.draw(some.states(portable=portable)))
    assert [finding for finding in findings if finding.severity is statefmt.Severity.ERROR] == []


@given(state=some.states(odd=True))
def test_odd_states_are_read_without_errors(state: bytes) -> None:
    findings = statefmt.inspect(state).findings
    assert [finding for finding in findings if finding.severity is statefmt.Severity.ERROR] == []


@pytest.mark.parametrize("portable", [False, True])
def test_states_are_canonical(portable: bool, statetool: Statetool, folder: Path) -> None:
    @given(state=some.states(portable=portable))
    def holds(state: bytes) -> None:
        (folder / "some.tfstate").write_bytes(state)
        assert statetool("fmt", "--check", "some.tfstate").status == 0

    holds()


def test_odd_states_are_odd() -> None:
    def is_odd(state: bytes) -> bool:
        return b"zz_new_" in state and b"\t" in state and b"lineage" in state.partition(b"version")[0]

    assert find(some.states(odd=True), is_odd, settings=_SEARCH)


def test_odd_and_portable_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="cannot be combined"):
        some.states(odd=True, portable=True)


@given(snapshot=some.snapshots())
def test_snapshots(snapshot: statefmt.Snapshot) -> None:
    assert snapshot.resources
    assert not statefmt.diff(statefmt.read(statefmt.write(snapshot)).snapshot, snapshot)


def test_portable_states_are_read_by_the_real_program(real: Program, folder: Path) -> None:
    def holds(state: bytes) -> None:
        (folder / "some.tfstate").write_bytes(state)
        listed = real.run(folder, "state", "list", "-state=some.tfstate")
        assert (listed.status, len(listed.out.splitlines())) == (0, _instances(state)), listed.err

    sweep(real, some.states(portable=True), holds)


def _instances(state: bytes) -> int:
    """The number of instances of a state, counted in its text."""
    blocks = json.loads(state)["resources"]
    return sum(len({json.dumps(i.get("index_key")) for i in block["instances"]}) for block in blocks)


@pytest.mark.parametrize("states", [some.states(), some.states(odd=True)], ids=["usual", "odd"])
def test_edits_are_accepted_by_the_commands(states: SearchStrategy[bytes], statetool: Statetool, folder: Path) -> None:
    path = folder / "some.tfstate"

    @given(state=states, data=st.data())
    def holds(state: bytes, data: st.DataObject) -> None:
        edit = data.draw(some.edits(state))
        path.write_bytes(state)
        done = statetool(*edit, "--state", path.name, "--yes", "--no-backup")
        assert done.status == 0, done.err
        old, new = (statefmt.read(one).snapshot for one in (state, path.read_bytes()))
        assert statefmt.diff(old, new), edit

    holds()


def test_every_command_is_among_the_edits() -> None:
    resources = [
        FakeResource("a.c", tainted=True),
        FakeResource("module.m.a.d", deposed="7c1f00aa"),
        FakeResource("a.b", {"name": "web"}),
    ]
    seen = set()

    @settings(max_examples=300)
    @given(edit=some.edits(make_state(resources)))
    def see(edit: tuple[str, ...]) -> None:
        seen.add(edit[0])

    see()
    assert seen == _COMMANDS


@given(edit=some.snapshots().flatmap(some.edits))
def test_there_are_no_other_commands(edit: tuple[str, ...]) -> None:
    assert edit[0] in _COMMANDS


def test_a_state_with_the_highest_serial_has_no_edits() -> None:
    assert some.edits(make_state(serial=2**64 - 1)).is_empty


@given(edit=some.edits(make_state([FakeResource("a.b", {"n": 1, "s": None, "o": {}, "p": "x"}, sensitive=["p"])])))
def test_attributes_that_are_edited(edit: tuple[str, ...]) -> None:
    """Not the id, no secret on the command line, and nothing that stays as it is."""
    if edit[0] in ("set", "unset"):
        assert edit in [("unset", "a.b", "n"), ("unset", "a.b", "p")]


@given(edit=some.edits(make_state(serial=4)))
def test_a_state_without_resources_has_edits(edit: tuple[str, ...]) -> None:
    assert edit in [("set-serial", "5"), ("new-lineage",)]

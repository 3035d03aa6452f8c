"""Downgrading generated states: nothing is lost silently, and the way back leads to where one came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from hypothesis import assume, example, given, strategies as st
from msgspec.structs import replace

import statefmt
from statefmt.formats.losses import fit, losses
from statefmt.formats.releases import Release, all_releases, parse_release
from statefmt.formats.writing import canonical
from tests.property.strategies import StateText, states

releases = st.sampled_from(all_releases())

# Numbers that no float holds, which must come through as they are.
_LARGE = StateText(
    b'{"version":4,"serial":1,"lineage":"l","outputs":{"o":{"value":1e400,"type":"number"}},"resources":[{"mode":'
    b'"managed","type":"t","name":"n","provider":"provider[\\"registry.opentofu.org/a/b\\"]","instances":[{"attributes":'
    b'{"n":1e400},"identity":{"n":-1e400}}]}]}',
    (),
    0,
)


def _as_read_by(text: bytes, release: Release) -> bytes:
    """A state as a release sees it: without the members that its decoder does not name."""
    document: dict[str, Any] = json.loads(text, parse_int=_marked, parse_float=_marked)
    for output in document["outputs"].values():
        _forget(output, ["deprecated"], release)
    if not release.check_kinds:
        del document["check_results"]
    # A resource whose provider is not at its own level, where that is the only one, is left out.
    document["resources"] = [
        resource for resource in document["resources"] if release.provider_keys or resource.get("provider")
    ]
    for resource in document["resources"]:
        for instance in resource["instances"]:
            _forget(instance, _MEMBERS, release)
            if not release.provider_keys:
                instance.pop("provider", None)
    return _MARKED.sub(r"\1", json.dumps(document)).encode()


def _marked(number: str) -> str:
    """A number as a string that is none of the state's, since Python's numbers cannot hold all of them."""
    return f"\ue000{number}"


_MARKED = re.compile(r'"\\ue000([-+.0-9eE]+)"')


_MEMBERS = [
    "sensitive_attributes",
    "depends_on",
    "create_before_destroy",
    "skip_destroy",
    "identity",
    "identity_schema_version",
]


def _forget(members: dict[str, Any], names: Iterable[str], release: Release) -> None:
    for name in names:
        if not getattr(release, name):
            members.pop(name, None)


def _says(snapshot: statefmt.Snapshot) -> Any:
    """Everything a snapshot says; its numbers are their texts."""
    return json.loads(canonical(snapshot), parse_int=str, parse_float=str)


@given(states(), releases)
@example(_LARGE, parse_release("1.8"))
@example(_LARGE, parse_release("terraform-1.5"))
def test_without_losses_the_release_sees_everything(state: StateText, release: Release) -> None:
    """What it writes back after reading is a state that says the same."""
    snapshot = statefmt.read(state.data).snapshot
    fitted = fit(snapshot, release, drop_lossy=True, drop_unknown=True)
    assume(not fitted.losses)
    text = canonical(fitted.snapshot, release.local_style.style)
    seen = statefmt.read(_as_read_by(text, release)).snapshot
    assert _says(seen) == _says(fitted.snapshot)


@given(states())
def test_there_and_back_again(state: StateText) -> None:
    """Upgrade, downgrade, upgrade: the identity on everything that a release can hold, for each of them."""
    snapshot = statefmt.read(state.data).snapshot
    for release in all_releases():
        upgraded = statefmt.write(_what_it_can_hold(snapshot, release))
        fitted = fit(statefmt.read(upgraded).snapshot, release, drop_lossy=False, drop_unknown=False)
        assert fitted.losses == (), release
        text = canonical(fitted.snapshot, release.local_style.style)
        assert statefmt.write(statefmt.read(text).snapshot) == upgraded, release


def _what_it_can_hold(snapshot: statefmt.Snapshot, release: Release) -> statefmt.Snapshot:
    """A snapshot without the resources, and the members of others, that a release would lose."""
    lost = {loss.address for loss in losses(snapshot, release) if loss.loses_object}
    kept = tuple(
        resource
        for resource in snapshot.resources
        if not lost & {str(resource.addr), *(f"{resource.addr}{obj.key}" for obj in resource.objects)}
    )
    return fit(replace(snapshot, resources=kept), release, drop_lossy=True, drop_unknown=True).snapshot


@given(states(), releases)
def test_what_was_dropped_is_all_that_is_gone(state: StateText, release: Release) -> None:
    snapshot = statefmt.read(state.data).snapshot
    fitted = fit(snapshot, release, drop_lossy=True, drop_unknown=False)
    after = fitted.snapshot
    assert [resource.addr for resource in after.resources] == [resource.addr for resource in snapshot.resources]
    for old, new in zip(snapshot.resources, after.resources, strict=True):
        assert new.provider_config == old.provider_config
        for before, now in zip(old.objects, new.objects, strict=True):
            assert (now.key, now.deposed, now.provider_key) == (before.key, before.deposed, before.provider_key)
            assert (now.attributes, now.private, now.status) == (before.attributes, before.private, before.status)
    assert bool(fitted.dropped) == any(loss.only_informs for loss in losses(snapshot, release))
    # What is unknown in a check result goes with the result; `fitted.losses` still names it, so nothing is written.
    assert set(losses(after, release)) <= set(fitted.losses)
    assert set(fitted.losses) == {loss for loss in losses(snapshot, release) if not loss.only_informs}


@given(states())
def test_the_newest_release_loses_nothing_that_is_known(state: StateText) -> None:
    newest = next(release for release in all_releases() if str(release) == "opentofu-1.13")
    assert fit(statefmt.read(state.data).snapshot, newest, drop_lossy=False, drop_unknown=True).losses == ()


@given(states(), releases)
def test_an_object_is_lost_only_for_its_provider(state: StateText, release: Release) -> None:
    """Whatever is refused for an object names all the objects of its resource, in the order of the file."""
    snapshot = statefmt.read(state.data).snapshot
    lost = [loss for loss in losses(snapshot, release) if loss.loses_object]
    for resource in snapshot.resources:
        named = [loss for loss in lost if loss.address.startswith(str(resource.addr)) and _of(loss.address, resource)]
        assert len(named) in (0, max(1, len(resource.objects)))


def _of(address: str, resource: Any) -> bool:
    return address == str(resource.addr) or address[len(str(resource.addr))] == "["

"""Laws of rewriting provider sources, over generated states: reversible, done once, and nothing else is touched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

import statefmt
from statefmt.formats.providers import PUBLIC_HOSTS, SourceRewriter, source_choice
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.snapshot import ResourceState, Snapshot
from tests.property.strategies import StateText, states

_HOST = re.compile(rb"registry\.(?:terraform\.io|opentofu\.org)/")


def _rewritten(data: bytes, host: str) -> tuple[Snapshot, bool]:
    """The state with all providers of the public registries from one host, and whether that changed anything."""
    rewriter = SourceRewriter(source_choice(host, ()))
    return read(data, rewriter.document).snapshot, rewriter.report.changed


def _text(data: bytes, host: str) -> bytes:
    return canonical(_rewritten(data, host)[0], keep_unknown=True)


@pytest.mark.parametrize(("here", "there"), [PUBLIC_HOSTS, PUBLIC_HOSTS[::-1]])
@given(state=states())
def test_there_and_back_is_the_same(here: str, there: str, state: StateText) -> None:
    """For a state whose providers come from one of the two registries only."""
    text = _text(state.data, here)
    assert _text(_text(text, there), here) == text


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
@given(state=states())
def test_a_second_time_changes_nothing(host: str, state: StateText) -> None:
    text = _text(state.data, host)
    assert _rewritten(text, host)[1] is False
    assert _text(text, host) == text


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
@given(state=states())
def test_only_the_host_differs_and_only_in_addresses(host: str, state: StateText) -> None:
    old, new = statefmt.read(state.data).snapshot, _rewritten(state.data, host)[0]
    texts = [canonical(snapshot, keep_unknown=True) for snapshot in (old, new)]
    assert _HOST.sub(b"", texts[0]) == _HOST.sub(b"", texts[1])
    assert [_raw_parts(resource) for resource in new.resources] == [_raw_parts(resource) for resource in old.resources]
    assert new.outputs == old.outputs or [output.value for output in new.outputs] == [o.value for o in old.outputs]


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
@given(state=states())
def test_each_provider_comes_from_where_it_should(host: str, state: StateText) -> None:
    old, new = statefmt.read(state.data).snapshot, _rewritten(state.data, host)[0]
    for before, after in zip(old.resources, new.resources, strict=True):
        assert before.provider_config is not None
        assert after.provider_config is not None
        source = before.provider_config.provider.hostname
        expected = host if source in (DEFAULT_HOST, TERRAFORM_HOST) else source
        assert after.provider_config.provider.hostname == expected


def _raw_parts(resource: ResourceState) -> list[tuple[object, ...]]:
    """What a provider owns in the objects of a resource, and what binds them."""
    return [
        (
            obj.key,
            obj.deposed,
            obj.provider_key,
            bytes(obj.attributes) if obj.attributes is not None else None,
            obj.attributes_flat,
            bytes(obj.identity) if obj.identity is not None else None,
            obj.private,
            obj.origin,
        )
        for obj in resource.objects
    ]

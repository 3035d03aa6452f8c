"""Dependencies that follow moves: the work for one object does not grow with what else is gone."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.analysis.diff import _Mapping
from statefmt.model.addrs import ConfigResource, Module, Resource, ResourceMode
from tests.edit.operations.build import snapshot_with


class Counted(frozenset[ConfigResource]):
    """A set that counts how often it is gone through."""

    walks = 0

    def __sub__(self, other: Iterable[object]) -> frozenset[ConfigResource]:
        Counted.walks += 1
        return frozenset(self).difference(other)


def _config(name: str) -> ConfigResource:
    return ConfigResource(Module(), Resource(ResourceMode.MANAGED, "t", name))


def test_what_is_gone_is_gone_through_once() -> None:
    gone = Counted(_config(f"gone{number}") for number in range(50))
    Counted.walks = 0
    mapping = _Mapping([], gone, snapshot_with([]))  # type: ignore[arg-type]
    kept = [_config(f"kept{number}") for number in range(5)]
    assert all(mapping.fits([*kept, *gone], kept) for _ in range(20))
    assert not mapping.fits(kept, kept[1:])
    assert Counted.walks == 1

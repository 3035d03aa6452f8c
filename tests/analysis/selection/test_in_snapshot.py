"""Selecting in a snapshot is selecting among all its instances, with the same instances and the same errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria, select, select_in
from statefmt.model.addrs import AbsResource, ModuleInstance, Resource, ResourceMode, StringKey
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import ResourceState, Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.instructions import instructions
from tests.tables import each_row


def _told(found: Callable[[], object]) -> object:
    try:
        return found()
    except SelectionError as error:
        return type(error), str(error)


def _renamed(resource: ResourceState, declared: Resource) -> ResourceState:
    return replace(resource, addr=AbsResource(ModuleInstance(), declared))


def _odd(state: Snapshot) -> Snapshot:
    """With resources whose addresses look like those of others, or of instances."""
    first = state.resources[0]
    keyed = replace(first, objects=(replace(first.objects[0], key=StringKey("k"), deposed=""),))
    managed, data = ResourceMode.MANAGED, ResourceMode.DATA
    names = [Resource(managed, "data", "aws_ami.base"), Resource(managed, "aws_x", 'a["k"]')]
    like = [Resource(data, "aws_ami", "base"), Resource(managed, "aws_x", "a")]
    return replace(state, resources=(*state.resources, *(_renamed(keyed, name) for name in (*names, *like))))


@each_row("seed", range(6))
@each_row("odd", [False, True])
def test_any_selector(seed: int, odd: bool) -> None:
    state = _odd(realistic(seed)) if odd else realistic(seed)
    addrs = [instance.addr for instance in instances(state)]
    texts = {str(addr) for addr in addrs} | {str(addr.containing_resource()) for addr in addrs}
    texts |= (
        {f"{text}[7]" for text in texts} | {f"{text}x" for text in texts} | {text.replace(".", " .") for text in texts}
    )
    texts |= {str(addr.module) for addr in addrs if addr.module} | {"*.*", "", "data.aws_ami.base", 'aws_x.a["k"]'}
    for text in sorted(texts):
        one = Criteria(selectors=(text,))
        for criteria in (one, replace(one, tainted=True), replace(one, selectors=(text, "**"))):
            assert _told(partial(select_in, state, criteria)) == _told(partial(select, instances(state), criteria)), (
                text
            )


def test_address_twice() -> None:
    state = realistic(1)
    twice = replace(state, resources=(*state.resources, state.resources[0]))
    criteria = Criteria(selectors=(str(state.resources[0].addr),))
    assert select_in(twice, criteria) == select(instances(twice), criteria)


def test_an_address_takes_little_work() -> None:
    state = realistic(2)
    resources = tuple(
        _renamed(state.resources[0], Resource(ResourceMode.MANAGED, "aws_x", f"n{number}")) for number in range(500)
    )
    state, criteria = replace(state, resources=resources), Criteria(selectors=("aws_x.n250",))
    narrow, wide = (
        instructions(work) for work in (lambda: select_in(state, criteria), lambda: select(instances(state), criteria))
    )
    assert narrow < wide / 4

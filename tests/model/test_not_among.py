"""Tests which resources are not among others: the quick way finds what looking for each one finds."""

from hypothesis import given
from hypothesis.strategies import lists, sampled_from

from statefmt.model.addrs.parsing import parse_abs_resource
from statefmt.model.snapshot import ResourceState, not_among
from tests.instructions import instructions

# All are equal, so that only their identities count.
_ONES = [ResourceState(addr=parse_abs_resource("aws_a.b"), provider_config=None) for _ in range(6)]


@given(lists(sampled_from(_ONES)), lists(sampled_from(_ONES)))
def test_same_as_looking_for_each(resources: list[ResourceState], others: list[ResourceState]) -> None:
    expected = [one for one in resources if not any(one is other for other in others)]
    assert list(map(id, not_among(resources, others))) == list(map(id, expected))


def test_work_is_linear() -> None:
    many = [ResourceState(addr=_ONES[0].addr, provider_config=None) for _ in range(400)]
    work = [instructions(lambda size=size: not_among(many[:size], many[:size][::-1])) for size in (200, 400)]  # type: ignore[misc]
    assert work[1] < 3 * work[0]

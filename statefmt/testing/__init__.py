"""Makes and compares states in other people's tests.

    from statefmt.testing import FakeResource, make_state, assert_same_state

    data = make_state(["aws_vpc.main", FakeResource("aws_subnet.a[0]", dependencies=["aws_vpc.main"])])
    assert_same_state(data, data)

`statefmt.testing.strategies` has strategies for Hypothesis, `statefmt.testing.plugin` is loaded by pytest itself. Only
these two need the extra `testing`. Names are imported on first use, so that pytest loads the plugin fast.
"""

from __future__ import annotations

from importlib import import_module

from statefmt._arguments import checked, is_checkable

# As in statefmt/__init__.py: not imported from typing, which takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.testing._comparison import ComparableState, as_state, assert_same_state
    from statefmt.testing._states import FakeOutput, FakeResource, make_state

__all__ = ["ComparableState", "FakeOutput", "FakeResource", "as_state", "assert_same_state", "make_state"]

_HOMES = {
    "ComparableState": "statefmt.testing._comparison",
    "FakeOutput": "statefmt.testing._states",
    "FakeResource": "statefmt.testing._states",
    "as_state": "statefmt.testing._comparison",
    "assert_same_state": "statefmt.testing._comparison",
    "make_state": "statefmt.testing._states",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            found = getattr(import_module(_HOMES[name]), name)
            return checked(found) if is_checkable(found) else found
        raise AttributeError(f"module 'statefmt.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

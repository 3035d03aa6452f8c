"""Builds and compares states for the tests of other projects.

    from statefmt.testing import FakeResource, make_state, assert_same_state

    data = make_state(["aws_vpc.main", FakeResource("aws_subnet.a[0]", dependencies=["aws_vpc.main"])])
    assert_same_state(data, data)

`statefmt.testing.strategies` has strategies for Hypothesis; pytest itself loads `statefmt.testing.plugin`. Only these
two need the extra `testing`. Names are imported on first use, so that pytest loads the plugin fast.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.testing._states import (
        ComparableState as ComparableState,
        FakeOutput as FakeOutput,
        FakeResource as FakeResource,
        as_state as as_state,
        assert_same_state as assert_same_state,
        make_state as make_state,
    )

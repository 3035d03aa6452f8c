"""The real programs, one after the other, beside statetool itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import folder, program, statetool
from tests.compat.listing import own, readable, theirs
from tests.compat.program import MISSING, Program, programs

__all__ = ["folder", "own", "program", "readable", "real", "statetool", "theirs"]

_FOUND = [pytest.param(found, id=found.name) for found in programs()]
_NONE = pytest.param(None, id="none", marks=pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="session", params=_FOUND or [_NONE])
def real(request: pytest.FixtureRequest) -> Iterator[Program]:
    """A real OpenTofu or Terraform; each test runs with every one that was found."""
    found: Program = request.param
    yield found
    found.close()

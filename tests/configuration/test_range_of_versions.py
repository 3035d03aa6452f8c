"""What is a version constraint; the cases were tried with a real Terraform, which reads them as OpenTofu does."""

from __future__ import annotations

from statefmt.configuration._provider_blocks import is_range_of_versions
from tests.tables import each_row

CASES = [
    ("1.0", True),
    ("= 1.0.0", True),
    ("~> 5.0", True),
    ("~>5", True),
    ("  >=1.2 ,<2.0 ", True),
    (">= 1.2, != 1.3, <= 2", True),
    ("v1.2.3-rc1+build", True),
    ("1.2.3.4", True),
    ("", False),
    (" ", False),
    ("1.0,", False),
    ("~> ", False),
    ("=> 1.0", False),
    ("== 1.0", False),
    ("1.0 2.0", False),
    ("1.x", False),
    ("latest", False),
    ("^1.0", False),
    (">= 1.0 || < 2", False),
    ("99999999999999999999", False),
]


@each_row(("text", "valid"), CASES)
def test_version_constraint(text: str, valid: bool) -> None:
    assert is_range_of_versions(text) == valid

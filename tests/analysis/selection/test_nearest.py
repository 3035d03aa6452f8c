"""What is suggested for a text that fits nothing."""

from __future__ import annotations

import pytest

from statefmt.analysis.selection import nearest

KNOWN = ["aws_instance.web", "aws_vpc.main", "module.net.aws_vpc.main", "google_project.main"]
MANY = [f'module.app["{number}"].aws_instance.web{number:05}[{number % 3}]' for number in range(20_000)]

CASES = [
    ("aws_instance.wbe", KNOWN, "aws_instance.web"),
    ("module.net.aws_vcp.main", KNOWN, "module.net.aws_vpc.main"),
    ("azurerm_subnet.this", KNOWN, None),
    ("", KNOWN, None),
    ("a", ["b", "a"], "a"),
    ('module.app["777"].aws_instance.web0777[0]', MANY, 'module.app["777"].aws_instance.web00777[0]'),
    ("module.app[19999].aws_instance.web19999[1]", MANY, 'module.app["19999"].aws_instance.web19999[1]'),
]


@pytest.mark.parametrize(("text", "known", "best"), CASES, ids=[repr(case[0]) for case in CASES])
def test_best(text: str, known: list[str], best: str | None) -> None:
    assert next(iter(nearest(text, known)), None) == best


def test_a_few_only() -> None:
    assert len(nearest(MANY[0][:-1], MANY)) == 3


def test_long_texts_do_not_crowd_out_near_ones() -> None:
    """They have all parts of a short one, and many more."""
    long = [f"aws_instance.wbe{'x' * 100}{number}" for number in range(1000)]
    assert nearest("aws_instance.wbe", [*long, "aws_instance.web"]) == ["aws_instance.web"]

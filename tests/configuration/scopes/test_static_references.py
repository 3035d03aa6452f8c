"""What the for_each of a provider must not need, and that looking for it comes to an end."""

from __future__ import annotations

import pytest

from statefmt.configuration import ProviderBlock
from statefmt.configuration.instances import static_problems
from statefmt.model.addrs import Module
from tests.configuration.conftest import Write

_PROVIDER = 'provider "p" {{\n  alias = "a"\n  for_each = {expression}\n}}\n'
_DYNAMIC = "Dynamic value in static context"

# An expression, and the summaries with the stretch of the line that each points at.
CASES = [
    ('toset(["a"])', []),
    ("toset([path.root, terraform.workspace, tofu.workspace])", []),
    ('{ for k, v in { a = 1 } : k => "${k}${v}" }', []),
    ("aws_vpc.main", [(_DYNAMIC, "14-26")]),
    ("aws_vpc.main.ids", [(_DYNAMIC, "14-26")]),
    ('aws_vpc.main["a"].ids', [(_DYNAMIC, "14-31")]),
    ("aws_vpc.main[each.key].ids", [(_DYNAMIC, "14-26"), (_DYNAMIC, "27-35")]),
    ("data.aws_vpcs.all.ids", [(_DYNAMIC, "14-31")]),
    ("data.aws_vpcs.all[0].ids", [(_DYNAMIC, "14-34")]),
    ("ephemeral.vault.t.keys", [(_DYNAMIC, "14-31")]),
    ("module.net.regions", [("Module output not supported in static context", "14-32")]),
    ("module.net[0].regions.x", [("Module output not supported in static context", "14-35")]),
    ("module.net", [(_DYNAMIC, "14-24")]),
    ("each.value", [(_DYNAMIC, "14-24")]),
    ("count.index", [(_DYNAMIC, "14-25")]),
    ("terraform.applying ? {} : {}", [("Invalid attribute in static context", "14-32")]),
    ("var.none", []),
    ("local.round", []),
]


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_refused(write: Write, expression: str, expected: list[tuple[str, str]]) -> None:
    text = _PROVIDER.format(expression=expression) + "locals {\n  round = local.about\n  about = local.round\n}\n"
    configuration = write({"main.tf": text})
    block: ProviderBlock = configuration.root.declarations.providers["p", "a"]
    assert block.for_each is not None
    found = static_problems(configuration, Module(), block.for_each.expression)
    assert [(each.summary, str(each.range).rpartition(",")[2]) for each in found] == expected


def test_a_long_chain_comes_to_an_end(write: Write) -> None:
    chain = "".join(f"  l{number} = local.l{number + 1}\n" for number in range(2_000))
    configuration = write({"main.tf": _PROVIDER.format(expression="local.l0") + f"locals {{\n{chain}}}\n"})
    block = configuration.root.declarations.providers["p", "a"]
    assert block.for_each is not None
    assert list(static_problems(configuration, Module(), block.for_each.expression)) == []

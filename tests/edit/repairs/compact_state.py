"""Writes states in compact form for tests of repairs, and repairs them by one decision."""

from __future__ import annotations

from typing import Final

from statefmt.edit.repairs import DecisionIndex, parse_decision, repaired
from statefmt.edit.repairs.find import defects
from statefmt.formats.reading import read

# As in a JSON string.
AWS: Final = r"provider[\"registry.opentofu.org/hashicorp/aws\"]"
GOOGLE: Final = r"provider[\"registry.opentofu.org/hashicorp/google\"]"


def state(*resources: str, outputs: str = "{}", checks: str = "null") -> str:
    """A state of version 4."""
    listed = ",".join(resources)
    return (
        '{"version":4,"terraform_version":"1.9.0","serial":3,"lineage":"l",'
        f'"outputs":{outputs},"resources":[{listed}],"check_results":{checks}}}'
    )


def resource(*instances: str, name: str = "a", kind: str = "aws_vpc", provider: str = AWS, module: str = "") -> str:
    """A block of `resources`; without a provider if it is ""."""
    level = f'"provider":"{provider}",' if provider else ""
    where = f'"module":"{module}",' if module else ""
    listed = ",".join(instances)
    return f'{{{where}"mode":"managed","type":"{kind}","name":"{name}",{level}"instances":[{listed}]}}'


def keyed(key: str, identifier: str, rest: str = "") -> str:
    """An instance with the JSON text of its key."""
    return f'{{"index_key":{key},"attributes":{{"id":"{identifier}"}}{rest}}}'


def mended(before: str, decision: str) -> str:
    """The state after a decision, which the reader accepts."""
    made = [parse_decision(decision)]
    repair = repaired(before.encode(), DecisionIndex(made).decided)
    assert repair.used == frozenset(made)
    read(repair.content)
    return repair.content.decode()


def offered(before: str, code: str) -> dict[str, str]:
    """The labels and texts of the choices of the only defect with a code."""
    (defect,) = [one for one in defects(before.encode()) if one.finding.code == code]
    return {choice.label: choice.text for choice in defect.choices}

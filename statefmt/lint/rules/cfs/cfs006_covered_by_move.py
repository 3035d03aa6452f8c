r"""A moved block moves objects of the state

## What it does
Reports, with `--config`, each `moved` block that moves objects of the state to another address. The provider of
these objects is checked at the new address.

## Why is this bad?
Nothing is wrong: without the block, OpenTofu would destroy the objects at their old address, perhaps through a
provider that is gone. The finding explains why there is no other finding about them, so this is information.

## Example
```hcl
moved {
  from = aws_vpc.old
  to   = module.network.aws_vpc.main
}
```

## What to do
Apply the block everywhere before you remove it.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate
from statefmt.configuration.moves import DeclaredMove
from statefmt.lint.configurations import place
from statefmt.lint.remedies import fates
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    taken: dict[DeclaredMove, list[Fate]] = {}
    for fate in fates(subject):
        for move in fate.moves:
            taken.setdefault(move, []).append(fate)
    for move, of in taken.items():
        more = f", and {len(of) - 1} more" if len(of) > 1 else ""
        yield Code.COVERED_BY_MOVE.finding(
            "Covered by a moved block",
            f"The block moves {of[0].instance.addr} to {of[0].address}{more}; the provider is checked there.",
            str(of[0].instance.addr),
            place=place(move.block.range),
        )


RULE = Rule(Code.COVERED_BY_MOVE, _check)

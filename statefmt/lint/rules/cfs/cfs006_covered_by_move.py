r"""A moved block takes objects along

## What it does
Reports, with `--config`, each `moved` block that takes objects of the state to another address, for which the provider
that they are bound to is checked there.

## Why is this bad?
It is not: without the block, the objects would be destroyed at their old address, perhaps by a provider that is gone.
It says why there is no other finding about them: for information.

## Example
```hcl
moved {
  from = aws_vpc.old
  to   = module.network.aws_vpc.main
}
```

## What to do
Apply it once everywhere before the block is removed.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate
from statefmt.configuration.moves import DeclaredMove
from statefmt.lint.configurations.place import place
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.lint.ways_out.fates import fates
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    taken: dict[DeclaredMove, list[Fate]] = {}
    for fate in fates(subject):
        for move in fate.moves:
            taken.setdefault(move, []).append(fate)
    for move, of in taken.items():
        more = f", and {len(of) - 1} more" if len(of) > 1 else ""
        yield Code.COVERED_BY_MOVE.finding(
            "Covered by a moved block",
            f"The block takes {of[0].instance.addr} to {of[0].address}{more}; its provider is checked there.",
            str(of[0].instance.addr),
            place=place(move.block.range),
        )


RULE = Rule(Code.COVERED_BY_MOVE, _check)

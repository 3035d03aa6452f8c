r"""It cannot be told which provider instance an object will need

## What it does
Reports, with `--config` and once for each reason, the objects whose provider instance depends on what cannot be known
from the configuration and the values of its variables alone: attributes of resources, results of data sources, a
variable without a value, a function that statetool does not know, a file that could not be read.

## Why is this bad?
About these objects, `check` cannot say whether their provider will be there: for information. Nothing is guessed.

## Example
```hcl
resource "aws_vpc" "main" {
  for_each = data.aws_regions.all.names
  provider = aws.by_region[each.key]
}
```

## What to do
Give the variables their values (`--var`, `--var-file`), or make the collection of variables and local values.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.hcl.source.position import Range
from statefmt.lint.configurations.place import place
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.lint.ways_out.fates import fates_with, pointer
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    by_reason: dict[tuple[str, Range | None], list[Fate]] = {}
    for fate in fates_with(subject, FateKind.UNKNOWN):
        assert fate.unknown is not None
        by_reason.setdefault((fate.unknown.reason, fate.unknown.range), []).append(fate)
    for (reason, range_), of in by_reason.items():
        more = f" (and {len(of) - 1} more {'object' if len(of) == 2 else 'objects'})" if len(of) > 1 else ""
        yield Code.PROVIDER_UNKNOWN.finding(
            "Provider instance not known",
            f"Can't tell which provider instance {of[0].instance.addr}{more} will need, because {reason}.",
            str(of[0].instance.addr),
            "" if range_ else pointer(of[0]),
            place=place(range_),
        )


RULE = Rule(Code.PROVIDER_UNKNOWN, _check)

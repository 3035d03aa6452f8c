r"""The provider instance of an object is unknown

## What it does
Reports, with `--config`, the objects whose provider instance depends on something that is not known from the
configuration and the values of its variables alone: attributes of resources, results of data sources, a variable
without a value, a function that statetool does not know, a file that cannot be read. There is one finding for each
reason.

## Why is this bad?
`check` cannot say whether the provider of these objects will exist, and it does not guess, so this is information.

## Example
```hcl
resource "aws_vpc" "main" {
  for_each = data.aws_regions.all.names
  provider = aws.by_region[each.key]
}
```

## What to do
Set the variables (`--var`, `--var-file`), or compute the collection from variables and local values.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.hcl.source import Range
from statefmt.lint.configurations import place
from statefmt.lint.remedies import fates_with, pointer
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    by_reason: dict[tuple[str, Range | None], list[Fate]] = {}
    for fate in fates_with(subject, FateKind.UNKNOWN):
        assert fate.unknown is not None
        by_reason.setdefault((fate.unknown.reason, fate.unknown.range), []).append(fate)
    for (reason, range_), of in by_reason.items():
        more = f" (and {len(of) - 1} more {'object' if len(of) == 2 else 'objects'})" if len(of) > 1 else ""
        yield Code.PROVIDER_UNKNOWN.finding(
            "Unknown provider instance",
            f"Cannot determine which provider instance {of[0].instance.addr}{more} will need, because {reason}.",
            str(of[0].instance.addr),
            "" if range_ else pointer(of[0]),
            place=place(range_),
        )


RULE = Rule(Code.PROVIDER_UNKNOWN, _check)

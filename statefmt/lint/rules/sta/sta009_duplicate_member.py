"""A member appears twice in one object

## What it does
Reports a member name that appears more than once in one object of the state, also in attributes and output values.
Members of the format have the same name in any case: `outputs` and `Outputs` are one.

## Why is this bad?
Programs differ in what they read. Most, such as jq, take the last occurrence. Terraform and OpenTofu decode each one
into what the earlier ones left behind: they merge repeated maps, such as `outputs`, and objects, put the elements of a
repeated list into those of the earlier one, and ignore a null that follows a number, a string or a Boolean. In
attributes and output values, they take the last one. What a program does not read is lost as soon as it writes the
file.

statetool reads what Terraform and OpenTofu read. It refuses to edit a state in which most other programs read
something else.

## Example
```json
{"outputs": {"vpc": {}}, "Outputs": {"subnets": {}}}
```

## What to do
`statetool fmt` writes what Terraform and OpenTofu read. If something else is correct, keep that, and remove the others
with `statetool edit`. Members that repeat in attributes, identities and unknown members stay until they are edited.
"""

from collections.abc import Iterable

from statefmt.formats.reading.repeated import duplicate_members, stays
from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if inspection.version is not None:
        yield from duplicate_members(inspection.data, inspection.version, inspection.findings)


RULE = Rule(
    Code.DUPLICATE_MEMBER,
    _check,
    reads_file=True,
    mend=Mend(
        "writes what Terraform and OpenTofu read. It rewrites the state in canonical form; members that repeat in "
        "attributes, identities and unknown members stay.",
        is_safe=False,
        applies=lambda finding: not stays(finding),
    ),
)

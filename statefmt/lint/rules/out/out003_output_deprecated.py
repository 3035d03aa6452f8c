"""An output is deprecated

## What it does
Reports an output that the configuration marks as `deprecated`, with the author's words.

## Why is this bad?
Whoever reads it (`terraform_remote_state`, scripts that call `tofu output`) will lose it some day. Until then nothing
is wrong: information.

## Example
```json
"outputs": {"vpc": {"value": "vpc-0f3a", "type": "string", "deprecated": "Use vpc_id."}}
```

## What to do
Move its readers to what the message names; then remove the output from the configuration.
"""

from collections.abc import Iterable

from statefmt.formats.raw_json.pointer import token
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    for name, output in ((document.outputs if document else None) or {}).items():
        if output and output.deprecated:
            yield Code.OUTPUT_DEPRECATED.finding(
                "Deprecated output",
                f'The output "{name}" is deprecated: {output.deprecated}',
                f"output.{name}",
                f"/outputs/{token(name)}/deprecated",
                "Move what reads it to something else.",
            )


RULE = Rule(Code.OUTPUT_DEPRECATED, _check)

"""An output is deprecated

## What it does
Reports an output that the configuration marks as `deprecated`, and shows the author's message.

## Why is this bad?
Everything that reads the output (`terraform_remote_state`, scripts that call `tofu output`) will lose it one day.
Nothing is wrong until then, so this is information.

## Example
```json
"outputs": {"vpc": {"value": "vpc-0f3a", "type": "string", "deprecated": "Use vpc_id."}}
```

## What to do
Change the readers as the message says, then remove the output from the configuration.
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
                "Change what reads it as the message says.",
            )


RULE = Rule(Code.OUTPUT_DEPRECATED, _check)

"""Rules about outputs (OUT)."""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from statefmt.formats.raw_json import token
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding
from statefmt.redaction.secrets import secrets_of_output, suspected_outputs


def _output_deprecated(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    for name, output in ((document.outputs if document else None) or {}).items():
        if output and output.deprecated:
            detail = f'The output "{name}" is deprecated: {output.deprecated}'
            fix = "Change what reads it as the message says."
            yield Code.OUTPUT_DEPRECATED.finding(
                "Deprecated output", detail, f"output.{name}", f"/outputs/{token(name)}/deprecated", fix
            )


def _output_likely_secret(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    values = {
        name: output.value
        for name, output in ((document.outputs if document else None) or {}).items()
        if output is not None and not output.sensitive and output.value is not UNSET
    }
    outputs = list(values.items())
    for number in suspected_outputs(outputs):
        name, value = outputs[number]
        try:
            found = secrets_of_output(name, value)
        except ValueError:
            # Nested too deeply for Python.
            continue
        kinds = dict.fromkeys(secret.kind for secret in found)
        if kinds:
            yield Code.OUTPUT_LIKELY_SECRET.finding(
                "Output is likely a secret",
                f'The output "{name}" contains what looks like {" and ".join(kinds)}, but is not marked as sensitive.',
                f"output.{name}",
                f"/outputs/{token(name)}/value",
                "Set `sensitive = true` on the output.",
            )


RULES: Final = (
    Rule(
        Code.INVALID_OUTPUT_TYPE,
        fix=Subject.repairing,
        page="""The type of an output is invalid

## What it does
Reports an output whose `type` is not a valid type.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"type": "list(string)"
```

## What to do
Choose with `statetool repair`: the type of the value, another type such as `["list", "string"]`, or no output. The
next apply computes it again.
""",
    ),
    Rule(
        Code.INVALID_OUTPUT_VALUE,
        fix=Subject.repairing,
        page="""The value of an output does not match its type

## What it does
Reports an output whose `value` does not match its `type`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"value": "many", "type": "number"
```

## What to do
Choose with `statetool repair`: the type of the value, another value or type, or no output. The next apply computes it
again.
""",
    ),
    Rule(
        Code.OUTPUT_DEPRECATED,
        _output_deprecated,
        page="""An output is deprecated

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
""",
    ),
    Rule(
        Code.OUTPUT_LIKELY_SECRET,
        _output_likely_secret,
        page="""An output that is not sensitive likely contains a secret

## What it does
Reports an output that is not marked as sensitive if its value looks like a secret (private keys, cloud keys,
tokens), or if its name does (`db_password`, `api_token`…) and its value could be one. The rule looks into objects
and lists. The finding names the kind of secret and never shows the value.

## Why is this bad?
OpenTofu prints outputs after every apply, and everyone who reads the state with `terraform_remote_state` gets them.
The rule guesses by shape and name, so this is information.

## Example
```json
"outputs": {"db_password": {"value": "not-a-real-password", "type": "string"}}
```

## What to do
Set `sensitive = true` on the output, and replace the secret if others have seen it.
""",
    ),
)

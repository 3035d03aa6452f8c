"""An output that is not sensitive likely contains a secret

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
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.formats.raw_json.pointer import token
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.redaction.secrets.objects import secrets_of_output, suspected_outputs


def _check(subject: Subject) -> Iterable[Finding]:
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


RULE = Rule(Code.OUTPUT_LIKELY_SECRET, _check)

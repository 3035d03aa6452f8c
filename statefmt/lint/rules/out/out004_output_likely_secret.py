"""An output that is not sensitive likely holds a secret

## What it does
Reports an output that is not marked as sensitive and whose value has the shape of a secret (private keys, cloud keys,
tokens), or that is named as one (`db_password`, `api_token`…) with a value that can be one. Of objects and lists each
part is looked at. The finding says what kind it is, and shows nothing of the value.

## Why is this bad?
Outputs are printed after every apply, and whoever reads the state with `terraform_remote_state` gets them. What is a
secret is a guess here, by shape and name: information.

## Example
```json
"outputs": {"db_password": {"value": "not-a-real-password", "type": "string"}}
```

## What to do
Set `sensitive = true` on the output, and replace the secret if others have seen it.
"""

from collections.abc import Iterable

from msgspec import UNSET, Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.golang import encode_string, loads_exact
from statefmt.lint.rule import Rule
from statefmt.lint.secrets.probes import suspects
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    values = {
        name: output.value
        for name, output in ((document.outputs if document else None) or {}).items()
        if output is not None and not output.sensitive and output.value is not UNSET
    }
    names = list(values)
    for number in suspects([_member(name, value) for name, value in values.items()]):
        # Imported where it is needed, as in attribute_secrets.
        from statefmt.lint.secrets.search import secrets_in

        name = names[number]
        try:
            value = loads_exact(bytes(values[name]), replace_invalid=True)
        except ValueError:
            # Nested deeper than Python goes.
            continue
        kinds = dict.fromkeys(secret.kind for secret in secrets_in(value, name))
        if kinds:
            yield Code.OUTPUT_LIKELY_SECRET.finding(
                "Output is likely a secret",
                f'The output "{name}" holds what looks like {" and ".join(kinds)}, and is not marked as sensitive.',
                f"output.{name}",
                f"/outputs/{token(name)}/value",
                "Set `sensitive = true` on the output.",
            )


def _member(name: str, value: Raw) -> Raw:
    """An output as an object with it as its only member, for the search over bytes."""
    return Raw(b"{%b:%b}" % (encode_string(name), value))


RULE = Rule(Code.OUTPUT_LIKELY_SECRET, _check)

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
        # Imported late because its patterns are slow to compile, as in secrets/attributes.py.
        from statefmt.lint.secrets.search import secrets_in

        name = names[number]
        try:
            value = loads_exact(bytes(values[name]), replace_invalid=True)
        except ValueError:
            # Nested too deeply for Python.
            continue
        kinds = dict.fromkeys(secret.kind for secret in secrets_in(value, name))
        if kinds:
            yield Code.OUTPUT_LIKELY_SECRET.finding(
                "Output is likely a secret",
                f'The output "{name}" contains what looks like {" and ".join(kinds)}, but is not marked as sensitive.',
                f"output.{name}",
                f"/outputs/{token(name)}/value",
                "Set `sensitive = true` on the output.",
            )


def _member(name: str, value: Raw) -> Raw:
    """Wrap an output in an object as its only member, for the search over bytes."""
    return Raw(b"{%b:%b}" % (encode_string(name), value))


RULE = Rule(Code.OUTPUT_LIKELY_SECRET, _check)

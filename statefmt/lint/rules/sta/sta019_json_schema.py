"""The JSON schema of the format does not allow it

## What it does
Reports each place in the state that the JSON schema of its format, such as `state-v4.schema.json`, does not allow. It
runs only with `check --json-schema`.

## Why is this bad?
The schema is a second opinion, written independently of the reader. Programs that validate states with it refuse this
one. OpenTofu may read it nevertheless, as it reads names of members without regard to case.

## Example
```json
{"Mode": "managed", "type": "aws_vpc", "name": "main", "provider": "provider[\\"registry.opentofu.org/…/aws\\"]"}
```

## What to do
Rewrite a state that can be read with `statetool fmt`, or with `statetool upgrade` if it is of an older format: the
canonical form is valid. For another one, `statetool repair` shows the choices.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from statefmt.formats.reading import CURRENT_VERSION
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding

_SUMMARY: Final = "Not valid by the JSON schema"


def _check(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if not subject.json_schema or inspection.version is None:
        return
    # Imported late: most runs do not need it.
    from statefmt.schema_problems import decoded, schema_problems

    name = f"state-v{inspection.version}"
    try:
        found = schema_problems(name, decoded(inspection.data))
    except (RecursionError, ValueError) as error:
        # In types of outputs, 200 levels are too many.
        why = "it is nested too deeply" if isinstance(error, RecursionError) else "it is not JSON"
        detail = f"The state was not validated against {name}.schema.json: {why}."
        yield Code.JSON_SCHEMA.finding("State not validated", detail, fix="Check it without --json-schema.")
        return
    fix = subject.rewriting_or_repairing("To rewrite it: ")
    for problem in found:
        detail = f"{problem.message} ({name}.schema.json)"
        yield Code.JSON_SCHEMA.finding(_SUMMARY, detail, _address(subject, problem.path), problem.pointer, fix)


def _address(subject: Subject, path: Sequence[str | int]) -> str:
    """Return the address of the resource that a path leads into, "" if there is none."""
    match path:
        case ["resources", int(number), *_] if subject.inspection.version == CURRENT_VERSION:
            return subject.resources[number].address if number < len(subject.resources) else ""
        case _:
            return ""


RULE = Rule(Code.JSON_SCHEMA, _check, reads_file=True)

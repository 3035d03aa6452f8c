"""A sensitive path leads to no attribute

## What it does
Reports a path under `sensitive_attributes` whose attribute, map key or list element is not there. Where a value on
the way is null there is nothing to hide, and nothing is reported; nor for elements of sets.

## Why is this bad?
The mark hides nothing. If the provider renamed the attribute, what was to be hidden now stands there unmarked, and is
shown by plans, outputs and tools. Mostly it is a harmless left-over, which the next apply cleans up: information.

## Example
```json
"attributes": {"id": "db-1", "secret": null}, "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]
```

## What to do
Look where the value went. `tofu apply -refresh-only` writes the paths anew.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.lint.rule import Rule
from statefmt.lint.secrets.sensitive_paths import missing_steps, sensitive_paths, shown_path
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        attributes = part.document.attributes
        if attributes is UNSET:
            continue
        paths = sensitive_paths(part.document)
        for number, (path, missing) in enumerate(zip(paths, missing_steps(attributes, paths), strict=True)):
            if missing is None:
                continue
            yield Code.SENSITIVE_PATH_MISSING.finding(
                "Sensitive path leads nowhere",
                f"{part.address}: the attributes have no {shown_path(path, missing)}, which is to be sensitive.",
                part.address,
                f"{part.pointer}/sensitive_attributes/{number}",
                "`tofu apply -refresh-only` writes the paths anew; look first where the value went.",
            )


RULE = Rule(Code.SENSITIVE_PATH_MISSING, _check)

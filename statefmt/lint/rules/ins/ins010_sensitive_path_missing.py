"""A sensitive path leads to no attribute

## What it does
Reports a path in `sensitive_attributes` whose attribute, map key or list element does not exist. Paths through a
null value are ignored, since there is nothing to hide, and so are paths to elements of sets.

## Why is this bad?
The path hides nothing. If the provider renamed the attribute, the value is now unmarked, and plans, outputs and
tools show it. Usually the path is a harmless leftover that the next apply removes, so this is information.

## Example
```json
"attributes": {"id": "db-1", "secret": null}, "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]
```

## What to do
Find out where the value went. `tofu apply -refresh-only` rewrites the paths.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject, missing_steps, sensitive_paths, shown_path
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        attributes = part.document.attributes
        paths = sensitive_paths(part.document)
        if not paths or attributes is UNSET:
            continue
        for number, (path, missing) in enumerate(zip(paths, missing_steps(attributes, paths), strict=True)):
            if missing is None:
                continue
            yield Code.SENSITIVE_PATH_MISSING.finding(
                "Sensitive path leads nowhere",
                f"{part.address}: the attributes have no {shown_path(path, missing)}, which is marked as sensitive.",
                part.address,
                f"{part.pointer}/sensitive_attributes/{number}",
                "Find out where the value went, then run `tofu apply -refresh-only` to rewrite the paths.",
            )


RULE = Rule(Code.SENSITIVE_PATH_MISSING, _check)

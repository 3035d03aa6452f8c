"""Checks failed in the last run

## What it does
Reports each entry of `check_results` whose status is `fail` or `error`, or that has an object with such a status.
`unknown` is not reported: it only means that a run ended before the check was made.

## Why is this bad?
A condition of the configuration (a `check` block, a precondition or postcondition, a validation) was false or could
not be evaluated, and the state was written nevertheless. What the condition guards is probably broken, so this is
a warning.

## Example
```json
{"object_kind": "check", "config_addr": "check.health", "status": "fail", "objects": null}
```

## What to do
Run `tofu plan` to see what fails. The next apply in which the condition holds writes `pass`.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.formats.versions import CheckResultV4
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding

_BAD: Final = ("fail", "error")
_SHOWN: Final = 3


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    for number, result in enumerate((document.check_results if document else None) or ()):
        if result is None:
            continue
        # Omit the messages, which may contain secrets.
        failed = [obj.object_addr or "" for obj in result.objects or () if obj and obj.status in _BAD]
        if result.status not in _BAD and not failed:
            continue
        address = result.config_addr or ""
        pointer = f"/check_results/{number}"
        detail = f"In the last run, {_kind(result)} {address} {_outcome(result)}{_objects(failed, address)}."
        fix = "Run `tofu plan` to see what fails."
        yield Code.CHECKS_FAILED.finding(
            "Failed check", detail, address, pointer if result.status is None else f"{pointer}/status", fix
        )


def _kind(result: CheckResultV4) -> str:
    return {"check": "the check", "var": "the validation of"}.get(result.object_kind or "", "a condition of")


def _outcome(result: CheckResultV4) -> str:
    return "could not be evaluated" if result.status == "error" else "did not hold"


def _objects(failed: list[str], address: str) -> str:
    named = [name for name in failed if name and name != address]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return f" for {', '.join(named[:_SHOWN])}{more}" if named else ""


RULE = Rule(Code.CHECKS_FAILED, _check)

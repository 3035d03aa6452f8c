r"""The plan destroys a protected object

## What it does
Reports, with `--plan`, each object that the plan destroys or replaces although it has one of the tags that
`statetool.toml` names. Tags are looked up in the attributes `tags`, `tags_all` and `labels`, in maps and in lists of
objects with `key` and `value`. Forgetting an object does not destroy it.

## Why is this bad?
`prevent_destroy` is part of a resource block, so it disappears with the block: deleting the block, or a key of its
`for_each`, destroys what it protected. A tag belongs to the object.

## Example
```hcl
resource "aws_db_instance" "main" {
  engine_version = "16" # was: "15", which forces a replacement
  tags           = { protected = "true" }
}
# statetool.toml:
#   [rules.PLN001]
#   tags = { protected = "true", env = "prod*" }
```

## What to do
If the object must stay, change the configuration so that the plan keeps it: put the block or the key back, undo the
change that forces the replacement, or add a `moved` block. To stop managing the object without destroying it, use a
`removed` block with `destroy = false`, or `statetool rm`.

If it must go, first remove the tag and apply, which also leaves a trace of the decision.
"""

from collections.abc import Iterable, Iterator

from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.lifecycle.plan import PlannedChange
from statefmt.lint.plan_subject import PlanSubject, change_pointer, object_name
from statefmt.lint.rule import Rule
from statefmt.lint.settings import ProtectedTags
from statefmt.model.findings import Code, Finding, Fix
from statefmt.text import asterisk_test


def _check_plan(subject: PlanSubject) -> Iterable[Finding]:
    settings = subject.settings.pln001
    if not settings.tags:
        return
    for change in subject.plan.resource_changes:
        if change.action.destroys:
            tag = _protecting(change, settings)
            if tag is not None:
                yield _finding(subject, change, tag)


def _finding(subject: PlanSubject, change: PlannedChange, tag: str) -> Finding:
    how = "replaces" if change.action.replaces else "destroys"
    text = (
        "If it must stay, change the configuration so that the plan keeps it. If it must go, remove the tag "
        "and apply first."
    )
    fix = Fix.of(text)
    if not change.deposed:
        forget = subject.command("rm", str(change.address_before))
        fix = Fix.of(f"{text} To stop managing it without destroying it: ", forget, ".")
    return Code.PLAN_DESTROYS_PROTECTED.finding(
        "Plan destroys a protected object",
        f"The plan {how} {object_name(change)}, which has the protecting tag {tag}.",
        str(change.address),
        change_pointer(change, "actions"),
        fix,
    )


def _protecting(change: PlannedChange, settings: ProtectedTags) -> str | None:
    """Return the first tag in the settings that an object has; None if it has none."""
    before = None if change.change.before is None else loads_exact(bytes(change.change.before), replace_invalid=True)
    if not isinstance(before, Members):
        return None
    given = [pair for name, value in before if name in settings.attributes for pair in _tags(value)]
    for name, wanted in settings.tags.items():
        test = asterisk_test(wanted)
        if any(key == name and test(value) for key, value in given):
            return f"{name} = {wanted}"
    return None


def _tags(value: JSONValue) -> Iterator[tuple[str, str]]:
    """Yield the names and values of tags: the members of an object, or elements with `key` and `value`."""
    if isinstance(value, Members):
        # A tag that is null does not exist.
        yield from ((name, _text(item)) for name, item in value if item is not None)
    elif isinstance(value, list):
        for element in value:
            members = dict(element) if isinstance(element, Members) else {}
            if isinstance(name := members.get("key"), str):
                yield name, _text(members.get("value"))


def _text(value: JSONValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str) else ""


RULE = Rule(Code.PLAN_DESTROYS_PROTECTED, check_plan=_check_plan)

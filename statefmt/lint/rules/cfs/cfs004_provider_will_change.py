r"""The provider instance of an object will change

## What it does
Reports, with `--config`, each object of a managed resource for which the configuration names another provider
instance than the state: a key or an alias was changed, or a module is passed another provider. Data sources are
ignored: they are only read again.

## Why is this bad?
OpenTofu does not report it. It looks for the real object through the new provider instance. If that one uses
another region or account, OpenTofu does not find the object, plans to create a second one, and loses the first, so
this is a warning.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws.by_region["us-east-1"] # the state says: aws.by_region["eu-west-1"]
}
```

## What to do
The finding says whether both use the same account and region, as far as the provider blocks and the attributes of the
object show it. If they do (for example, an alias was renamed), do nothing, or run `statetool rebind` to make the change
explicit. Otherwise keep the provider of the resource, and create a new resource. `statetool adopt` finds the right
instances after a change from copies of blocks to `for_each`.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.facts import object_facts, settings_facts
from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.analysis.providers.mismatches import Mismatches
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.remedies import fates_with, finding, name, put_back, rebinding
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import AbsProviderInstance, ResourceMode
from statefmt.model.findings import Code, Finding, Fix

_WRONG = " That is wrong: "
_SUMMARY = "Provider instance will change"


def _check(subject: Subject) -> Iterable[Finding]:
    changing = fates_with(subject, FateKind.REBOUND)
    if not changing or subject.configuration is None:
        return
    places = _Places(subject.configuration)
    for fate in changing:
        if fate.address.resource.resource.mode is not ResourceMode.DATA:
            yield _finding(subject, fate, places)


class _Places:
    """Finds out whether objects are in the account and region of their next provider instance."""

    def __init__(self, references: ProviderReferences) -> None:
        self._references = references
        self._mismatches = Mismatches(references)
        self._equal: dict[tuple[AbsProviderInstance, AbsProviderInstance], bool] = {}

    def sentence(self, fate: Fate) -> str:
        """Return what is known: " Both …" if it is the same place, what differs if it is not, else ""."""
        assert fate.needed is not None
        against = self._mismatches.of(fate.address, fate.obj, fate.needed)
        if against is not None:
            return f"{_WRONG}{against}."
        if self._are_equal(fate.bound, fate.needed):
            return " Both have equal arguments."
        source = fate.needed.config.provider
        facts = object_facts(source, fate.address.resource.resource.type, fate.obj)
        wanted = settings_facts(source, self._references.settings(fate.needed))
        if wanted and all(facts.get(kind) == value for kind, value in wanted.items()):
            shown = ", ".join(f"{kind} {value}" for kind, value in wanted.items())
            return f" Both the object and the new instance are in {shown}."
        return ""

    def _are_equal(self, bound: AbsProviderInstance, needed: AbsProviderInstance) -> bool:
        key = bound, needed
        if key not in self._equal:
            known = self._references.declares(bound) is True
            self._equal[key] = known and self._references.same_settings(bound, needed)
        return self._equal[key]


def _finding(subject: Subject, fate: Fate, places: _Places) -> Finding:
    assert fate.needed is not None
    known = places.sentence(fate)
    detail = (
        f"{name(fate)} is bound to {fate.bound} in the state. According to the configuration, the next apply "
        f"{'manages' if fate.declared else 'destroys'} it through {fate.needed}.{known}"
    )
    range_ = fate.binding.range if fate.binding else None
    command = rebinding(subject, fate, fate.needed)
    again = put_back(subject, fate.bound)
    if known.startswith(_WRONG):
        fix = Fix.of("Use the provider instance of the account and region that the object is in.")
    elif command is not None:
        doubt = "" if known.startswith(" Both") else "If both use the same account and region: "
        fix = Fix.of(doubt, command, ".")
    else:
        fix = Fix.of(
            "All instances of a resource must move to another provider configuration together, and it does not have "
            "a provider instance for each."
        )
    if not _can_be_named(fate):
        return finding(fate, Code.PROVIDER_WILL_CHANGE, _SUMMARY, detail, fix, range_)
    other = f" Otherwise name the one from the state in the configuration{f', and {again.how}:' if again else '.'}"
    fix = Fix.of(fix, other, snippet=again.snippet if again else "")
    return finding(fate, Code.PROVIDER_WILL_CHANGE, _SUMMARY, detail, fix, range_)


def _can_be_named(fate: Fate) -> bool:
    """Whether the state's provider belongs to the object's module or one of its ancestors; a move can change that."""
    names = fate.bound.config.module.names
    return fate.address.module.module().names[: len(names)] == names


RULE = Rule(Code.PROVIDER_WILL_CHANGE, _check)

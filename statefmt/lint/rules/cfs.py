"""Rules about configurations compared with a state (CFS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from statefmt.analysis.providers.facts import object_facts, settings_facts
from statefmt.analysis.providers.fates import Fate, FateKind, keys_in_configuration
from statefmt.analysis.providers.mismatches import Mismatches
from statefmt.configuration.model import ProviderBlock
from statefmt.configuration.moves import DeclaredMove
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import Range
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import place, where
from statefmt.lint.remedies import (
    as_in_state,
    configuration,
    fates,
    fates_with,
    finding,
    in_module,
    missed_keys,
    name,
    nearest_module,
    pointer,
    provider_block,
    put_back,
    rebind_or_forget,
    rebinding,
    removed_block_note,
)
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ResourceMode
from statefmt.model.findings import Code, Finding, Fix


def _each(kind: FateKind, report: Callable[[Subject, Fate], Finding]) -> Callable[[Subject], Iterable[Finding]]:
    """Return the check of a rule that reports all fates of one kind."""
    return lambda subject: [report(subject, fate) for fate in fates_with(subject, kind)]


def _configuration_gone(subject: Subject, fate: Fate) -> Finding:
    references = configuration(subject)
    assert fate.needed is not None
    config = fate.needed.config
    # Use one name for one provider: the configuration may have it under OpenTofu's registry.
    shown = as_in_state(fate, fate.needed).config
    detail = (
        f"To work with {name(fate)} its {'' if fate.declared else 'original '}provider configuration at {shown} is "
        f"required, but it {'does not exist' if fate.declared else 'has been removed'}.{removed_block_note(fate)}"
    )
    snippet = provider_block(references, config, missed_keys(subject, config), fate.bound.key)
    here = in_module(config.module)
    if fate.declared:
        advice = f"Name an existing provider configuration in its resource block, or add this one {here}:"
        fix = Fix.of(advice, snippet=snippet)
    elif config.module in references.configuration.modules:
        until = f"Keep the provider block {here} until one apply has destroyed the object. "
        fix = Fix.of(until, rebind_or_forget(subject, fate), " The block to add:", snippet=snippet)
    else:
        around = in_module(nearest_module(references, config.module))
        until = (
            f"Call {config.module} again {around}, with only the provider block in it, until one apply has "
            "destroyed the object. "
        )
        fix = Fix.of(until, rebind_or_forget(subject, fate), " What to add:", snippet=snippet)
    return finding(fate, Code.PROVIDER_CONFIGURATION_GONE, "Provider configuration not present", detail, fix)


def _instance_gone(subject: Subject, fate: Fate) -> Finding:
    references = configuration(subject)
    assert fate.needed is not None
    block = references.tree.declared.get(fate.needed.config)
    shown = as_in_state(fate, fate.needed)
    range_ = None if block is None else block.for_each.range if block.for_each else block.range
    detail = (
        f"To work with {name(fate)} its {'' if fate.declared else 'original '}provider instance at {shown} is "
        f"required, but {_why(fate, block)}{removed_block_note(fate)}"
    )
    again = put_back(subject, fate.needed)
    assert again is not None, "the provider instance is not declared"
    how = again.how[0].upper() + again.how[1:]
    if fate.declared:
        fix = Fix.of(
            f"{how}, until the resource block no longer uses it and one apply has destroyed the object:",
            snippet=again.snippet,
        )
    else:
        until = f"{how} until one apply has destroyed the object, and only then remove it. "
        fix = Fix.of(until, rebind_or_forget(subject, fate), " The block until then:", snippet=again.snippet)
    return finding(fate, Code.PROVIDER_INSTANCE_GONE, "Provider instance not present", detail, fix, range_)


def _why(fate: Fate, block: ProviderBlock | None) -> str:
    assert fate.needed is not None
    if block is None:
        return "a default configuration has no keys."
    if fate.needed.key is NO_KEY:
        return f"the provider block at {where(block.range)} now has for_each, and no instance without a key."
    if block.for_each is None:
        return f"the provider block at {where(block.range)} has no for_each, and so no instance with a key."
    return f"its key is not in the for_each at {where(block.for_each.range)}."


def _fallback_impossible(subject: Subject, fate: Fate) -> Finding:
    assert fate.binding is not None
    detail = (
        f"Provider from configuration {fate.binding.config} does not match provider from state {fate.bound.config} for "
        f"{name(fate)}, which will be destroyed."
    )
    again = put_back(subject, fate.bound)
    passed = fate.binding.resolved.key
    here = f"in the call of {passed.module}" if passed else "in the block"
    fix = Fix.of(
        f"Name the provider configuration from the state {here}"
        f"{f', and {again.how},' if again else ''} until one apply has destroyed the object. ",
        rebind_or_forget(subject, fate),
        " What to add until then:" if again else "",
        snippet=again.snippet if again else "",
    )
    return finding(
        fate,
        Code.PROVIDER_FALLBACK_IMPOSSIBLE,
        "Unable to use fallback provider from state",
        detail,
        fix,
        fate.binding.range,
    )


_WRONG: Final = " That is wrong: "


def _will_change(subject: Subject) -> Iterable[Finding]:
    changing = fates_with(subject, FateKind.REBOUND)
    if not changing or subject.configuration is None:
        return
    places = _Places(subject.configuration)
    for fate in changing:
        if fate.address.resource.resource.mode is not ResourceMode.DATA and not _is_converted(fate):
            yield _change(subject, fate, places)


def _is_converted(fate: Fate) -> bool:
    """Whether a `moved` block moves an object to another type: it gets the provider of that type with its new data."""
    return fate.address.resource.resource.type != fate.instance.addr.resource.resource.type


class _Places:
    """Determines whether objects are in the account and region of their next provider instance."""

    def __init__(self, references: ProviderReferences) -> None:
        self._references = references
        self._mismatches = Mismatches(references)
        self._equal: dict[tuple[AbsProviderInstance, AbsProviderInstance], bool] = {}

    def sentence(self, fate: Fate) -> str:
        """Return the known facts: " Both …" if the account and region agree, the difference if they do not, else ""."""
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


def _change(subject: Subject, fate: Fate, places: _Places) -> Finding:
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
        return finding(fate, Code.PROVIDER_WILL_CHANGE, "Provider instance will change", detail, fix, range_)
    other = f" Otherwise name the one from the state in the configuration{f', and {again.how}:' if again else '.'}"
    fix = Fix.of(fix, other, snippet=again.snippet if again else "")
    return finding(fate, Code.PROVIDER_WILL_CHANGE, "Provider instance will change", detail, fix, range_)


def _can_be_named(fate: Fate) -> bool:
    """Whether the state's provider belongs to the object's module or one of its ancestors; a move can change that."""
    names = fate.bound.config.module.names
    return fate.address.module.module().names[: len(names)] == names


def _mismatch(subject: Subject) -> Iterable[Finding]:
    references = subject.configuration
    if references is None:
        return
    mismatches = Mismatches(references)
    for fate in fates(subject):
        if fate.outcome not in (FateKind.KEPT, FateKind.REBOUND) or fate.needed is None:
            continue
        if fate.address.resource.resource.mode is ResourceMode.DATA:
            continue
        found = mismatches.of(fate.address, fate.obj, fate.needed)
        if found is None:
            continue
        detail = (
            f"{name(fate)} is in {found.kind} {found.of_object}, but {fate.needed}, through which the next apply "
            f"manages it, is in {found.of_provider}."
        )
        fix = Fix.of("Name the provider instance of the account and region that the object is in.")
        range_ = fate.binding.range if fate.binding else None
        yield finding(fate, Code.PROVIDER_MISMATCH, "Provider instance contradicts the object", detail, fix, range_)


def _key_unused(subject: Subject) -> Iterable[Finding]:
    references = subject.configuration
    if references is None or subject.inspection.snapshot is None:
        return
    used = {provider for fate in fates(subject) for provider in (fate.bound, fate.needed)}
    for config, block in references.tree.declared.items():
        if block.for_each is None:
            continue
        declared, wanted = references.declared_keys(config), keys_in_configuration(references, config)
        if isinstance(declared, Unknown) or isinstance(wanted, Unknown):
            continue
        for key in declared:
            if key is NO_KEY or key in wanted or config.instance(key) in used:
                continue
            yield Code.PROVIDER_KEY_UNUSED.finding(
                "Provider instance not used",
                f"Nothing in the state or in the configuration is bound to {config.instance(key)}.",
                str(config.instance(key)),
                fix="Remove the key from the for_each, unless you plan to use it.",
                place=place(block.for_each.range),
            )


def _covered_by_move(subject: Subject) -> Iterable[Finding]:
    taken: dict[DeclaredMove, list[Fate]] = {}
    for fate in fates(subject):
        for move in fate.moves:
            taken.setdefault(move, []).append(fate)
    for move, of in taken.items():
        more = f", and {len(of) - 1} more" if len(of) > 1 else ""
        detail = f"The block moves {of[0].instance.addr} to {of[0].address}{more}; the provider is checked there."
        if _is_converted(of[0]):
            detail += f" The provider of {of[0].address} must be able to convert an object of the old type."
        yield Code.COVERED_BY_MOVE.finding(
            "Covered by a moved block", detail, str(of[0].instance.addr), place=place(move.block.range)
        )


def _provider_unknown(subject: Subject) -> Iterable[Finding]:
    by_reason: dict[tuple[str, Range | None], list[Fate]] = {}
    for fate in fates_with(subject, FateKind.UNKNOWN):
        assert fate.unknown is not None
        by_reason.setdefault((fate.unknown.reason, fate.unknown.range), []).append(fate)
    for (reason, range_), of in by_reason.items():
        more = f" (and {len(of) - 1} more {'object' if len(of) == 2 else 'objects'})" if len(of) > 1 else ""
        yield Code.PROVIDER_UNKNOWN.finding(
            "Unknown provider instance",
            f"Cannot determine which provider instance {of[0].instance.addr}{more} will need, because {reason}.",
            str(of[0].instance.addr),
            "" if range_ else pointer(of[0]),
            place=place(range_),
        )


RULES: Final = (
    Rule(
        Code.PROVIDER_CONFIGURATION_GONE,
        _each(FateKind.CONFIGURATION_GONE, _configuration_gone),
        page="""The provider configuration of an object is gone

## What it does
Reports, with `--config`, each object in the state that needs a provider configuration which does not exist: its
`provider` block was removed or got another alias, or the module that contained it is gone.

The rule first follows addresses through `moved` blocks. An object that no block declares any more needs exactly the
provider configuration that the state names. The default configuration of the root module always exists.

Data sources that no block declares any more are ignored: OpenTofu drops them from the state without using a
provider (except in `tofu destroy -refresh=false`). A data source that is still declared needs its provider like any
resource.

## Why is this bad?
The next plan fails with "Provider configuration not present", whatever else it would do. A `removed` block does not
help: OpenTofu needs the provider before it evaluates the block.

## Example
```hcl
# The state has aws_vpc.old, bound to provider["registry.opentofu.org/hashicorp/aws"].west.
# This block was removed together with the resource block:
# provider "aws" { alias = "west" … }
```

## What to do
Remove the provider in two steps: keep the `provider` block for one more apply, which destroys the object, and then
remove it. The finding shows the block to paste. If the whole module with the block is gone, it shows the call of a
module that contains only the block: calling the old source would bring back the resources instead of destroying
them.

Or bind the object to another provider instance that can manage it (`statetool rebind`), or forget it and keep the
real object (`statetool rm`).
""",
    ),
    Rule(
        Code.PROVIDER_INSTANCE_GONE,
        _each(FateKind.INSTANCE_GONE, _instance_gone),
        page="""The provider instance of an object is gone

## What it does
Reports, with `--config`, each object in the state, also deposed ones, that needs a provider instance which does not
exist: its key was removed from the `for_each` of the `provider` block, or `for_each` was added to the block or
removed from it.

OpenTofu destroys an object through the key in the state, because it can no longer evaluate the key in the resource
block. But it can evaluate a key in the `providers` of a module call, as long as that module instance exists, and
then uses it. Data sources that no block declares any more are ignored: OpenTofu drops them from the state.

## Why is this bad?
The next plan fails with "Provider instance not present". Usually the `provider` block and its resources have the
same collection in `for_each`: removing an element removes the provider instance in the same step as the resources
that it must destroy.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"]) # was: ["eu-west-1", "us-east-1"]
  region   = each.key
}
```

## What to do
Remove the element in two steps: take it out of the `for_each` of the resources, keep it in that of the provider,
and apply; then take it out of the provider's. The finding shows the block to paste, with all missing keys of its
configuration. If its `for_each` is a map, you must fill in what `each.value` was for these keys.

Or bind the object to another provider instance (`statetool rebind`), or forget it and keep the real object
(`statetool rm`, `statetool forget-deposed`).
""",
    ),
    Rule(
        Code.PROVIDER_FALLBACK_IMPOSSIBLE,
        _each(FateKind.FALLBACK_IMPOSSIBLE, _fallback_impossible),
        page="""The provider for destroying an object cannot be determined

## What it does
Reports, with `--config`, an object to be destroyed whose resource block still exists and chooses a provider
instance by a key, but of another provider configuration than the state names.

## Why is this bad?
If an instance is no longer declared, or an object is deposed, OpenTofu cannot evaluate the key in the block. Nor
can it evaluate the key in the `providers` of a module instance that is gone. It then falls back to the key in the
state, but only if both mean the same provider configuration. Otherwise the next plan fails with "Unable to use
fallback provider from state".

## Example
```hcl
resource "aws_vpc" "main" {
  for_each = toset(["eu"])                  # the state has "us" too,
  provider = aws.by_location[each.key]      # bound to aws.by_region["us"]
}
```

## What to do
Change one thing at a time: name the old provider configuration in the block, apply, and then change it. Or first
bind the resource to the new configuration in the state (`statetool rebind`): all of its instances together, each to
its own key with `--map`.
""",
    ),
    Rule(
        Code.PROVIDER_WILL_CHANGE,
        _will_change,
        page="""The provider instance of an object will change

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
""",
    ),
    Rule(
        Code.PROVIDER_KEY_UNUSED,
        _key_unused,
        page="""A provider instance is not used

## What it does
Reports, with `--config`, each key in the `for_each` of a `provider` block to which no resource instance is bound,
in the state or in the configuration. If the binding of some block is unknown, the rule reports nothing about its
provider.

## Why is this bad?
Nothing is wrong: a provider instance must outlive its resources by one apply, and can be removed after that. But
OpenTofu configures every instance in every run, which takes time and credentials, so this is information.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1", "us-east-1"]) # nothing is in us-east-1 any more
}
```

## What to do
Remove the key, unless you plan to use it.
""",
    ),
    Rule(
        Code.COVERED_BY_MOVE,
        _covered_by_move,
        page="""A moved block moves objects of the state

## What it does
Reports, with `--config`, each `moved` block that moves objects of the state to another address. The provider of
these objects is checked at the new address. If the block moves them to another type, the provider of that type takes
them over and converts them, so that CFS004 does not report the change.

## Why is this bad?
Nothing is wrong: without the block, OpenTofu would destroy the objects at their old address, perhaps through a
provider that is gone. The finding explains why there is no other finding about them, so this is information.

## Example
```hcl
moved {
  from = aws_vpc.old
  to   = module.network.aws_vpc.main
}
```

## What to do
Apply the block everywhere before you remove it.
""",
    ),
    Rule(
        Code.PROVIDER_UNKNOWN,
        _provider_unknown,
        page="""The provider instance of an object is unknown

## What it does
Reports, with `--config`, the objects whose provider instance depends on something that is not known from the
configuration and the values of its variables alone: attributes of resources, results of data sources, a variable
without a value, a function that statetool does not know, a file that cannot be read. There is one finding for each
reason.

## Why is this bad?
`check` cannot say whether the provider of these objects will exist, and it does not guess, so this is information.

## Example
```hcl
resource "aws_vpc" "main" {
  for_each = data.aws_regions.all.names
  provider = aws.by_region[each.key]
}
```

## What to do
Set the variables (`--var`, `--var-file`), or compute the collection from variables and local values.
""",
    ),
    Rule(
        Code.PROVIDER_MISMATCH,
        _mismatch,
        page="""An object is not in the account or region of its provider instance

## What it does
Reports, with `--config`, each object of a managed resource whose attributes say another account, subscription, project
or region than the arguments of the provider instance that the configuration uses for it. Only facts count that the
resource takes from its provider: a `region` or `project` that its block sets is none, nor is the ARN of a global
service. The providers of AWS, Google, Azure, Oracle, Alibaba and some others are known.

## Why is this bad?
OpenTofu looks for the object where it is not, finds nothing, and plans to create a second one. It loses the first.

## Example
```hcl
resource "aws_sqs_queue" "jobs" {
  provider = aws.by_region["us-east-1"] # its ARN is arn:aws:sqs:eu-west-1:111111111111:jobs
}
```

## What to do
Use the provider instance of the account and region that the object is in. `statetool adopt` finds it where objects
moved to a `for_each`.
""",
    ),
)

r"""Some objects of a resource have a provider key and others do not

## What it does
Reports a resource whose objects all belong to one provider configuration, but some to an instance with a key and
others to the instance without one.

## Why is this bad?
A `provider` block either has `for_each` or it does not. So some of the objects are bound to a provider instance
that does not exist, and the next plan can neither refresh nor destroy them. OpenTofu reads the state without a
message, so this is a warning.

## Example
```json
{"index_key": "a", "provider": "provider[\"…/aws\"].by_region[\"eu-west-1\"]"},
{"index_key": "b", "provider": "provider[\"…/aws\"].by_region"}
```

## What to do
Bind the other objects as well, each with
`statetool rebind 'aws_vpc.main["b"]' 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us-west-2"]'`.
"""

from collections.abc import Iterable, Sequence

from statefmt.lint.provider_addresses import provider_in_force, providers
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ResourcePart, Subject, blocks_by_address, instance_address, objects_of
from statefmt.model.addrs import NO_KEY, AbsProviderInstance
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    if all(provider.key is NO_KEY for provider in providers(subject)):
        return
    for address, blocks in blocks_by_address(subject).items():
        if len(blocks) == 1 and len(blocks[0].document.instances or ()) < 2:
            continue
        bound = {provider for block in blocks for provider in _bound(block)}
        if len({provider.key is NO_KEY for provider in bound if provider}) < 2:
            continue
        if len({provider.config if provider else None for provider in bound}) == 1:
            yield _finding(subject, address, blocks)


def _bound(block: ResourcePart) -> Iterable[AbsProviderInstance | None]:
    """Return the distinct provider instances of a block's objects, with None for an unknown one."""
    one_of_each = {obj.provider: obj for obj in objects_of(block)}
    return [provider_in_force(block.document, obj) for obj in one_of_each.values()]


def _finding(subject: Subject, address: str, blocks: Sequence[ResourcePart]) -> Finding:
    keyed: list[str] = []
    keyless: list[tuple[str, str, str]] = []
    for block in blocks:
        for number, obj in enumerate(objects_of(block)):
            provider = provider_in_force(block.document, obj)
            if provider and provider.key is not NO_KEY:
                keyed.append(str(provider))
            else:
                place = f"{block.pointer}/instances/{number}{'/provider' if obj.provider else ''}"
                keyless.append((instance_address(block, obj), str(provider), place))
    instance, without, pointer = keyless[0]
    target = f'{without}["KEY"]'
    return Code.PROVIDER_KEYED_AND_KEYLESS.finding(
        "Provider instances with and without keys in one resource",
        f"Of the objects of {address}, {len(keyed)} belong to an instance of {without} with a key (such as "
        f"{keyed[0]}), and {len(keyless)} to the one without a key (such as that of {instance}).",
        address,
        pointer,
        Fix.of("Using the key of the right provider instance: ", subject.command_on("rebind", instance, target), "."),
    )


RULE = Rule(Code.PROVIDER_KEYED_AND_KEYLESS, _check)

"""Rules about providers of objects (PRV)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from statefmt.formats.providers import KNOWN_TYPES
from statefmt.lint.provider_addresses import NamedProvider, places, provider_in_force, provider_of_instance, providers
from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.subject import ResourcePart, Subject, instance_address, objects_of
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, IntKey, Module, ModuleInstance
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.addrs.provider import DEFAULT_HOST, DEFAULT_NAMESPACE, LEGACY_NAMESPACE, TERRAFORM_HOST, Provider
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Command, Finding, Fix
from statefmt.model.snapshot import ResourceState, Snapshot


def _sources(subject: Subject) -> Fix:
    snapshot = subject.inspection.in_terraform
    if snapshot is None:
        return subject.repairing()
    configs = [resource.provider_config for resource in snapshot.resources]
    providers = {config.provider for config in configs if config is not None}
    commands: list[str | Command | Fix] = []
    for old in sorted(provider for provider in map(str, providers) if f"/{LEGACY_NAMESPACE}/" in provider):
        type_ = old.rpartition("/")[2]
        namespace = DEFAULT_NAMESPACE if type_ in KNOWN_TYPES else "NAMESPACE"
        command = subject.command("replace-provider", old, f"{namespace}/{type_}", mends=True)
        commands += [", and " if commands else "", command]
    return Fix.of("Only Terraform reads this. Set the source, as in required_providers: ", *commands, ".")


def _legacy(subject: Subject) -> Iterable[Finding]:
    # One fix for all findings about a type, which may be very many.
    fixes: dict[str, Fix] = {}
    for place in places(subject, _is_legacy):
        type_ = place.provider.config.provider.type
        if type_ not in fixes:
            fixes[type_] = _legacy_fix(subject, type_)
        where = "" if place.instance is None else " on an instance"
        yield Code.PROVIDER_LEGACY.finding(
            "Legacy provider address",
            f"Resource {place.resource.address} has the provider address {place.text}{where}, which names the type "
            f'"{type_}" but not where the provider comes from.',
            place.resource.address,
            place.pointer,
            fixes[type_],
        )


def _is_legacy(provider: AbsProviderInstance) -> bool:
    return provider.config.provider.is_legacy


def _legacy_fix(subject: Subject, type_: str) -> Fix:
    source = f"hashicorp/{type_}" if type_ in KNOWN_TYPES else f"NAMESPACE/{type_}"
    command = subject.rewriting("--legacy-provider", f"{type_}={source}", mends=True)
    return Fix.of("Set its source, as in required_providers: ", command, ".")


def _mend_legacy(mending: Mending) -> Snapshot:
    def mended(resource: ResourceState) -> ResourceState:
        config = resource.provider_config
        if config is None or not config.provider.is_legacy or config.provider.type not in mending.sources.legacy:
            return resource
        source = mending.sources.source_of(config.provider)
        return resource if source is None else replace(resource, provider_config=replace(config, provider=source))

    return mending.with_resources(mended)


def _in_keyed_module(subject: Subject) -> Iterable[Finding]:
    reported = set()
    for place in places(subject, _is_in_module):
        address = place.resource.address
        config = place.provider.config
        keyed = _keyed_call(place.resource.document.module or "", config.module)
        if not keyed or address in reported:
            continue
        reported.add(address)
        in_root = ConfigProviderConfig(Module(), config.provider, config.alias)
        yield Code.PROVIDER_IN_KEYED_MODULE.finding(
            "Module is incompatible with count, for_each, enabled and depends_on",
            f"Resource {address} belongs to {config}, which is declared in {config.module}, but {keyed} has a key. "
            "OpenTofu refuses count and for_each on modules with their own provider configurations.",
            address,
            place.pointer,
            Fix.of(
                "Declare the provider in the root module and pass it to the module, then run ",
                # The default configuration of a provider always exists.
                subject.command("rebind", address, str(in_root), *(["--new-provider"] if in_root.alias else [])),
                ".",
            ),
        )


def _is_in_module(provider: AbsProviderInstance) -> bool:
    return not provider.config.module.is_root


@lru_cache(maxsize=4096)
def _keyed_call(text: str, declaring: Module) -> str:
    """Return the outermost module instance with a key in `text` that is or calls the declaring module, or ""."""
    try:
        steps = parse_module_instance(text).steps
    except AddressError:
        return ""
    on_the_way = steps[: len(declaring.names)]
    if tuple(step.name for step in on_the_way) != declaring.names:
        return ""
    depths = (depth for depth, step in enumerate(on_the_way, 1) if step.key is not NO_KEY)
    return str(ModuleInstance(steps[: next(depths, 0)]))


# The values of the option --registry.
_REGISTRIES = {TERRAFORM_HOST: "terraform", DEFAULT_HOST: "opentofu"}
_PROVIDERS_SHOWN = 5


def _hosts_mixed(subject: Subject) -> Iterable[Finding]:
    named = {provider.config.provider for provider in providers(subject) if _counts(provider)}
    if len({provider.hostname for provider in named}) < 2:
        return
    resources: dict[str, dict[str, NamedProvider]] = {host: {} for host in _REGISTRIES}
    for place in places(subject, _counts):
        resources[place.provider.config.provider.hostname].setdefault(place.resource.address, place)
    rare, usual = sorted(_REGISTRIES, key=lambda host: len(resources[host]))
    counts = " and ".join(
        f"{len(found)} with providers from {host} (such as {next(iter(found))})" for host, found in resources.items()
    )
    yield Code.PROVIDER_HOSTS_MIXED.finding(
        "Providers from both registries",
        f"The state has resources from both registries: {counts}.{_in_both(named)}",
        pointer=next(iter(resources[rare].values())).pointer,
        fix=Fix.of(f"To use {usual} for all: ", subject.rewriting("--registry", _REGISTRIES[usual]), "."),
    )


def _counts(provider: AbsProviderInstance) -> bool:
    source = provider.config.provider
    return source.hostname in _REGISTRIES and not source.is_legacy


def _in_both(named: set[Provider]) -> str:
    twice = sorted(
        f"{provider.namespace}/{provider.type}"
        for provider in named
        if provider.hostname == TERRAFORM_HOST and msgspec.structs.replace(provider, hostname=DEFAULT_HOST) in named
    )
    more = f" and {len(twice) - _PROVIDERS_SHOWN} more" if len(twice) > _PROVIDERS_SHOWN else ""
    return f" Providers used from both: {', '.join(twice[:_PROVIDERS_SHOWN])}{more}." if twice else ""


def _keyed_and_keyless(subject: Subject) -> Iterable[Finding]:
    if all(provider.key is NO_KEY for provider in providers(subject)):
        return
    for address, blocks in subject.blocks_by_address.items():
        if len(blocks) == 1 and len(blocks[0].document.instances or ()) < 2:
            continue
        bound = {provider for block in blocks for provider in _bound(block)}
        if len({provider.key is NO_KEY for provider in bound if provider}) < 2:
            continue
        if len({provider.config if provider else None for provider in bound}) == 1:
            yield _keyed_and_keyless_finding(subject, address, blocks)


def _bound(block: ResourcePart) -> Iterable[AbsProviderInstance | None]:
    """Return the distinct provider instances of a block's objects, with None for an unknown one."""
    one_of_each = {obj.provider: obj for obj in objects_of(block)}
    return [provider_in_force(block.document, obj) for obj in one_of_each.values()]


def _keyed_and_keyless_finding(subject: Subject, address: str, blocks: Sequence[ResourcePart]) -> Finding:
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


def _key_number(subject: Subject) -> Iterable[Finding]:
    if not any(isinstance(provider.key, IntKey) for provider in providers(subject)):
        return
    for part in subject.objects:
        provider = provider_of_instance(part.document.provider) if part.document.provider else None
        if provider is None or not isinstance(provider.key, IntKey):
            continue
        which = f"the deposed object {part.document.deposed}" if part.document.deposed else "the object"
        rebind = subject.command_on("rebind", part.address, f'{provider.config}["KEY"]', "--new-provider")
        yield Code.PROVIDER_KEY_NUMBER.finding(
            "Provider key is a number",
            f"{provider} is the provider of {which} of {part.address}, but the keys of provider instances are strings.",
            part.address,
            f"{part.pointer}/provider",
            Fix.of("Using the key of the right provider instance: ", rebind, "."),
        )


RULES: Final = (
    Rule(
        Code.PROVIDER_BOTH_LEVELS,
        fix=lambda subject: subject.rewriting_or_repairing("To keep only the level that is needed: "),
        mend=Mend("keeps what OpenTofu reads. It rewrites the state in canonical form.", is_safe=False),
        page=r"""Provider on both the resource and its instance

## What it does
Reports an instance that names a provider although its resource names one too.

## Why is this bad?
The provider of the instance takes precedence. But OpenTofu 1.8 and Terraform read only the one of the resource, so
they bind the instance to another provider instance.

## Example
```json
{"provider": "provider[\"…/aws\"].a", "instances": [{"provider": "provider[\"…/aws\"].a[\"x\"]"}]}
```

## What to do
Run `statetool fmt`, which keeps only the level that is needed; in a state that cannot be read, `statetool repair`
does.
""",
    ),
    Rule(
        Code.PROVIDER_MISSING,
        fix=Subject.repairing,
        page="""No provider on the resource or on the instance

## What it does
Reports an instance without a provider at either level.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
{"mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{}]}
```

## What to do
Name the provider with `statetool repair`, which offers those of other resources of the type.
""",
    ),
    Rule(
        Code.PROVIDER_CONFIGURATIONS_DIFFER,
        fix=Subject.repairing,
        page=r"""Instances of one resource belong to different provider configurations

## What it does
Reports a resource whose instances do not all belong to one provider configuration. Instances without a `provider`
of their own use the one of the resource.

## Why is this bad?
A resource block has one provider configuration; its instances may differ only in the instance key at the end.
OpenTofu refuses most such states. If only some instances name a provider, it silently rebinds the resource.

## Example
```json
{"provider": "provider[\"…/aws\"].east", "instances": [{}, {"provider": "provider[\"…/aws\"].west"}]}
```

## What to do
Decide which configuration manages the resource; `statetool repair` sets it for all instances.
""",
    ),
    Rule(
        Code.PROVIDER_ADDRESS_INVALID,
        fix=_sources,
        page=r"""A provider address is invalid

## What it does
Reports a `provider`, at either level, that is not a provider configuration address.

## Why is this bad?
OpenTofu refuses to read the state. OpenTofu 1.8 silently drops the resource.

Terraform reads one kind of these addresses, `provider["registry.terraform.io/-/aws"]`, and writes it when it edits a
state from before 0.13, where providers are known by their type only. statetool reads it, too, with a warning.

## Example
```json
"provider": "provider[\"a/b/c/d\"]"
```

## What to do
Correct the address with `statetool repair`: `provider["HOST/NAMESPACE/TYPE"]`, with `.ALIAS` if it has one, and on an
instance `.ALIAS["KEY"]`. For Terraform's `registry.terraform.io/-/aws`, set the source with
`statetool replace-provider registry.terraform.io/-/aws hashicorp/aws`.
""",
    ),
    Rule(
        Code.PROVIDER_KEYS_DIFFER,
        fix=Subject.repairing,
        page=r"""Objects of one instance are bound to different provider instances

## What it does
Reports an instance whose current and deposed objects name different instances of the provider configuration.

## Why is this bad?
OpenTofu keeps one provider key for each instance: that of the object it reads last. It silently rebinds the other
objects, and would then destroy a deposed object in the wrong region or account.

## Example
```json
{"index_key": "a", "provider": "….r[\"x\"]"}, {"index_key": "a", "deposed": "7c1f00aa", "provider": "….r[\"y\"]"}
```

## What to do
Destroy the deposed object with the provider instance that it belongs to, or bind both objects to the same one with
`statetool repair`.
""",
    ),
    Rule(
        Code.PROVIDER_BLOCKS_DIFFER,
        fix=Subject.repairing,
        page=r"""A resource is split into blocks with different provider configurations

## What it does
Reports a resource that is split across several entries of `resources` with different provider configurations.

## Why is this bad?
OpenTofu joins the entries, and silently binds all instances to the configuration of the last one.

## Example
```json
{"type": "aws_sns_topic", "name": "alerts", "provider": "provider[\"…/aws\"]"},
{"type": "aws_sns_topic", "name": "alerts", "provider": "provider[\"…/aws\"].west"}
```

## What to do
Decide which configuration manages the resource; `statetool repair` sets it for all instances.
""",
    ),
    Rule(
        Code.PROVIDER_LEGACY,
        _legacy,
        mend=Mend(
            "sets the source, if `--config DIR` names a configuration that has one for the type.",
            _mend_legacy,
            needs_sources=True,
        ),
        page=r"""A provider is named only by its type

## What it does
Reports a provider address from before Terraform 0.13: `provider.aws`, or one with the namespace `-`. There is one
finding for each resource and address. `provider.terraform` is not reported: it can only mean the built-in provider.

## Why is this bad?
The address does not say where the provider comes from, so `init` looks for a provider of that type in the namespace
`hashicorp`, or fails. OpenTofu reads such a state, so this is a warning. Terraform reads `provider.aws`, but silently
drops every resource whose address has the host `registry.opentofu.org` and the namespace `-`.

## Example
```json
{"type": "aws_vpc", "name": "main", "provider": "provider[\"registry.opentofu.org/-/aws\"]"}
```

## What to do
Set the source that the configuration has in `required_providers`. For HashiCorp's own providers, name the engine that
will read the state: `statetool fmt --registry opentofu` or `statetool fmt --registry terraform`. For others, add
`--legacy-provider acme=acme-corp/acme`. Use `statetool upgrade` with the same options for older formats; it also finds
the sources itself in `.terraform.lock.hcl` beside the state, or in the configuration with `--config DIR`.
""",
    ),
    Rule(
        Code.PROVIDER_IN_KEYED_MODULE,
        _in_keyed_module,
        page=r"""A provider configuration is inside a module with keys

## What it does
Reports a resource in a module instance with a key (`module.app["a"]`) whose provider configuration is declared in
that module or in a module that it calls.

## Why is this bad?
OpenTofu refuses `count` and `for_each` on a module that has its own provider configurations, so the resource cannot
stay bound to this one. The state itself can be read, and the problem only shows in the next plan, so this is
a warning.

## Example
```json
{"module": "module.app[\"a\"]", "type": "aws_sqs_queue", "name": "jobs",
 "provider": "module.app.provider[\"registry.opentofu.org/hashicorp/aws\"]"}
```

## What to do
Move the `provider` block to the root module, pass it to the module in `providers`, and set the resource's
`provider` to the configuration of the root module: `provider["registry.opentofu.org/hashicorp/aws"]`.
""",
    ),
    Rule(
        Code.PROVIDER_HOSTS_MIXED,
        _hosts_mixed,
        page=r"""Providers come from both registries

## What it does
Reports a state with providers from both `registry.terraform.io` and `registry.opentofu.org`. There is one finding
for the whole file; it names the providers that come from both. Other registries, and addresses without a source,
are ignored.

## Why is this bad?
To OpenTofu and Terraform these are different providers. They install both, each with its own configuration, and
plan a resource under the wrong one with a provider that the configuration no longer has. An interrupted migration
leaves such a state behind. It can be read, and some configurations intend it, so this is a warning.

## Example
```json
{"type": "aws_vpc", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]"},
{"type": "aws_vpc", "name": "b", "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"]"}
```

## What to do
Choose one registry for all providers: `statetool fmt --registry opentofu` or `statetool fmt --registry terraform`.
To move single providers:
`statetool replace-provider registry.terraform.io/hashicorp/aws registry.opentofu.org/hashicorp/aws`.
""",
    ),
    Rule(
        Code.PROVIDER_KEYED_AND_KEYLESS,
        _keyed_and_keyless,
        page=r"""Some objects of a resource have a provider key and others do not

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
""",
    ),
    Rule(
        Code.PROVIDER_KEY_NUMBER,
        _key_number,
        page=r"""A provider key is a number

## What it does
Reports a provider address that ends with a number as the key of the provider instance.

## Why is this bad?
A `provider` block has `for_each` and no `count`, so the keys of its instances are strings: no configuration has the
instance `by_region[0]`, and `by_region["0"]` is another one. The next plan can neither refresh nor destroy the objects.
OpenTofu reads the state without a message, so this is a warning.

## Example
```json
"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].by_region[0]"
```

## What to do
Bind the objects to an instance that the configuration has, such as
`statetool rebind 'aws_vpc.main["b"]' 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us-west-2"]'`, with
`--new-provider` if nothing in the state is bound to it yet.
""",
    ),
)

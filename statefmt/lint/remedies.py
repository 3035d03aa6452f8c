"""Determines the fates of a state's objects under a configuration, and suggests remedies for a missing provider.

The remedies are commands that bind an object to another provider instance or forget it, and blocks that declare the
provider for one more apply.

Sources: RFC "Static Evaluation of Provider Iteration" (a resource has one provider configuration, and its instances
differ only in the key; removing elements); RFC "Dynamic Provider Instances and Instance Assignment" (a module that is
removed with a provider in it); OpenTofu's advice, `internal/tofu/node_resource_abstract_instance.go`,
resolveProvider.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.providers.fates import Fate, FateKind, provider_fates
from statefmt.configuration.model import Declarations, ProviderBlock
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import local_name_of, provider_named
from statefmt.golang import quote
from statefmt.hcl.source import Range
from statefmt.hcl.syntax import AttributeAccess, Call, Literal, Traversal, TupleExpression, references as references_in
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import place, where
from statefmt.lint.subject import Subject
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    Module,
    StringKey,
    key_order,
)
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import SetType
from statefmt.model.findings import Code, Finding, Fix

_HAS_PROVIDER: Final = (FateKind.KEPT, FateKind.REBOUND)


def configuration(subject: Subject) -> ProviderReferences:
    """Return the configuration to compare with the state; it must be set."""
    assert subject.configuration is not None
    return subject.configuration


def fates(subject: Subject) -> Sequence[Fate]:
    """Return the fate of each object; empty without a configuration or a readable state."""
    return subject.once(_fates)


def fates_with(subject: Subject, outcome: FateKind) -> list[Fate]:
    """Return the fates with the given outcome."""
    return [fate for fate in fates(subject) if fate.outcome is outcome]


def _fates(subject: Subject) -> Sequence[Fate]:
    if subject.configuration is None or subject.inspection.snapshot is None:
        return ()
    return provider_fates(subject.inspection.snapshot, subject.configuration)


def _by_instance(subject: Subject) -> dict[AbsResourceInstance, AbsProviderInstance]:
    """Return the declared provider instance of each instance, from its first object that has one."""
    found: dict[AbsResourceInstance, AbsProviderInstance] = {}
    for fate in fates(subject):
        if fate.declared and fate.outcome in _HAS_PROVIDER:
            assert fate.needed is not None
            found.setdefault(fate.instance.addr, fate.needed)
    return found


def _by_resource(subject: Subject) -> dict[AbsResource, list[Fate]]:
    found: dict[AbsResource, list[Fate]] = {}
    for fate in fates(subject):
        found.setdefault(fate.instance.addr.containing_resource(), []).append(fate)
    return found


def pointer(fate: Fate) -> str:
    """Return the JSON pointer to the object, or "" if unknown."""
    origin = fate.obj.origin
    return "" if origin is None else f"/resources/{origin[0]}/instances/{origin[1]}"


def name(fate: Fate) -> str:
    """Return the name of the object for a sentence: `aws_vpc.main["eu"]`, `aws_vpc.main's deposed object 0f3a`."""
    return f"{fate.instance.addr}'s deposed object {fate.obj.deposed}" if fate.obj.deposed else str(fate.instance.addr)


def finding(fate: Fate, code: Code, summary: str, detail: str, fix: Fix, range_: Range | None = None) -> Finding:
    """Return a finding about one object, with a place in the configuration if `range_` is given."""
    return code.finding(summary, detail, str(fate.instance.addr), pointer(fate), fix, place(range_))


# Every candidate is evaluated for every object.
_MOST_COMPARED: Final = 50
_PLAIN_KEY = re.compile(r"[A-Za-z][\w.-]*")


def rebind_or_forget(subject: Subject, fate: Fate) -> Fix:
    """Return the commands that bind the object to another provider instance, or forget it."""
    address = str(fate.instance.addr)
    forget = (
        Fix.of("Or forget it with ", subject.command_on("forget-deposed", address), ".")
        if fate.obj.deposed
        else Fix.of("Or forget it, and keep the real object, with ", subject.command_on("rm", address), ".")
    )
    for other in _other_instances(subject, fate):
        bound = rebinding(subject, fate, other)
        if bound is not None:
            to = as_in_state(fate, other)
            return Fix.of(f"Or bind it to {to}, whose arguments are the same, with ", bound, ". ", forget)
    if next(_candidates(subject, fate), None) is not None:
        return Fix.of("Or rebind it to a provider instance of the same account and region, if there is one. ", forget)
    return forget


def rebinding(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> Fix | None:
    """Return the command that binds the object to a provider instance, or None if there is none.

    The instances of a resource can move to another configuration only together. Each then gets its own matching key;
    the result is None if another instance has no such key.
    """
    to = as_in_state(fate, provider)
    # The provider may be new to the state.
    config = ("--config", configuration(subject).configuration.directory)
    if provider.config == fate.bound.config:
        return subject.command("rebind", str(fate.instance.addr), str(to), *config)
    address = str(_resource(fate))
    going = _going(subject, fate, provider)
    if going.homeless:
        if len(going.homeless) > 1 or going.homeless[0] is not fate:
            return None
        going = _joint({**going.keys, fate.bound.key: {*going.keys.get(fate.bound.key, ()), provider.key}}, [])
    if going.together:
        return subject.command("rebind", address, str(to), *config)
    if going.pairs:
        return subject.command("rebind", address, str(to.config), "--map", going.pairs, *config)
    rebind = subject.command("rebind", address, str(to), *config)
    return Fix.of(rebind, ", which moves all its instances: rebind the others afterwards")


class _Going(NamedTuple):
    """The provider keys of a resource's objects in another configuration: new keys by old keys.

    `homeless` are the objects without a new key. `together` is set if all get the same key. `pairs` is the argument
    of `--map`, or "" if an old key has several new ones.
    """

    keys: dict[InstanceKey, set[InstanceKey]]
    homeless: list[Fate]
    together: bool
    pairs: str


def _joint(keys: dict[InstanceKey, set[InstanceKey]], homeless: list[Fate]) -> _Going:
    together = len(set().union(*keys.values())) == 1
    pairs = ""
    if not together and all(len(each) == 1 for each in keys.values()):
        pairs = ",".join(f"{_map_key(old)}={_map_key(*new)}" for old, new in keys.items())
    # Use a placeholder for long maps, since the command is repeated for each object.
    return _Going(keys, homeless, together, pairs if len(keys) <= _MOST_KEYS else "OLD=NEW,...")


def _going(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> _Going:
    known = subject.once(_nothing_known)
    address = _resource(fate), provider.config
    if address not in known:
        keys: dict[InstanceKey, set[InstanceKey]] = {}
        homeless = []
        for each in subject.once(_by_resource)[address[0]]:
            key = _key_for(subject, each, provider)
            if key is None:
                homeless.append(each)
            else:
                keys.setdefault(each.bound.key, set()).add(key)
        known[address] = _joint(keys, homeless)
    return known[address]


def _nothing_known(subject: Subject) -> dict[tuple[AbsResource, ConfigProviderConfig], _Going]:
    return {}


def removed_block_note(fate: Fate) -> str:
    """Return a note that a `removed` block does not help, if one exists: OpenTofu needs the provider first."""
    if fate.removal is None:
        return ""
    return f" The removed block at {where(fate.removal.block.range)} needs it too."


def _resource(fate: Fate) -> AbsResource:
    return fate.instance.addr.containing_resource()


def as_in_state(fate: Fate, provider: AbsProviderInstance) -> AbsProviderInstance:
    """Return a provider instance with the source from the state, which may be in Terraform's registry."""
    own = fate.instance.provider(fate.obj)
    assert own is not None, "an object without a provider has no fate"
    if own.config.provider == fate.bound.config.provider or provider.config.provider != fate.bound.config.provider:
        return provider
    return structs.replace(provider, config=structs.replace(provider.config, provider=own.config.provider))


def _map_key(key: InstanceKey) -> str:
    """Format a key for `--map`, quoted if it would otherwise be misread."""
    if not isinstance(key, StringKey):
        return ""
    return key.value if _PLAIN_KEY.fullmatch(key.value) else str(key)[1:-1]


def _key_for(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> InstanceKey | None:
    """Return the key of an object that moves to the configuration of `provider`, or None if there is none."""
    if fate.needed is not None and fate.needed.config == provider.config and fate.outcome in _HAS_PROVIDER:
        return fate.needed.key
    for key in (fate.bound.key, NO_KEY):
        if _has(subject, provider.config, key):
            return key
    return None


def _other_instances(subject: Subject, fate: Fate) -> Iterator[AbsProviderInstance]:
    """Yield existing provider instances with the same arguments as the object's, the likeliest first.

    Another account or region would not have the object. The first is the provider instance of another object of the
    same instance, or else the one in the resource block, then others of the same provider: in its own configuration,
    then in configurations of its module or ancestors.
    """
    references = configuration(subject)
    mine = fate.needed if fate.needed is not None and fate.needed.config == fate.bound.config else fate.bound
    for other in _candidates(subject, fate):
        if references.same_settings(mine, other):
            yield other


def _candidates(subject: Subject, fate: Fate) -> Iterator[AbsProviderInstance]:
    references = configuration(subject)
    existing = subject.once(_by_instance).get(fate.instance.addr)
    if existing is not None:
        # All objects of an instance move together, and one already has the right provider.
        yield existing
        return
    if fate.binding is not None and fate.needed is not None and _has(subject, fate.needed.config, fate.needed.key):
        yield fate.needed
    inside = fate.instance.addr.module.module().names
    own = [fate.bound.config] if fate.binding is None else [fate.binding.config, fate.bound.config]
    others = [
        config
        for config in references.tree.declared
        if config.provider == fate.bound.config.provider and inside[: len(config.module.names)] == config.module.names
    ]
    for config in (*own, *others):
        if _has(subject, config, fate.bound.key):
            yield config.instance(fate.bound.key)
        else:
            yield from map(config.instance, _keys(subject, config)[:_MOST_COMPARED])


def _has(subject: Subject, config: ConfigProviderConfig, key: InstanceKey) -> bool:
    references = configuration(subject)
    # A configuration without an alias cannot have keys.
    return (bool(config.alias) or key is NO_KEY) and references.declares(config.instance(key)) is True


def _keys(subject: Subject, config: ConfigProviderConfig) -> Sequence[InstanceKey]:
    """Return the keys of a provider configuration; none if it does not exist or its keys are unknown."""
    references = configuration(subject)
    keys = references.declared_keys(config) if references.tree.exists(config) else ()
    return () if isinstance(keys, Unknown) else keys


class PutBack(NamedTuple):
    """The beginning of a sentence ("put its key back"), and the block to paste."""

    how: str
    snippet: str


def put_back(subject: Subject, provider: AbsProviderInstance) -> PutBack | None:
    """Return how to restore a provider instance, with all missing ones of its configuration; None if it exists.

    A block cannot have instances both with and without keys: if `for_each` was added or removed, restore the old
    form.
    """
    references = configuration(subject)
    config = provider.config
    declared = references.declares(provider)
    if isinstance(declared, Unknown) or declared:
        return None
    block = references.tree.declared.get(config)
    keys = _bound_keys(subject, config)
    if block is None:
        how = f"put its block back {in_module(nearest_module(references, config.module))}"
    elif provider.key is NO_KEY:
        how, keys = "go back to the block without for_each, and to references without a key", ()
    elif block.for_each is None:
        how = "go back to the block with for_each, and to references with a key"
    else:
        how = "put its key back into the for_each of the provider"
        missed = missed_keys(subject, config)
        keys = missed if provider.key in missed else [provider.key, *missed]
    return PutBack(how, provider_block(references, config, keys, provider.key))


def missed_keys(subject: Subject, config: ConfigProviderConfig) -> Collection[InstanceKey]:
    """Return the missing keys of a provider configuration for the objects that lose their provider."""
    return subject.once(_missed).get(config, ())


def _missed(subject: Subject) -> dict[ConfigProviderConfig, dict[InstanceKey, None]]:
    found: dict[ConfigProviderConfig, dict[InstanceKey, None]] = {}
    for fate in fates(subject):
        if fate.outcome is FateKind.INSTANCE_GONE and fate.needed is not None:
            found.setdefault(fate.needed.config, {})[fate.needed.key] = None
        elif fate.outcome is FateKind.CONFIGURATION_GONE:
            found.setdefault(fate.bound.config, {})[fate.bound.key] = None
    return found


def _bound_keys(subject: Subject, config: ConfigProviderConfig) -> Collection[InstanceKey]:
    """Return the keys of a provider configuration that the state uses."""
    return subject.once(_bound).get(config, ())


def _bound(subject: Subject) -> dict[ConfigProviderConfig, dict[InstanceKey, None]]:
    found: dict[ConfigProviderConfig, dict[InstanceKey, None]] = {}
    for fate in fates(subject):
        found.setdefault(fate.bound.config, {})[fate.bound.key] = None
    return found


# Suffix for the directory of a module that contains only the provider of a removed module.
_ENDING = "-until-destroyed"
_OLD_VALUE: Final = "OLD_VALUE"
# Limits the keys listed in a finding, since there may be as many findings as keys.
_MOST_KEYS: Final = 50


def provider_block(
    references: ProviderReferences,
    config: ConfigProviderConfig,
    keys: Collection[InstanceKey],
    own: InstanceKey = NO_KEY,
) -> str:
    """Return a `provider` block with the given and the already declared instances.

    If there are too many for each finding, the block has only some of them, including `own`, and a comment.

    The block replaces the existing one, if any. If the module is gone, the result includes the call of a module that
    contains only the block.
    """
    module = references.configuration.modules.get(config.module)
    if module is None:
        return _module(references, config, keys, own)
    return "\n".join(_block(references, config, keys, own, module.declarations))


def _block(
    references: ProviderReferences,
    config: ConfigProviderConfig,
    keys: Collection[InstanceKey],
    own: InstanceKey,
    within: Declarations,
) -> Iterator[str]:
    declared = references.tree.declared.get(config)
    name = declared.name if declared else _free_name(within, config.provider)
    if provider_named(within, name) != config.provider:
        source = f"{name} = {{ source = {quote(config.provider.display)} }}"
        # A module can have only one required_providers block.
        if within.required_providers:
            yield f"# in required_providers: {source}"
        else:
            yield from ("terraform {", "  required_providers {", f"    {source}", "  }", "}", "")
    yield f"provider {quote(name)} {{"
    arguments = {"alias": quote(config.alias)} if config.alias else {}
    listed = islice(keys, _MOST_KEYS) if len(keys) <= _MOST_KEYS else (own, *islice(keys, _MOST_KEYS))
    wanted = {key for key in listed if isinstance(key, StringKey)}
    note: tuple[str, ...] = ()
    if wanted:
        note, arguments["for_each"] = _for_each(references, config, declared, wanted)
    if len(keys) > _MOST_KEYS:
        note += (f"  # {len(keys) - len(wanted):,} more keys are missing: `statetool providers --config` lists them.",)
    width = max(map(len, arguments), default=0)
    for argument, value in arguments.items():
        if argument == "for_each":
            yield from note
        yield f"  {argument:<{width}} = {value}"
    yield f"  # all other arguments {f'as in {where(declared.range)}' if declared else 'as they were'}"
    yield "}"


def _free_name(within: Declarations, provider: Provider) -> str:
    """Return the local name of a provider in a module, or a free one: its type, if that names no other provider."""
    name = local_name_of(within, provider)
    if name in within.required_providers and provider_named(within, name) != provider:
        return f"{provider.namespace}-{provider.type}"
    return name


def _for_each(
    references: ProviderReferences,
    config: ConfigProviderConfig,
    declared: ProviderBlock | None,
    wanted: Collection[StringKey],
) -> tuple[tuple[str, ...], str]:
    """Return comment lines and an expression for a collection that includes the wanted keys."""
    if declared is None or declared.for_each is None:
        return (), f"toset([{_list(wanted)}])"
    text = declared.for_each_text
    if _is_list_of_texts(declared):
        known = references.declared_keys(config)
        keys = () if isinstance(known, Unknown) else known
        return (), f"toset([{_list({*wanted, *(key for key in keys if isinstance(key, StringKey))})}])"
    if isinstance(references.for_each_type(config), SetType):
        return (), f"setunion({text}, [{_list(wanted)}])"
    # If the block uses each.value, null would fail. No resource has this name, so the block is refused until a user
    # replaces it.
    value = _OLD_VALUE if _uses_each_value(declared) else "null"
    note = (f"  # Replace {_OLD_VALUE} by the value that the key had.",) if value == _OLD_VALUE else ()
    items = ", ".join(f"{_text(key)} = {value}" for key in sorted(wanted, key=key_order))
    return note, f"merge({text}, {{ {items} }})"


def _uses_each_value(block: ProviderBlock) -> bool:
    """Return whether the arguments of a provider block use, or may use, `each.value`."""

    def is_each_value(reference: Traversal) -> bool:
        first = reference.steps[0] if reference.steps else None
        return reference.root == "each" and isinstance(first, AttributeAccess) and first.name == "value"

    return any(
        expression is None or any(map(is_each_value, references_in(expression))) for _, expression in block.settings
    )


def _list(keys: Iterable[StringKey]) -> str:
    return ", ".join(map(_text, sorted(keys, key=key_order)))


def _text(key: StringKey) -> str:
    """Return a key as a quoted HCL string."""
    return str(key)[1:-1]


def _is_list_of_texts(block: ProviderBlock) -> bool:
    """Whether `for_each` is `toset(["a", "b"])`."""
    expression = block.for_each.expression if block.for_each else None
    if not isinstance(expression, Call) or expression.name != "toset" or len(expression.arguments) != 1:
        return False
    items = expression.arguments[0]
    return isinstance(items, TupleExpression) and all(
        isinstance(item, Literal) and isinstance(item.value, str) for item in items.items
    )


def _module(
    references: ProviderReferences, config: ConfigProviderConfig, keys: Collection[InstanceKey], own: InstanceKey
) -> str:
    """Return nested calls of otherwise empty modules, down to the module with the provider block.

    Their directories are below the directory of the nearest module that still exists.
    """
    lines: list[str] = []
    directory = ""
    for name in config.module.names[len(nearest_module(references, config.module).names) :]:
        directory += f"{name}{_ENDING}/"
        lines += [f'module "{name}" {{', f'  source = "./{name}{_ENDING}"', "}", "", f"# {directory}main.tf"]
    return "\n".join([*lines, *_block(references, config, keys, own, Declarations(directory))])


def nearest_module(references: ProviderReferences, module: Module) -> Module:
    """Return the module itself, or its nearest ancestor that still exists."""
    while module not in references.configuration.modules:
        module = module.parent()
    return module


def in_module(module: Module) -> str:
    """Return "in MODULE" for a sentence."""
    return f"in {module}" if module else "in the root module"

"""Offers choices for resources whose providers are missing, unreadable or in conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from itertools import islice
from typing import Final, TypeAlias

from msgspec.structs import replace

from statefmt.edit.repairs._loose_state import PROVIDER, LooseObject, LooseState
from statefmt.edit.repairs.member_choices import Choice
from statefmt.formats.providers import KNOWN_TYPES
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig
from statefmt.model.addrs.parsing import parse_abs_resource
from statefmt.model.addrs.provider import DEFAULT_NAMESPACE
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.provider_binding import Unreadable, read_as_terraform, read_config, read_instance


def provider_conflict_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind all objects of the resource to one configuration; objects of that configuration keep their keys."""
    objects = state.objects(path[:2])

    def bind(given: str) -> Rebound:
        return _bound_to(state, path, given)

    configs = Counter(one.provider.config for one in objects if one.provider is not None)
    for bound in state.providers(path[:2])[:MOST_OFFERED]:
        text = provider_text(bound)
        yield chosen_provider(text, f"bind {counted(len(objects) - configs[bound.config], len(objects))} to it", bind)
    yield from configured_provider(
        state, path, objects, lambda found: rebound(state, path[:2], lambda one: found.get(one.path, one.provider))
    )
    yield named_provider("bind the objects of other configurations to it", bind, alone=True)


def provider_blocks_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind all objects to one configuration, or remove a block without objects."""
    return _empty_block(state, path) if path[-1] == PROVIDER else provider_conflict_choices(state, path, finding)


def _empty_block(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    """Keep the configuration of the objects, or bind them to the configuration of the later block without objects."""
    block = path[:2]
    last = state.string((*block, PROVIDER))
    yield Choice("remove", "remove the block, which has no objects", lambda _: {block: None})
    yield chosen_provider(last, "bind all objects to it", lambda given: _bound_to(state, path, given))
    yield named_provider("bind the objects of other configurations to it", lambda given: _bound_to(state, path, given))


def provider_keys_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind the current and the deposed objects of one instance to one provider instance."""
    objects = state.objects_with_key(path[:4])

    def bind(given: str) -> Rebound:
        target = provider_instance(given)
        return named_each(state, dict.fromkeys(objects, target))

    used = Counter(one.provider for one in objects if one.provider is not None)
    for bound, number in used.most_common(MOST_OFFERED):
        yield chosen_provider(str(bound), f"bind {counted(len(objects) - number, len(objects))} to it", bind)
    yield from configured_provider(
        state, path, objects, lambda found: named_each(state, {one: found[one.path] for one in objects})
    )
    yield named_provider("bind all objects of the instance to it", bind, alone=True)


def provider_levels_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider at one level only; the objects keep the effective provider, if it is at the instances."""
    block = path[:2]
    inherited = provider_instance(state.string((*block, PROVIDER)))
    own = [one for one in state.objects_of_block(block) if one.names_provider]
    lost = sum(one.provider != inherited for one in own)
    yield Choice("instances", "keep the addresses of the instances", lambda _: moved_down(state, block, inherited))
    yield Choice(
        "resource",
        f"keep the address of the resource; {counted(lost, len(own))} change to it",
        lambda _: {(*one.path, PROVIDER): None for one in own},
    )


def _bound_to(state: LooseState, path: JsonPath, given: str) -> Rebound:
    """Bind the objects of other configurations to one configuration."""
    target = provider_instance(given)
    return rebound(
        state,
        path[:2],
        lambda one: one.provider if one.provider is not None and one.provider.config == target.config else target,
    )


# /resources/0/provider; an object's is /resources/0/instances/0/provider.
_BLOCK_MEMBER: Final = 3


def missing_provider_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider: one of other objects of the resource, of the configuration, or of the type."""
    one = state.object(path[:4])

    def name(given: str) -> Rebound:
        return named(state, one, provider_instance(given))

    own = map(config_text, state.configurations(path[:2]))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    yield from configured_provider(state, path, [one], lambda found: named(state, one, found[one.path]))
    yield named_provider("name this one", name)


def invalid_provider_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider instead of the unreadable address, or take the provider of other objects."""
    return _unnamed_of_object(state, path) if len(path) > _BLOCK_MEMBER else _unnamed_of_block(state, path)


def _unnamed_of_object(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    one = state.object(path[:4])

    def name(given: str) -> Rebound:
        return {path: encode_string(str(provider_instance(given)))}

    yield from _hashicorps(state, path)
    own = map(provider_text, state.providers(path[:2]))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    yield from configured_provider(state, path, [one], lambda found: {path: encode_string(str(found[one.path]))})
    yield named_provider("name this one", name)


def _unnamed_of_block(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    block = path[:2]

    def name(given: str) -> Rebound:
        return {path: encode_string(config_text(provider_config(given)))}

    yield from _hashicorps(state, path)
    own = map(config_text, state.configurations(block))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    keyed = read_instance(state.string(path))
    if not isinstance(keyed, Unreadable):
        yield Choice("instances", "write it to each object", lambda _: moved_down(state, block, keyed))
    inheriting = [one for one in state.objects_of_block(block) if not one.names_provider]
    if inheriting:
        yield from configured_provider(state, path, inheriting, lambda found: _in_place_of_level(path, found))
    yield named_provider("name this one", name)


def _hashicorps(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    """Give a HashiCorp provider that is known by its type only its source."""
    found = read_as_terraform(state.string(path))
    if found is None or found.config.provider.type not in KNOWN_TYPES:
        return
    source = replace(found.config.provider, namespace=DEFAULT_NAMESPACE)
    meant = str(replace(found, config=replace(found.config, provider=source)))
    yield Choice("hashicorp", f"set the source {source}", lambda _: {path: encode_string(meant)})


def _in_place_of_level(path: JsonPath, found: Mapping[JsonPath, AbsProviderInstance]) -> Rebound:
    configs = {bound.config for bound in found.values()}
    if len(configs) == 1 and all(bound.key == NO_KEY for bound in found.values()):
        return {path: encode_string(str(configs.pop()))}
    return {path: None} | {(*one, path[-1]): encode_string(str(bound)) for one, bound in found.items()}


# A longer list would not help; the user can name any other provider.
MOST_OFFERED: Final = 10
_CONFIG: Final = f"{PROVIDER}=config"


def chosen_provider(address: str, text: str, changes: Callable[[str], Rebound]) -> Choice:
    """Offer a provider by its address."""
    return Choice(f"{PROVIDER}={address}", text, lambda _: changes(address))


def named_provider(text: str, changes: Callable[[str], Rebound], *, alone: bool = False) -> Choice:
    """Let the user name a provider."""
    return Choice(PROVIDER, text, changes, "ADDRESS", alone)


def configured_provider(
    state: LooseState,
    resource: JsonPath,
    objects: Sequence[LooseObject],
    changes: Callable[[Mapping[JsonPath, AbsProviderInstance]], Rebound],
) -> Iterator[Choice]:
    """Offer the provider instances of the configuration, if given."""
    if state.references is None:
        return
    try:
        # The first object is enough as an example; there may be thousands.
        first = next(iter(configured(state, resource, objects[:1]).values()))
        text = f"take it from the configuration: {first}" + (", for the first object" if len(objects) > 1 else "")
    except SurgeryError as error:
        text = f"take it from the configuration; not possible: {error}"
    yield Choice(_CONFIG, text, lambda _: changes(configured(state, resource, objects)))


def counted(number: int, of: int) -> str:
    """Return how many objects change: `2 of 5 objects`."""
    return f"{number} of {of} {'object' if of == 1 else 'objects'}"


def as_others(own: Iterable[object], of_type: Iterable[object], changes: Callable[[str], Rebound]) -> Iterator[Choice]:
    """Offer the providers of other objects of the resource; if there are none, of resources of the type."""
    text = "as other objects of the resource"
    # There may be thousands; formatting their addresses would take too long.
    found = list(islice(own, MOST_OFFERED))
    if not found:
        found, text = list(islice(of_type, MOST_OFFERED)), "as other resources of the type"
    for bound in found:
        yield chosen_provider(str(bound), text, changes)


Rebound: TypeAlias = dict[JsonPath, bytes | None]


def provider_instance(text: str) -> AbsProviderInstance:
    """Parse the address of a provider instance, or of a configuration in the old form. Raises SurgeryError."""
    bound = read_instance(text)
    if isinstance(bound, Unreadable):
        config = read_config(text)
        if isinstance(config, Unreadable):
            raise SurgeryError(bound.findings[0].detail)
        return AbsProviderInstance(config, NO_KEY)
    return bound


def provider_config(text: str) -> ConfigProviderConfig:
    """Parse the address of a provider configuration. Raises SurgeryError."""
    config = read_config(text)
    if isinstance(config, Unreadable):
        raise SurgeryError(config.findings[0].detail)
    return config


def provider_text(bound: AbsProviderInstance) -> str:
    """Return the address of a provider instance as in a state."""
    return str(bound) if bound.key != NO_KEY else config_text(bound.config)


def config_text(config: ConfigProviderConfig) -> str:
    """Return the address of a configuration as in a state; the old form for providers known by their type only."""
    text = str(config)
    return text if read_config(text) == config else config.legacy_str()


def rebound(
    state: LooseState, resource: JsonPath, target: Callable[[LooseObject], AbsProviderInstance | None]
) -> Rebound:
    """Return the changes that bind each object of a resource to its target.

    Objects with target None stay unchanged. Without keys, the provider goes to the resource: Terraform silently drops
    resources whose objects name a provider.
    """
    after = {one.path: (one, bound) for one in state.objects(resource) if (bound := target(one)) is not None}
    config = next((bound.config for _, bound in after.values()), None)
    is_keyless = all(bound.key == NO_KEY for _, bound in after.values())
    level_text = "" if config is None else config_text(config)
    # The old form exists only at the level of the resource.
    is_legacy = config is not None and level_text != str(config)
    is_lifted = is_keyless and (is_legacy or len(after) == len(state.objects(resource)))
    changes: Rebound = {}
    levels = {block: state.string((*block, PROVIDER)) for block in state.blocks(resource)}
    for block, level in levels.items():
        if level and not is_keyless:
            changes[*block, PROVIDER] = None
        elif (
            config is not None
            and (level or (is_lifted and state.objects_of_block(block)))
            and read_config(level) != config
        ):
            changes[*block, PROVIDER] = encode_string(level_text)
    for one, bound in after.values():
        inherits = is_keyless and (bool(levels[one.block]) or is_lifted)
        if inherits and one.names_provider:
            changes[*one.path, PROVIDER] = None
        elif not inherits and state.string((*one.path, PROVIDER)) != str(bound):
            changes[*one.path, PROVIDER] = _of_object(bound)
    return changes


def named(state: LooseState, one: LooseObject, bound: AbsProviderInstance) -> Rebound:
    """Return the changes that give an object a provider, at the level that its block uses.

    If all objects then have the same provider, without a key, the block names it.
    """
    if bound.key == NO_KEY and state.once(_around_one, one.block).get(one.block) == {bound}:
        changes: Rebound = {(*one.block, PROVIDER): encode_string(config_text(bound.config))}
        others = (other for other in state.objects_of_block(one.block) if other.names_provider)
        return changes | {(*other.path, PROVIDER): None for other in others}
    if bound.key != NO_KEY or state.names_providers(one.block):
        return {(*one.path, PROVIDER): _of_object(bound)}
    return {(*one.block, PROVIDER): encode_string(config_text(bound.config))}


def _around_one(state: LooseState, resource: JsonPath) -> Mapping[JsonPath, AbstractSet[AbsProviderInstance | None]]:
    """Return the providers of objects by block, for blocks in which a single object names none."""
    blocks = {block: state.objects_of_block(block) for block in state.blocks(resource)}
    return {
        block: {one.provider for one in objects if one.names_provider}
        for block, objects in blocks.items()
        if sum(not one.names_provider for one in objects) == 1
    }


def named_each(state: LooseState, targets: Mapping[LooseObject, AbsProviderInstance]) -> Rebound:
    """Return the changes that bind objects to their targets; objects that inherit their target name no provider."""
    changes: Rebound = {}
    for one, bound in targets.items():
        inherits = read_config(state.string((*one.block, PROVIDER))) == bound.config and bound.key == NO_KEY
        if inherits and one.names_provider:
            changes[*one.path, PROVIDER] = None
        elif not inherits and state.string((*one.path, PROVIDER)) != str(bound):
            changes[*one.path, PROVIDER] = _of_object(bound)
    return changes


def moved_down(state: LooseState, block: JsonPath, inherited: AbsProviderInstance) -> Rebound:
    """Return the changes that move the provider of a block to its objects without one.

    If all objects then have the same provider, without a key, the changes keep it at the block only.
    """
    objects = state.objects_of_block(block)
    after = {one.provider if one.names_provider else inherited for one in objects}
    if len(after) == 1 and (only := after.pop()) is not None and only.key == NO_KEY:
        lifted: Rebound = {(*one.path, PROVIDER): None for one in objects if one.names_provider}
        if only != inherited:
            lifted[*block, PROVIDER] = encode_string(config_text(only.config))
        return lifted
    changes: Rebound = {(*block, PROVIDER): None}
    for one in state.objects_of_block(block):
        if not one.names_provider:
            changes[*one.path, PROVIDER] = _of_object(inherited)
    return changes


def _of_object(bound: AbsProviderInstance) -> bytes:
    """Return the address as written in an object."""
    if isinstance(read_instance(str(bound)), Unreadable):
        raise SurgeryError(f"{config_text(bound.config)} has the old form, which only a whole resource can have")
    return encode_string(str(bound))


def configured(
    state: LooseState, resource: JsonPath, objects: Iterable[LooseObject]
) -> Mapping[JsonPath, AbsProviderInstance]:
    """Map the paths of objects to their provider instances in the configuration.

    Raises SurgeryError with the reason if the configuration does not determine all of them.
    """
    references = state.references
    if references is None:
        raise SurgeryError("no configuration was given")
    try:
        address = parse_abs_resource(state.resource_address(resource))
    except AddressError as error:
        raise SurgeryError(f"{error.text!r} is not an address, so no configuration has it") from error
    if address.config() not in references.blocks:
        raise SurgeryError(f"the configuration does not declare {address}")
    found: dict[JsonPath, AbsProviderInstance] = {}
    for one in objects:
        if one.key is None:
            raise SurgeryError(f"{address} has an instance with an invalid key, which no configuration has")
        instance = address.instance(one.key)
        bound = references.instance_binding(instance)
        if not isinstance(bound, AbsProviderInstance):
            bound = references.destroying(instance)
        if not isinstance(bound, AbsProviderInstance):
            raise SurgeryError(f"the configuration does not determine the provider instance of {instance}")
        found[one.path] = bound
    return found

"""Binds the objects of a resource to provider instances, at the level at which a state can say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set as AbstractSet
from typing import TypeAlias

from statefmt.edit.repairs.loose_state import PROVIDER, LooseObject, LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig
from statefmt.model.errors import SurgeryError
from statefmt.model.provider_text import Unreadable, read_config, read_instance

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
    """Return the address of a provider instance as a state can say it."""
    return str(bound) if bound.key != NO_KEY else config_text(bound.config)


def config_text(config: ConfigProviderConfig) -> str:
    """Return the address of a configuration as a state can say it; for those known by their type only, the old form."""
    text = str(config)
    return text if read_config(text) == config else config.legacy_str()


def rebound(
    state: LooseState, resource: JsonPath, target: Callable[[LooseObject], AbsProviderInstance | None]
) -> Rebound:
    """Return the changes after which each object of a resource has its target.

    Objects whose target is None stay as they are. Without keys, the resource gets the provider: Terraform silently
    leaves out resources whose objects name theirs.
    """
    after = {one.path: (one, bound) for one in state.objects(resource) if (bound := target(one)) is not None}
    config = next((bound.config for _, bound in after.values()), None)
    is_keyless = all(bound.key == NO_KEY for _, bound in after.values())
    level_text = "" if config is None else config_text(config)
    # The old form exists at the level of the resource only.
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
    """Return the changes that give an object without a provider one, at the level at which its block names others.

    If all of them then have the same, without a key, the block names it.
    """
    if bound.key == NO_KEY and state.once(_around_one, one.block).get(one.block) == {bound}:
        changes: Rebound = {(*one.block, PROVIDER): encode_string(config_text(bound.config))}
        others = (other for other in state.objects_of_block(one.block) if other.names_provider)
        return changes | {(*other.path, PROVIDER): None for other in others}
    if bound.key != NO_KEY or state.names_providers(one.block):
        return {(*one.path, PROVIDER): _of_object(bound)}
    return {(*one.block, PROVIDER): encode_string(config_text(bound.config))}


def _around_one(state: LooseState, resource: JsonPath) -> Mapping[JsonPath, AbstractSet[AbsProviderInstance | None]]:
    """Return what objects name, by block, where a single object of the block names nothing."""
    blocks = {block: state.objects_of_block(block) for block in state.blocks(resource)}
    return {
        block: {one.provider for one in objects if one.names_provider}
        for block, objects in blocks.items()
        if sum(not one.names_provider for one in objects) == 1
    }


def named_each(state: LooseState, targets: Mapping[LooseObject, AbsProviderInstance]) -> Rebound:
    """Return the changes after which objects have their targets; those that inherit theirs name none."""
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

    If all of them then have the same, without a key, they are the changes that keep it at the block only.
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
    """Return the address as an object names it."""
    if isinstance(read_instance(str(bound)), Unreadable):
        raise SurgeryError(f"{config_text(bound.config)} has the old form, which only a whole resource can have")
    return encode_string(str(bound))

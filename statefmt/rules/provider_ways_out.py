"""What to do about an object whose provider will not be there: commands to run, and configuration to paste.

Source: RFC "Static Evaluation of Provider Iteration", on removing elements: a provider instance must outlive all of its
resource instances by one apply.
"""

from __future__ import annotations

from statefmt.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, StringKey
from statefmt.config.provider_names import local_name_of
from statefmt.config.provider_references import ProviderReferences
from statefmt.config.values import Unknown
from statefmt.golang import quote
from statefmt.rules.configuration_place import where
from statefmt.rules.subject import Subject
from statefmt.survey.provider_fates import Fate


def ways_out(subject: Subject, fate: Fate) -> str:
    """The commands that bind the object to another provider instance, or forget it."""
    forget = (
        f"forget it with {subject.command_on('forget-deposed', str(fate.instance.addr))}"
        if fate.obj.deposed
        else f"forget it, and keep the real object, with {subject.command_on('rm', str(fate.instance.addr))}"
    )
    other = _other_instance(subject, fate)
    if other is None:
        return f"Or {forget}."
    return f"Or, if {other} works with the same account and region, {rebinding(subject, fate, other)}. Or {forget}."


def rebinding(subject: Subject, fate: Fate, provider: AbsProviderInstance) -> str:
    """The command that binds the object to a provider instance."""
    # A single instance can't leave for another configuration: a resource has one for all of its instances.
    whole = provider.config != fate.bound.config
    address = str(fate.instance.addr.containing_resource() if whole else fate.instance.addr)
    return subject.command("rebind", address, str(provider))


def removed_block_note(fate: Fate) -> str:
    """That a `removed` block does not help, where there is one: OpenTofu asks for the provider first."""
    if fate.removal is None:
        return ""
    return f" The removed block at {where(fate.removal.block.range)} needs it, too."


def _other_instance(subject: Subject, fate: Fate) -> AbsProviderInstance | None:
    """A provider instance that is there: of the same configuration rather than of another one of the provider."""
    references = subject.configuration
    assert references is not None
    if fate.binding is not None and fate.needed is not None and _has(references, fate.needed):
        return fate.needed
    same = [fate.binding.config] if fate.binding is not None else []
    others = [config for config in references.tree.declared if config.provider == fate.bound.config.provider]
    for config in (*same, fate.bound.config, *others):
        keys = references.declared_keys(config) if references.tree.exists(config) else ()
        if not isinstance(keys, Unknown) and keys:
            return config.instance(keys[0])
    return None


def _has(references: ProviderReferences, provider: AbsProviderInstance) -> bool:
    keys = references.declared_keys(provider.config) if references.tree.exists(provider.config) else ()
    return not isinstance(keys, Unknown) and provider.key in keys


def provider_block(references: ProviderReferences, wanted: AbsProviderInstance) -> str:
    """A `provider` block with the instance that is wanted, and those that are declared already; "" where its module
    is gone, and with it the place for a block."""
    config = wanted.config
    module = references.configuration.modules.get(config.module)
    if module is None:
        return ""
    lines = [f"provider {quote(local_name_of(module.declarations, config.provider))} {{"]
    declared = references.tree.declared.get(config)
    arguments = {"alias": quote(config.alias)} if config.alias else {}
    if isinstance(wanted.key, StringKey):
        arguments["for_each"] = f"toset([{', '.join(_keys(references, config, wanted.key))}])"
    width = max(map(len, arguments), default=0)
    lines += (f"  {name:<{width}} = {value}" for name, value in arguments.items())
    where = f"as in {declared.range.file}:{declared.range.line}" if declared else "as they were"
    return "\n".join([*lines, f"  # all other arguments {where}", "}"])


def _keys(references: ProviderReferences, config: ConfigProviderConfig, wanted: InstanceKey) -> list[str]:
    declared = references.declared_keys(config) if references.tree.exists(config) else ()
    keys = [] if isinstance(declared, Unknown) else [key for key in declared if key is not NO_KEY]
    return [str(key)[1:-1] for key in sorted({*keys, wanted}, key=str)]

"""Generates configuration to paste that restores a removed provider for one more apply.

Sources: RFC "Static Evaluation of Provider Iteration", on removing elements; RFC "Dynamic Provider Instances and
Instance Assignment", on a module that is removed with a provider in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from statefmt.configuration.model import Declarations, ProviderBlock
from statefmt.configuration.provider_names import local_name_of, provider_named
from statefmt.configuration.providers.references import ProviderReferences
from statefmt.golang import quote
from statefmt.hcl.syntax.expressions import AttributeAccess, Call, Literal, Traversal, TupleExpression
from statefmt.hcl.syntax.references import references as references_in
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations.place import where
from statefmt.model.addrs import NO_KEY, ConfigProviderConfig, InstanceKey, Module, Provider, StringKey, key_order
from statefmt.model.cty import SetType

# Suffix for the directory of a module that contains only the provider of a removed module.
_ENDING = "-until-destroyed"
_OLD_VALUE: Final = "OLD_VALUE"
# Limits the keys listed in a finding, since there may be as many findings as keys.
MOST_KEYS: Final = 50


def provider_block(
    references: ProviderReferences,
    config: ConfigProviderConfig,
    keys: Collection[InstanceKey],
    own: InstanceKey = NO_KEY,
) -> str:
    """Return a `provider` block with these instances and those that are already declared.

    If there are too many to list in each finding, it has only some of them, including `own`, and a comment says so.

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
    listed = islice(keys, MOST_KEYS) if len(keys) <= MOST_KEYS else (own, *islice(keys, MOST_KEYS))
    wanted = {key for key in listed if isinstance(key, StringKey)}
    note: tuple[str, ...] = ()
    if wanted:
        note, arguments["for_each"] = _for_each(references, config, declared, wanted)
    if len(keys) > MOST_KEYS:
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
    # Where the block uses each.value, null would fail: the name of no resource is refused until somebody replaces it.
    value = _OLD_VALUE if uses_each_value(declared) else "null"
    note = (f"  # Replace {_OLD_VALUE} by the value that the key had.",) if value == _OLD_VALUE else ()
    items = ", ".join(f"{_text(key)} = {value}" for key in sorted(wanted, key=key_order))
    return note, f"merge({text}, {{ {items} }})"


def uses_each_value(block: ProviderBlock) -> bool:
    """Return whether the arguments of a provider block use `each.value`, or may do so."""
    return any(
        expression is None or any(_is_each_value(one) for one in references_in(expression))
        for _, expression in block.settings
    )


def _is_each_value(reference: Traversal) -> bool:
    first = reference.steps[0] if reference.steps else None
    return reference.root == "each" and isinstance(first, AttributeAccess) and first.name == "value"


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
    """Return nested calls of modules that contain nothing else, down to the one with the provider block.

    Their directories are below that of the nearest module that still exists.
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
